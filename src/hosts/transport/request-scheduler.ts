import type { AppError } from '../../model/errors.ts';
import { type Call, hasCaller } from '../interface/call.ts';
import type { Credential } from './credential.ts';

/**
 * The longest wait for the end of a limit within a request for which no caller waits. A caller gets the time of the
 * next request instead, and work that has to wait longer is done by a later job.
 */
const maxLimitWaitMs = 5000;
const maxWaitingForLimit = 1000;
/** The time until the next request when too many wait for a slot. */
const crowdedForMs = 5000;

/** A credential with a slot, which is free again when the lease is disposed of. */
export interface Lease<C extends Credential> extends Disposable {
  readonly credential: C;
}

interface SchedulerOptions {
  now: () => Date;
  /** Calls back after a number of ms; returns a function that cancels. */
  startTimer?: (callback: () => void, ms: number) => () => void;
  /** Returns the error for a request that a limit delays until a time. */
  limited: (retryAt: Date) => AppError;
  /** Returns the error for a request when the host accepts none of its credentials. */
  denied: () => AppError;
}

/** The requirements of a request. */
interface Requirements<C extends Credential> {
  /** The part of the API that the host limits separately. */
  resource: string;
  call: Pick<Call, 'urgency' | 'signal'>;
  /** Returns the credentials that may be used, the preferred one first. */
  candidates: () => readonly C[];
}

/** Decides when a request is sent, and with which credential. Nothing is polled: waiting requests react to events. */
export class RequestScheduler {
  readonly #now: () => Date;
  readonly #startTimer: (callback: () => void, ms: number) => () => void;
  readonly #limited: (retryAt: Date) => AppError;
  readonly #denied: () => AppError;
  /** For each request that waits for the end of a limit, in the order in which they came: makes it choose again. */
  readonly #waitingForLimit = new Set<() => void>();
  /** The same for each request that waits for a slot. */
  readonly #waitingForSlot = new Set<() => void>();

  constructor({ now, limited, denied, startTimer = startSystemTimer }: SchedulerOptions) {
    this.#now = now;
    this.#startTimer = startTimer;
    this.#limited = limited;
    this.#denied = denied;
  }

  /**
   * Waits for a credential and its slot.
   * @throws AppError `limited` with the time of the next possible request, when that is too late or too many requests
   * wait; `denied` when the host accepts none of the credentials; the reason of the signal when it aborts.
   */
  async acquire<C extends Credential>(requirements: Requirements<C>): Promise<Lease<C>> {
    const { signal, urgency } = requirements.call;
    const deadline = this.#now().getTime() + (hasCaller(urgency) ? 0 : maxLimitWaitMs);
    for (;;) {
      signal.throwIfAborted();
      const now = this.#now();
      const accepted = requirements.candidates().filter((credential) => !credential.isRefused(now));
      if (accepted.length === 0) throw this.#denied();
      const usable = accepted.filter((credential) => isFree(credential, requirements, now));
      if (usable.length > 0) {
        const lease = await this.#takeSlot(usable, requirements);
        if (lease !== undefined) return lease;
        continue;
      }
      const retryAt = earliest(accepted.map((credential) => credential.freeAt(requirements.resource, urgency, now)));
      if (retryAt.getTime() > deadline || this.#waitingForLimit.size >= maxWaitingForLimit)
        throw this.#limited(retryAt);
      await this.#waitForLimit(retryAt.getTime() - now.getTime(), signal);
    }
  }

  /** Makes waiting requests choose again, after credentials were added, limited or refused. */
  reconsider(): void {
    for (const chooseAgain of [...this.#waitingForSlot, ...this.#waitingForLimit]) chooseAgain();
  }

  /**
   * Waits in the queues of all usable credentials for the first free slot.
   * @returns undefined when the request has to choose again.
   */
  async #takeSlot<C extends Credential>(
    usable: readonly C[],
    requirements: Requirements<C>,
  ): Promise<Lease<C> | undefined> {
    const { urgency, signal } = requirements.call;
    const groups = [...Map.groupBy(usable, ({ slots }) => slots)].filter(([slots]) => !slots.isFull);
    if (groups.length === 0) throw this.#limited(new Date(this.#now().getTime() + crowdedForMs));
    const { promise, resolve } = Promise.withResolvers<Lease<C> | undefined>();
    const others = new Set<AbortController>();
    let isFinished = false;
    const finish = (lease?: Lease<C>): void => {
      isFinished = true;
      resolve(lease);
      for (const other of others) other.abort();
    };
    const chooseAgain = (): void => finish();
    this.#waitingForSlot.add(chooseAgain);
    signal.addEventListener('abort', chooseAgain, { once: true });
    for (const [slots, credentials] of groups) {
      if (isFinished) break;
      const place = new AbortController();
      others.add(place);
      const begin = async (): Promise<void> => {
        others.delete(place);
        const now = this.#now();
        const credential = credentials.find(
          (credential) => !credential.isRefused(now) && isFree(credential, requirements, now),
        );
        if (isFinished || credential === undefined) return finish();
        credential.take(requirements.resource, now);
        const slot = Promise.withResolvers<void>();
        finish({ credential, [Symbol.dispose]: slot.resolve });
        return slot.promise;
      };
      // A place in a queue ends with an error when another queue was faster.
      slots.hold(urgency, place.signal, begin).catch(() => {});
    }
    try {
      return await promise;
    } finally {
      this.#waitingForSlot.delete(chooseAgain);
      signal.removeEventListener('abort', chooseAgain);
    }
  }

  /** Waits until a limit ends, credentials change or the signal aborts. */
  async #waitForLimit(ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve: wake } = Promise.withResolvers<void>();
    // The first timer wakes all requests that wait, so that they go on in the order in which they came.
    const cancel = this.#startTimer(() => {
      for (const other of this.#waitingForLimit) other();
    }, ms);
    const abort = (): void => wake();
    this.#waitingForLimit.add(wake);
    signal.addEventListener('abort', abort, { once: true });
    await promise;
    cancel();
    this.#waitingForLimit.delete(wake);
    signal.removeEventListener('abort', abort);
  }
}

function startSystemTimer(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
}

function isFree<C extends Credential>(credential: C, { resource, call }: Requirements<C>, now: Date): boolean {
  return credential.freeAt(resource, call.urgency, now) <= now;
}

function earliest(times: readonly Date[]): Date {
  return new Date(Math.min(...times.map((time) => time.getTime())));
}
