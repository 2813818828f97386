import { execFile } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { v4 as uuidv4 } from 'uuid';
import type { ServerUser } from './server-user.ts';

const run = promisify(execFile);

export const pipeName = 'plaudit.users';
export const replyPrefix = 'plaudit.user.';

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
