import { currentScope, errorOfEnd, withinScope } from '../database/statement-scope.ts';
import type { ResponseCache } from './response-cache.ts';

/** A computation, and the number of requests that wait for its result. */
class Running<Result> {
  readonly #ending = new AbortController();
  readonly #result: Promise<Result>;
  readonly #onOver: () => void;
  #waiting = 0;

  /** @param onOver called when no request waits any more, so that no other one may join. */
  constructor(compute: () => Promise<Result>, onOver: () => void) {
    this.#onOver = onOver;
    const reads = currentScope()?.reads;
    const scope = { signal: this.#ending.signal, isExpensive: true, reads: reads && { ...reads } };
    this.#result = withinScope(scope, compute);
    // All requests may have ended when it fails.
    this.#result.catch(() => {});
  }

  /** Waits for the result, or for the end of the request. The computation ends with the last request. */
  async wait(): Promise<Result> {
    const signal = currentScope()?.signal;
    const { promise: end, reject } = Promise.withResolvers<never>();
    const onAbort = (): void => {
      if (signal !== undefined) reject(errorOfEnd(signal));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted) onAbort();
    this.#waiting += 1;
    try {
      return await Promise.race([this.#result, end]);
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#end();
    }
  }

  #end(): void {
    this.#onOver();
    this.#ending.abort();
  }
}

/** Shows the compiler the type of a computation's result. Its key names the result, so that it has the same type for all. */
function isOf<Result>(_running: Running<unknown>): _running is Running<Result> {
  return true;
}

/**
 * Expensive reads for responses. Requests that need the same one at the same time share it. It ends with the last of
 * them, and its statements leave connections to all other requests.
 */
export class Computations {
  readonly #running = new Map<string, Running<unknown>>();
  readonly #cache: Pick<ResponseCache, 'versionOf'>;
  readonly #isLive: () => boolean;

  /** @param isLive returns whether changes reach the cache; while they do not, nothing is shared. */
  constructor(cache: Pick<ResponseCache, 'versionOf'>, isLive: () => boolean) {
    this.#cache = cache;
    this.#isLive = isLive;
  }

  /**
   * Computes something about an account, or joins a request that does so since the account's last change.
   * @param what the name of the result and everything else that it depends on, such as whether it includes private data.
   */
  async share<Result>(accountId: string, what: string, compute: () => Promise<Result>): Promise<Result> {
    if (!this.#isLive()) return this.alone(compute);
    const server = currentScope()?.reads?.fromReplica === true ? 'replica' : 'primary';
    const key = `${accountId} ${this.#cache.versionOf(accountId)} ${server} ${what}`;
    const known = this.#running.get(key);
    if (known !== undefined && isOf<Result>(known)) return known.wait();
    const running = new Running(compute, () => this.#running.delete(key));
    this.#running.set(key, running);
    return running.wait();
  }

  /** Computes something that depends on the changes of several accounts, for one request. */
  async alone<Result>(compute: () => Promise<Result>): Promise<Result> {
    return new Running(compute, () => {}).wait();
  }
}
