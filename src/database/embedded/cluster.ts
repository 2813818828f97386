import { execFileSync, spawn } from 'node:child_process';
import { chownSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { chmod, chown, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { v4 as uuidv4 } from 'uuid';
import { AppError } from '../../model/errors.ts';
import type { Binaries } from './binaries.ts';
import { cannotRun, explainOutput } from './failure.ts';
import type { ServerUser } from './server-user.ts';

/** A process id that no process has, and that PostgreSQL takes for one that ended. */
const noProcess = 2 ** 31 - 1;
const clusterLock = 'postmaster.pid';
const socketLock = '.s.PGSQL.5432.lock';

/** The role that owns everything in the server. */
export const superuser = 'plaudit';

/**
 * The memory that processes of the server share lies in files of DATA_DIR. There is little of it, because one process runs a query, and
 * /dev/shm may be full or missing.
 */
export const sharedMemoryType = 'mmap';

const initializeTimeoutMs = 300_000;
const maxOutputBytes = 64 * 1024;
const unfinished = /^postgres\.new-(\d+)-/;

/** Returns a path to the cluster for a program that runs in it, also when its user may not enter the parents (on Linux). */
export function ownDirectory(clusterDir: string): string {
  return process.platform === 'linux' ? '/proc/self/cwd' : clusterDir;
}

/**
 * Makes sure that a database cluster of the right version exists; the directory never holds an incomplete one.
 * @throws AppError `misconfigured` with one line for the operator.
 */
export async function ensureCluster(
  clusterDir: string,
  binaries: Binaries,
  user: ServerUser,
  log: (line: string) => void,
): Promise<void> {
  const dataDir = dirname(clusterDir);
  await removeUnfinished(dataDir);
  const version = await clusterVersion(clusterDir);
  if (version === undefined) {
    log('preparing a new database');
    await createCluster(clusterDir, binaries, user);
  } else if (version !== binaries.majorVersion) {
    throw new AppError(
      'misconfigured',
      `${clusterDir} is of PostgreSQL ${version} and this release brings ${binaries.majorVersion}: export it with the release that wrote it (plaudit export FILE), then import that into a new DATA_DIR`,
    );
  }
}

/** Returns the major version of the cluster, or undefined when there is none. */
async function clusterVersion(clusterDir: string): Promise<string | undefined> {
  const content = await readFile(join(clusterDir, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (content !== undefined) return content.trim();
  const entries = await readdir(clusterDir).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  });
  if (entries.length === 0) return undefined;
  throw new AppError(
    'misconfigured',
    `${clusterDir} is not empty and holds no database: let DATA_DIR name another directory`,
  );
}

/**
 * Removes incomplete clusters. A process that is killed while it makes a cluster leaves one whose name has the process's id. A
 * program that it started may still be writing there, so files that cannot be removed now are left to a later start.
 */
async function removeUnfinished(dataDir: string): Promise<void> {
  for (const entry of await readdir(dataDir)) {
    const pid = Number(unfinished.exec(entry)?.[1]);
    if (!(pid > 0) || isRunning(pid)) continue;
    await rm(join(dataDir, entry), { recursive: true, force: true, maxRetries: 2 }).catch(() => {});
  }
}

async function createCluster(clusterDir: string, binaries: Binaries, user: ServerUser): Promise<void> {
  const temporary = join(dirname(clusterDir), `postgres.new-${process.pid}-${uuidv4()}`);
  try {
    await mkdir(temporary, { mode: 0o700 });
    if (user.isOther) await chown(temporary, user.uid, user.gid);
    await initialize(temporary, binaries, user);
    await moveIntoPlace(temporary, clusterDir);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Moves a new cluster to its path, unless another process was faster: then that cluster stays and is used. */
async function moveIntoPlace(temporary: string, clusterDir: string): Promise<void> {
  try {
    await rename(temporary, clusterDir);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
  const parent = await open(dirname(clusterDir), 'r');
  try {
    await parent.sync();
  } finally {
    await parent.close();
  }
}

/**
 * Initializes a cluster. Its socket needs no password, because only the owner may enter the directory that holds it.
 */
async function initialize(directory: string, binaries: Binaries, user: ServerUser): Promise<void> {
  const path = ownDirectory(directory);
  const args = ['-D', path, '-U', superuser, '--locale=C.UTF-8', '-E', 'UTF8', '--auth=trust', '--no-instructions'];
  // After a failure the files show whether bytes or inodes are used up; `createCluster` removes them.
  args.push('--no-clean');
  // The initdb of PostgreSQL 15, on which tests run too, takes no settings.
  if (Number(binaries.majorVersion) >= 16) args.push('-c', `dynamic_shared_memory_type=${sharedMemoryType}`);
  const output = await runProgram(binaries.initdb, args, directory, user);
  if (output !== undefined) throw explainOutput(output, dirname(directory));
  await chmod(directory, 0o700);
}

/**
 * Runs a program.
 * @returns its output when it failed, undefined when it succeeded.
 */
function runProgram(file: string, args: string[], cwd: string, user: ServerUser): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd,
      ...(user.isOther ? { uid: user.uid, gid: user.gid } : {}),
      env: { TZ: 'UTC', LC_ALL: 'C' },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: initializeTimeoutMs,
    });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = `${output}${chunk.toString('utf8')}`.slice(-maxOutputBytes);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.once('error', (error) => reject(cannotRun(error)));
    child.once('close', (code) => resolve(code === 0 ? undefined : output));
  });
}

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
