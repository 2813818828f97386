import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import type { Provider } from '../../../hosts/interface/provider.ts';
import type { Account } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import type { ReadBoardsFile } from '../file/read-file.ts';
import type { UnreadDocument } from './reading-thread.ts';

const program = new URL('./reading-thread.ts', import.meta.url);
const limits = { waiting: 32, readingMs: 10_000, memoryMb: 256 };
const retryAfterMs = 5000;
/** The time, in ms, after which a thread that reads nothing ends. */
const idleMs = 60_000;

export interface ReaderOptions {
  providers: ReadonlyMap<string, Provider>;
  now: () => Date;
  /** The longest time, in ms, that a document may take. Default: 10 s. */
  readingMs?: number;
}

/**
 * Reads documents that owners send. Anyone can become an owner, and a document can be made to take seconds: a thread of its
 * own reads one after the other, with limits of time and memory, and one of each owner at a time.
 */
export class DocumentReader {
  readonly #providers: ReadonlyMap<string, Provider>;
  readonly #now: () => Date;
  readonly #readingMs: number;
  readonly #owners = new Set<string>();
  readonly #queue = new PQueue({ concurrency: 1 });
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ providers, now, readingMs = limits.readingMs }: ReaderOptions) {
    this.#providers = providers;
    this.#now = now;
    this.#readingMs = readingMs;
  }

  /**
   * Reads a document, and uses it before another one of the same owner is read.
   * @throws AppError `rate_limited` while another document of the owner is read or used; `overloaded` when too many of
   * other owners wait; `invalid_input` for a document that takes too long.
   */
  async withDocument<Result>(
    owner: Pick<Account, 'id' | 'provider' | 'name'>,
    text: string,
    use: (read: ReadBoardsFile) => Promise<Result>,
  ): Promise<Result> {
    const retryAt = new Date(this.#now().getTime() + retryAfterMs);
    if (this.#owners.has(owner.id))
      throw new AppError('rate_limited', 'Another document of this account is being checked. Retry soon.', { retryAt });
    if (this.#queue.size >= limits.waiting)
      throw new AppError('overloaded', 'Too many documents are being checked. Retry soon.', { retryAt });
    this.#owners.add(owner.id);
    try {
      const { provider, name } = owner;
      const hosts = new Map([...this.#providers].map(([host, { unreported }]) => [host, { unreported }]));
      return await use(await this.#queue.add(() => this.#read({ text, owner: { provider, name }, hosts })));
    } finally {
      this.#owners.delete(owner.id);
    }
  }

  async #read(document: UnreadDocument): Promise<ReadBoardsFile> {
    clearTimeout(this.#idle);
    this.#thread ??= startThread();
    const thread = this.#thread;
    const signal = AbortSignal.timeout(this.#readingMs);
    try {
      const read = once(thread, 'message', { signal });
      thread.postMessage(document, []);
      const [result]: ReadBoardsFile[] = await read;
      if (result === undefined) throw new Error('the thread returned nothing');
      this.#idle = setTimeout(() => this.#endThread(thread), idleMs).unref();
      return result;
    } catch (cause) {
      this.#endThread(thread);
      const isOutOfMemory = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
      if (!signal.aborted && !isOutOfMemory) throw cause;
      throw new AppError('invalid_input', 'The document takes too long to check: it has too many parts.', { cause });
    }
  }

  #endThread(thread: Worker): void {
    if (this.#thread === thread) this.#thread = undefined;
    void thread.terminate();
  }
}

/** Starts a thread that does not keep the process running. */
function startThread(): Worker {
  const thread = new Worker(program, {
    execArgv: typeStripping(),
    resourceLimits: { maxOldGenerationSizeMb: limits.memoryMb },
  });
  // A failure while a document is read is the failure of that reading.
  thread.on('error', () => {});
  thread.unref();
  return thread;
}

/** Returns the options by which an installed package strips types; threads have none of those that were added later. */
function typeStripping(): string[] {
  const hooks = process.execArgv.find((option) => option.endsWith('/strip-types.js'));
  return hooks === undefined ? [] : ['--import', hooks];
}
