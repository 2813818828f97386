import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '../../errors.ts';
import { findGit } from '../../history/git.ts';
import { type Finding, found } from '../finding.ts';

/** Checks that there is a git that can read histories. */
export async function checkGit(signal: AbortSignal): Promise<Finding[]> {
  try {
    const version = await findGit(signal);
    return [found('machine', { severity: 'fine', code: 'git_found', message: `git is version ${version}.` })];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { message } = error;
    const remedy = 'Install a newer git, or put it on the PATH of the service. Without it no commits are read.';
    return [found('machine', { severity: 'problem', code: 'git_unfit', message, remedy })];
  }
}

const gib = 1024 ** 3;
/** The free space below which PostgreSQL and copies of histories may fail at any moment. */
const leastFreeBytes = gib;
/** The free space that copies of histories may need while the service runs. */
const comfortableFreeBytes = 10 * gib;

/** Checks the free space where the service keeps its data. */
export async function checkDisk(dataDir: string): Promise<Finding[]> {
  const free = await freeBytes(dataDir);
  return [examineDisk(dataDir, free)];
}

/** Checks the free space. @param free the bytes that the service may still write. */
export function examineDisk(dataDir: string, free: number): Finding {
  const message = `${(free / gib).toFixed(1)} GiB are free in ${dataDir} (DATA_DIR).`;
  const remedy = 'Make room there, or let DATA_DIR name another disk.';
  if (free < leastFreeBytes) return found('machine', { severity: 'problem', code: 'disk_full', message, remedy });
  if (free < comfortableFreeBytes) return found('machine', { severity: 'hint', code: 'disk_space', message, remedy });
  return found('machine', { severity: 'fine', code: 'disk_space', message });
}

/** Returns the free bytes for a directory; for one that does not exist yet, those for its nearest existing parent. */
async function freeBytes(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isAbsent || dirname(directory) === directory) throw error;
    return freeBytes(dirname(directory));
  }
}
