import { execFileSync } from 'node:child_process';
import { chownSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A process id that no process has, and that PostgreSQL takes for one that ended. */
const noProcess = 2 ** 31 - 1;
const clusterLock = 'postmaster.pid';
const socketLock = '.s.PGSQL.5432.lock';

/** Returns whether a process with this id runs. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/**
 * Finds the process that serves a cluster. The process with the id in the lock file is checked, because ids of ended
 * processes are reused.
 */
export function findPostmaster(clusterDir: string): number | undefined {
  const pid = readPid(clusterDir, clusterLock);
  return pid !== undefined && servesCluster(pid, clusterDir) ? pid : undefined;
}

function readPid(clusterDir: string, file: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(join(clusterDir, file), 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function servesCluster(pid: number, clusterDir: string): boolean {
  if (!isRunning(pid)) return false;
  if (process.platform !== 'linux') return /postgres/.test(readCommand(pid));
  try {
    // The working directory of a process that ended and waits for its parent (a zombie) cannot be read.
    const serverDirectory = statSync(`/proc/${pid}/cwd`);
    const clusterDirectory = statSync(clusterDir);
    return serverDirectory.ino === clusterDirectory.ino && serverDirectory.dev === clusterDirectory.dev;
  } catch {
    return false;
  }
}

function readCommand(pid: number): string {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/**
 * Replaces the process id in the lock files of the cluster and of its socket when an unrelated process has it by
 * chance: PostgreSQL would refuse to start. PostgreSQL checks both files in the same way (`CreateLockFile` in
 * miscinit.c) and replaces a file whose process has ended. The other lines stay, because those of the cluster's file
 * show PostgreSQL whether processes of the last server still hold its memory.
 */
export function replaceReusedPids(clusterDir: string): void {
  for (const file of [clusterLock, socketLock]) replaceReusedPid(clusterDir, file);
}

function replaceReusedPid(clusterDir: string, file: string): void {
  const path = join(clusterDir, file);
  const pid = readPid(clusterDir, file);
  if (pid === undefined || pid === noProcess || !isRunning(pid) || servesCluster(pid, clusterDir)) return;
  const { uid, gid } = statSync(path);
  const [, ...rest] = readFileSync(path, 'utf8').split('\n');
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, [String(noProcess), ...rest].join('\n'), { mode: 0o600 });
  chownSync(temporary, uid, gid);
  renameSync(temporary, path);
}
