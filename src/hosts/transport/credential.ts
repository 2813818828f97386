import type { Call } from '../interface/call.ts';
import type { CredentialUse } from '../interface/credential-use.ts';
import { Backoff } from './backoff.ts';
import { type LimitReport, Quota } from './quota.ts';
import type { Secret } from './secret.ts';
import type { Slots } from './slots.ts';

/**
 * How long a refused credential is set aside, in ms: a few seconds after the first refusal, because hosts send single
 * ones by mistake; longer after another one without a success between them. Then it is tried again.
 */
const refusedForMs = { first: 5000, again: 600_000 };

export interface CredentialOptions {
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
