import { createHash } from 'node:crypto';
import PQueue from 'p-queue';
import { type Call, type CredentialUse, hasCaller, type Urgency } from '../interface/call.ts';
import { type LimitReport, Quota } from './limits.ts';

/** The secret of a credential: configured, or fetched when it is needed. */
export interface Secret {
  get(signal: AbortSignal): Promise<string>;
  /** Records that the host rejected a secret. @returns whether there may be another one. */
  reject(secret: string): boolean;
}

interface SlotLimits {
  /** The most requests in flight. */
  all: number;
  /** The most requests in flight for which no caller waits; the other slots stay free for those of callers. */
  background: number;
  /** The most requests that wait for a slot. */
  waiting: number;
}

const priorities: Record<Urgency, number> = { owner: 2, interactive: 1, background: 0, bulk: 0 };

/**
 * The slots for requests that a host limits together. The next free slot is for the waiting requests of owners, then
 * for those of visitors; requests of the same urgency get slots in the order in which they came.
 */
export class Slots {
  readonly #all: PQueue;
  /** Requests without a caller pass through this queue first, which admits as many as may be in flight. */
  readonly #background: PQueue;
  readonly #maxWaiting: number;

  constructor({ all, background, waiting }: SlotLimits) {
    this.#all = new PQueue({ concurrency: all });
    this.#background = new PQueue({ concurrency: background });
    this.#maxWaiting = waiting;
  }

  get isFull(): boolean {
    return this.#all.size + this.#background.size >= this.#maxWaiting;
  }

  /**
   * Calls `begin` as soon as a slot is free, at once if one is, and keeps the slot until the returned promise settles.
   * @throws the signal's reason when the signal aborts.
   */
  async hold(urgency: Urgency, signal: AbortSignal, begin: () => Promise<void>): Promise<void> {
    const options = { priority: priorities[urgency], signal };
    if (hasCaller(urgency)) await this.#all.add(begin, options);
    else await this.#background.add(() => this.#all.add(begin, options), options);
  }
}

/** The wait after a refusal that names no time: a minute, then twice the last wait, at most an hour. */
const firstWaitMs = 60_000;
const maxWaitMs = 3_600_000;

/** The time without requests after a host refused one because of its limits. */
export class Backoff {
  #until = new Date(0);
  #waitMs = firstWaitMs;

  /** The time of the next request. */
  get until(): Date {
    return this.#until;
  }

  /** @param until the time that the host named; undefined: it named none, and each further refusal doubles the wait. */
  block(until: Date | undefined, now: Date): void {
    const end = until ?? new Date(now.getTime() + this.#waitMs);
    if (end > this.#until) this.#until = end;
    if (until === undefined) this.#waitMs = Math.min(this.#waitMs * 2, maxWaitMs);
  }

  /** Makes the next wait the first one again, after a request succeeded. */
  forgive(): void {
    this.#waitMs = firstWaitMs;
  }
}

/**
 * How long a refused credential is set aside, in ms: a few seconds after the first refusal, because hosts send single
 * ones by mistake; longer after another one without a success between them. Then it is tried again.
 */
const refusedForMs = { first: 5000, again: 600_000 };

interface CredentialOptions {
  /** Undefined: requests are sent without a secret. */
  secret: Secret | undefined;
  /** The name in stored data that the credential shows, which reveals nothing of the secret. Empty: there is none. */
  name: string;
  /** The slots of its requests, which may be those of other credentials, too. */
  slots: Slots;
  /** The backoff after its refusals, which may be that of other credentials, too. */
  backoff?: Backoff;
}

/** A credential, or its absence, with all that limits its requests. */
export class Credential {
  readonly secret: Secret | undefined;
  readonly name: string;
  readonly slots: Slots;
  readonly backoff: Backoff;
  readonly #quotas = new Map<string, Quota>();
  #refusedUntil = new Date(0);
  #isSuspected = false;

  constructor({ secret, name, slots, backoff = new Backoff() }: CredentialOptions) {
    this.secret = secret;
    this.name = name;
    this.slots = slots;
    this.backoff = backoff;
  }

  /** Returns the earliest time of a request; `now` when one may be sent. @param resource a part of the host's API. */
  freeAt(resource: string, urgency: Call['urgency'], now: Date): Date {
    return latest(now, this.backoff.until, this.quota(resource).usedUpUntil(urgency, now));
  }

  /** Counts a request that is about to be sent. */
  take(resource: string, _now: Date): void {
    this.quota(resource).take();
  }

  updateQuota(resource: string, report: LimitReport): void {
    this.quota(resource).update(report);
  }

  quota(resource: string): Quota {
    const known = this.#quotas.get(resource) ?? new Quota();
    this.#quotas.set(resource, known);
    return known;
  }

  /** Sets the credential aside after the host rejected it. Requests that were sent at the same time count once. */
  refuse(now: Date): void {
    if (this.isRefused(now)) return;
    this.#refusedUntil = new Date(now.getTime() + (this.#isSuspected ? refusedForMs.again : refusedForMs.first));
    this.#isSuspected = true;
  }

  /** Notes that the host accepted the credential. */
  accept(): void {
    this.#isSuspected = false;
  }

  /** Returns the state of the credential, by the host's responses to this process. */
  use(now: Date): Omit<CredentialUse, 'kind'> {
    const quotas = [...this.#quotas].flatMap(([resource, quota]) => {
      const current = quota.remaining(now);
      return current === undefined ? [] : { resource, limit: current.limit, remaining: current.remaining };
    });
    const isUsedUp = [...this.#quotas.values()].some((quota) => quota.usedUpUntil('background', now) !== undefined);
    const isLimited = isUsedUp || this.backoff.until > now;
    const state = this.#isSuspected ? 'refused' : isLimited ? 'limited' : 'usable';
    return { state, quotas };
  }

  isRefused(now: Date): boolean {
    return this.#refusedUntil > now;
  }
}

export function latest(...times: (Date | undefined)[]): Date {
  return new Date(Math.max(...times.map((time) => time?.getTime() ?? 0)));
}

export function fixedSecret(secret: string): Secret {
  return { get: async () => secret, reject: () => false };
}

/** Returns a name for a credential that reveals nothing of it. */
export function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 16);
}
