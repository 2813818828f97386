import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../model/errors.ts';

/** The longest address of a Unix socket (sun_path of 108 bytes with the closing zero; 104 on macOS). */
const maxPathBytes = process.platform === 'darwin' ? 103 : 107;
const socketName = '.s.PGSQL.5432';

/** Returns a name of the server's directory that is short enough for a client to address the socket in it. */
export function socketDirectory(clusterDir: string): string {
  if (fits(clusterDir)) return clusterDir;
  const uid = process.geteuid?.() ?? 0;
  const digest = createHash('sha256').update(clusterDir).digest('hex').slice(0, 16);
  const directory = join(tmpdir(), `plaudit-${uid}-${digest}`);
  const link = join(directory, 'data');
  if (!fits(link)) {
    throw new AppError('misconfigured', 'DATA_DIR: its path and that of TMPDIR are too long for a Unix socket');
  }
  makePrivate(directory, uid);
  makeLink(clusterDir, link);
  return link;
}

function fits(directory: string): boolean {
  return Buffer.byteLength(join(directory, socketName)) <= maxPathBytes;
}

/** Makes a directory that only this user can write to; another writer could lead clients to a server of their own. */
function makePrivate(directory: string, uid: number): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const stats = lstatSync(directory);
  if (stats.isDirectory() && stats.uid === uid && (stats.mode & 0o077) === 0) return;
  throw new AppError('misconfigured', `${directory} belongs to another user: remove it, or set TMPDIR`);
}

function makeLink(target: string, link: string): void {
  for (const isLastTry of [false, true]) {
    try {
      if (readlinkSync(link) === target) return;
      rmSync(link);
    } catch {
      // There is none yet.
    }
    try {
      symlinkSync(target, link);
      return;
    } catch (error) {
      if (isLastTry) throw error;
    }
  }
}
