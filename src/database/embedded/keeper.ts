import { execFile, spawn } from 'node:child_process';
import {
  chownSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { v4 as uuidv4 } from 'uuid';
import type { Binaries } from './binaries.ts';
import { ownDirectory, sharedMemoryType } from './cluster.ts';
import type { ServerUser } from './server-user.ts';

const run = promisify(execFile);

const pipeName = 'plaudit.users';
const replyPrefix = 'plaudit.user.';

/**
 * One process's use of the server. It holds a named pipe open for writing, which the operating system closes however
 * the process ends. The server's keeper reads the pipe, and its end of file means that no process uses the server.
 */
export class Lease {
  readonly #clusterDir: string;
  readonly #pipe: number;
  readonly #id = uuidv4();
  readonly #replyPath: string;

  private constructor(clusterDir: string, pipe: number) {
    this.#clusterDir = clusterDir;
    this.#pipe = pipe;
    this.#replyPath = join(clusterDir, `${replyPrefix}${this.#id}`);
  }

  /** Opens the pipe of a cluster, and makes it when it does not exist. */
  static async take(clusterDir: string, user: ServerUser): Promise<Lease> {
    const path = join(clusterDir, pipeName);
    if (!existsSync(path)) await makePipe(clusterDir, user);
    return new Lease(clusterDir, openSync(path, constants.O_RDWR | constants.O_NONBLOCK));
  }

  /** Opens the pipe for the keeper that will be started; its shell needs a descriptor on which reading waits. */
  openForKeeper(): number {
    const path = join(this.#clusterDir, pipeName);
    // Opening a pipe for reading waits for a writer, and this process may have released the server meanwhile.
    const writer = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    try {
      return openSync(path, constants.O_RDONLY);
    } finally {
      closeSync(writer);
    }
  }

  /**
   * Requests a confirmation that the keeper counts this process. A keeper that has seen the last process leave stops
   * the server and counts no other process, so callers repeat the request.
   */
  requestReply(): void {
    try {
      writeSync(this.#pipe, `${this.#id}\n`);
    } catch (error) {
      if (!isAgain(error)) throw error;
    }
  }

  /** Returns whether a keeper has confirmed that it counts this process. */
  isConfirmed(): boolean {
    return existsSync(this.#replyPath);
  }

  /** Removes the confirmation of a keeper that has ended. */
  removeReply(): void {
    rmSync(this.#replyPath, { force: true });
  }

  release(): void {
    closeSync(this.#pipe);
    this.removeReply();
  }

  /**
   * Returns whether any process uses the server, after this one released it. May consume a byte of another process's
   * request, which that process repeats.
   */
  isUsed(): boolean {
    const reading = openSync(join(this.#clusterDir, pipeName), constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readSync(reading, Buffer.alloc(1)) > 0;
    } catch (error) {
      if (isAgain(error)) return true;
      throw error;
    } finally {
      closeSync(reading);
    }
  }
}

/** The log is truncated at a start when it is larger; a server that runs well writes a few lines per start. */
const maxLogBytes = 1024 * 1024;

/**
 * The server listens on nothing but the socket in the private directory, acknowledges nothing before it is on the disk,
 * and writes no statement or value to the log.
 */
const ownSettings: Record<string, string> = {
  listen_addresses: '',
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  max_connections: '200',
  shared_buffers: '128MB',
  dynamic_shared_memory_type: sharedMemoryType,
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // Queries are many and small: compiling one, or using several processes for it, costs more than it saves.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_checkpoints: 'off',
};

/**
 * Runs the server ("$@"), confirms to each process that writes its id to the pipe (descriptor 3) that it is counted,
 * and stops the server when the last process has closed the pipe. A second server for the same data ends by itself, and
 * its keeper must not respond for the first.
 */
const keeperScript = `
trap : TERM INT HUP
umask 077
rm -f ${replyPrefix}*
"$@" 3<&- &
server=$!
(
  first=
  while [ "$first" != "$server" ]; do
    kill -0 "$server" || exit 0
    read -r first < postmaster.pid
    [ "$first" = "$server" ] || sleep 0.02
  done 2>/dev/null
  while read -r user; do : > "${replyPrefix}$user"; done <&3
  kill -INT "$server"
) &
counter=$!
while kill -0 "$server" 2>/dev/null; do wait "$server"; done
kill "$counter" 2>/dev/null
`;

/** A running keeper, as the process that started it sees it. */
export interface Keeper {
  /** Returns the output of its server since the start. */
  output(): string;
  isEnded(): boolean;
  onEnd(listener: () => void): void;
}

/**
 * Starts the server with its keeper in a session of its own, so that it outlives this process as long as others use it.
 * @param server.settings settings of PostgreSQL that replace `ownSettings`.
 */
export function startKeeper(
  clusterDir: string,
  { binaries, settings }: { binaries: Binaries; settings: Record<string, string> },
  user: ServerUser,
  lease: Lease,
): Keeper {
  const path = join(clusterDir, 'server.log');
  const log = openSync(path, 'a', 0o600);
  const pipe = lease.openForKeeper();
  if (user.isOther) chownSync(path, user.uid, user.gid);
  if (fstatSync(log).size > maxLogBytes) ftruncateSync(log);
  const start = fstatSync(log).size;
  const options = Object.entries({ ...ownSettings, ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const child = spawn(
    '/bin/sh',
    ['-c', keeperScript, 'plaudit-keeper', binaries.postgres, '-D', ownDirectory(clusterDir), ...options],
    {
      cwd: clusterDir,
      ...(user.isOther ? { uid: user.uid, gid: user.gid } : {}),
      env: { TZ: 'UTC', LC_ALL: 'C', PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
      detached: true,
      stdio: ['ignore', log, log, pipe],
    },
  );
  closeSync(log);
  closeSync(pipe);
  child.unref();
  let isEnded = false;
  const markEnded = (): void => {
    isEnded = true;
  };
  child.once('exit', markEnded);
  child.once('error', markEnded);
  return {
    output: () => readFileSync(path).subarray(start).toString('utf8'),
    isEnded: () => isEnded,
    onEnd: (listener) => child.once('exit', listener),
  };
}

async function makePipe(clusterDir: string, user: ServerUser): Promise<void> {
  const as = user.isOther ? { uid: user.uid, gid: user.gid } : {};
  try {
    await run('mkfifo', ['-m', '600', pipeName], { cwd: clusterDir, ...as });
  } catch (error) {
    if (!existsSync(join(clusterDir, pipeName))) throw error;
  }
}

function isAgain(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}
