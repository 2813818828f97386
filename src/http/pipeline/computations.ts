import { currentScope, errorOfEnd, withinScope } from '../../database/reads/statement-scope.ts';
import type { ResponseCache } from './response-cache.ts';

/** A computation, and the number of requests that wait for its result. */
class Running<Result> {
  readonly #ending = new AbortController();
  readonly #result: Promise<Result>;
  readonly #onOver: () => void;
  #waiting = 0;
  #isOver = false;

  /** @param onOver called when the last waiting request has ended, after which no request may join. */
  constructor(compute: () => Promise<Result>, { isExpensive, onOver }: { isExpensive: boolean; onOver: () => void }) {
    this.#onOver = onOver;
    const reads = currentScope()?.reads;
    const scope = { signal: this.#ending.signal, isExpensive, reads: reads && { ...reads } };
    this.#result = withinScope(scope, compute);
    // A failure after the end of all requests would otherwise be an unhandled rejection.
    const end = (): void => void (this.#isOver = true);
    this.#result.then(end, end);
  }

  /**
   * Waits for the result. The computation ends when its last waiting request ends.
   * @throws the error of the request's end when the request ends first.
   */
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
    // An abort takes longer than many computations, because its error has a stack.
    if (!this.#isOver) this.#ending.abort();
  }
}

/** Gives a computation that was found by its key the type of the result: one key always stands for one type. */
function hasResult<Result>(_running: Running<unknown>): _running is Running<Result> {
  return true;
}

/**
 * Runs expensive reads, and makes responses to visitors. Concurrent requests for the same share one computation, which
 * ends with the last of them. The statements of expensive reads use at most half of the connections for requests.
 */
export class Computations {
  readonly #running = new Map<string, Running<unknown>>();
  readonly #cache: Pick<ResponseCache, 'findVersion'>;
  readonly #isLive: () => boolean;

  /** @param isLive returns whether changes reach the cache; while they do not, each request has its own read. */
  constructor(cache: Pick<ResponseCache, 'findVersion'>, isLive: () => boolean) {
    this.#cache = cache;
    this.#isLive = isLive;
  }

  /**
   * Computes a result about an account, or joins a computation of it that began after the account's last change.
   * @param resultName the name of the result and all that it depends on, such as whether it includes private data.
   */
  async share<Result>(accountId: string, resultName: string, compute: () => Promise<Result>): Promise<Result> {
    if (!this.#isLive()) return this.alone(compute);
    return this.#join(`${accountId} ${resultName}`, accountId, { compute, isExpensive: true });
  }

  /**
   * Makes a response to a visitor, or joins requests that wait for the same one, as the response cache would serve it:
   * only where no change of the account arrived since its data was read.
   * @param key the key of the response in the cache.
   * @param startSequence the result of the cache's `begin` before the account was read.
   */
  async shareResponse<Result>(
    { accountId, key, startSequence }: { accountId: string; key: string; startSequence: number },
    make: () => Promise<Result>,
  ): Promise<Result> {
    if (!this.#isLive() || startSequence < this.#cache.findVersion(accountId)) return make();
    return this.#join(`response ${key}`, accountId, { compute: make, isExpensive: false });
  }

  /** Computes a result that is not shared, because it depends on the changes of several accounts. */
  async alone<Result>(compute: () => Promise<Result>): Promise<Result> {
    return new Running(compute, { isExpensive: true, onOver: () => {} }).wait();
  }

  /** Joins the computation of a result since the last change of its account, or begins it. */
  async #join<Result>(
    name: string,
    accountId: string,
    { compute, isExpensive }: { compute: () => Promise<Result>; isExpensive: boolean },
  ): Promise<Result> {
    const server = currentScope()?.reads?.fromReplica === true ? 'replica' : 'primary';
    const key = `${this.#cache.findVersion(accountId)} ${server} ${name}`;
    const known = this.#running.get(key);
    if (known !== undefined && hasResult<Result>(known)) return known.wait();
    const running = new Running(compute, { isExpensive, onOver: () => this.#running.delete(key) });
    this.#running.set(key, running);
    return running.wait();
  }
}
