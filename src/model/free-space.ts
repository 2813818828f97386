import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, relative } from 'node:path';

/** The free space of a file system. */
export interface FreeSpace {
  bytes: number;
  /** Undefined where the file system has no fixed number of them. */
  inodes: number | undefined;
}

/** Less than this fails at the next larger write: PostgreSQL extends its files by up to 64 blocks of 8 KiB. */
const fewestBytes = 1024 ** 2;
/** PostgreSQL needs several files to start. */
const fewestInodes = 10;

/** Reads the free space for a path; for one that does not exist, that for its nearest existing parent. Undefined: unknown. */
export function readFreeSpace(path: string): FreeSpace | undefined {
  try {
    const { blocks, bavail, bsize, files, ffree } = statfsSync(path);
    // A tmpfs without a limit has no blocks, and some file systems create inodes as they need them.
    return {
      bytes: blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize,
      inodes: files === 0 ? undefined : ffree,
    };
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return isAbsent && dirname(path) !== path ? readFreeSpace(dirname(path)) : undefined;
  }
}

/** Returns the exhausted part of the file system of a path: bytes, or inodes, without which no file can be created. Undefined: neither. */
export function exhaustedAt(path: string): 'bytes' | 'inodes' | undefined {
  const free = readFreeSpace(path);
  if (free === undefined) return undefined;
  if (free.bytes < fewestBytes) return 'bytes';
  return free.inodes !== undefined && free.inodes < fewestInodes ? 'inodes' : undefined;
}

/** Returns whether an error of the operating system says that a file system, or the share of this user, is full. */
export function isOutOfSpace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

const sharedMemory = '/dev/shm';

/**
 * Returns a sentence that names the file system without space, for the operator.
 * @param at a path that could not be written, or what a program said about it; undefined: unknown.
 */
export function describeNoSpace(dataDir: string, at?: string): string {
  const places = [
    { path: dataDir, name: `DATA_DIR: the disk of ${dataDir}` },
    { path: sharedMemory, name: `The shared memory in ${sharedMemory}` },
    { path: tmpdir(), name: `TMPDIR: the disk of ${tmpdir()}` },
  ];
  const named = places.find(({ path }) => at !== undefined && concerns(at, path));
  const full = [...(named === undefined ? [] : [named]), ...places].find(({ path }) => exhaustedAt(path) !== undefined);
  // A program may have removed its files again by now.
  const { path, name } = full ?? named ?? { path: dataDir, name: `DATA_DIR: the disk of ${dataDir}` };
  return exhaustedAt(path) === 'inodes'
    ? `${name} has no free inodes; delete files there and start again`
    : `${name} is full; free some space and start again`;
}

function concerns(text: string, path: string): boolean {
  if (path === sharedMemory && /shared memory segment/.test(text)) return true;
  return text.startsWith('/') && !relative(path, text).startsWith('..');
}
