import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import PQueue from 'p-queue';

const limits = { readingMs: 10_000, memoryMb: 256 };
/** The time, in ms, after which a thread that reads nothing ends. */
const idleMs = 60_000;
/** The files that took too long of which this process takes note, and for how long, in ms. */
const refused = { max: 1000, ttl: 3_600_000 };

export interface FileThreadOptions {
  /** The longest time, in ms, that a file may take. Default: 10 s. */
  readingMs?: number;
}

/**
 * Reads files that owners write. Anyone can become an owner, and a file can be made to take seconds: a thread of its own
 * reads one after the other, with limits of time and memory, and one of each owner at a time, so that the files of an
 * owner do not hold up those of others.
 */
export class FileThread<File extends { text: string }, Read> {
  readonly #program: URL;
  readonly #readingMs: number;
  readonly #queue = new PQueue({ concurrency: 1 });
  readonly #owners = new Map<string, PQueue>();
  readonly #refused = new LRUCache<string, true>(refused);
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** @param program the program of the thread, which posts a result for each file that it receives. */
  constructor(program: URL, { readingMs = limits.readingMs }: FileThreadOptions = {}) {
    this.#program = program;
    this.#readingMs = readingMs;
  }

  /** The number of owners whose files wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Reads a file when it is its turn.
   * @returns undefined for a file that takes too long or too much memory; the same text is not read again soon.
   */
  async read(ownerId: string, file: File): Promise<Read | undefined> {
    const owner = this.#owners.get(ownerId) ?? new PQueue({ concurrency: 1 });
    this.#owners.set(ownerId, owner);
    try {
      return await owner.add(() => this.#queue.add(() => this.#readUnlessRefused(file)));
    } finally {
      if (owner.size + owner.pending === 0) this.#owners.delete(ownerId);
    }
  }

  async #readUnlessRefused(file: File): Promise<Read | undefined> {
    const digest = createHash('sha256').update(file.text).digest('base64');
    if (this.#refused.has(digest)) return undefined;
    const read = await this.#readNow(file);
    if (read === undefined) this.#refused.set(digest, true);
    return read;
  }

  async #readNow(file: File): Promise<Read | undefined> {
    clearTimeout(this.#idle);
    this.#thread ??= startThread(this.#program);
    const thread = this.#thread;
    const signal = AbortSignal.timeout(this.#readingMs);
    try {
      const message = once(thread, 'message', { signal });
      thread.postMessage(file, []);
      const [read]: Read[] = await message;
      if (read === undefined) throw new Error('the thread returned nothing');
      this.#idle = setTimeout(() => this.#endThread(thread), idleMs).unref();
      return read;
    } catch (error) {
      this.#endThread(thread);
      const isOutOfMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (signal.aborted || isOutOfMemory) return undefined;
      throw error;
    }
  }

  #endThread(thread: Worker): void {
    if (this.#thread === thread) this.#thread = undefined;
    void thread.terminate();
  }
}

/** Starts a thread that does not keep the process running. */
function startThread(program: URL): Worker {
  const thread = new Worker(program, {
    execArgv: typeStripping(),
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
  });
  // A failure while a file is read is the failure of that reading.
  thread.on('error', () => {});
  thread.unref();
  return thread;
}

/** Returns the options by which an installed package strips types; threads have none of those that were added later. */
function typeStripping(): string[] {
  const hooks = process.execArgv.find((option) => option.endsWith('/strip-types.js'));
  return hooks === undefined ? [] : ['--import', hooks];
}
