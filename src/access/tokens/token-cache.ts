import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../http/caller.ts';

const maxTokens = 10_000;
const maxForgotten = 10_000;

/**
 * Remembers whom verified tokens speak for, by their hashes, until they expire or anything about the account changes on
 * any node: a revocation, a removed key, an erasure.
 */
export class TokenCache {
  readonly #callers = new LRUCache<string, { caller: Caller; verifiedAt: number }>({ max: maxTokens });
  /** When, in changes, the tokens of an account were last forgotten. */
  readonly #forgotten = new Map<string, number>();
  readonly #now: () => Date;
  #changes = 0;

  constructor(now: () => Date) {
    this.#now = now;
  }

  recognize(token: string): Caller | undefined {
    const known = this.#callers.get(hashOf(token));
    if (known === undefined || known.caller.expiresAt <= this.#now().getTime()) return undefined;
    const forgottenAt = this.#forgotten.get(known.caller.accountId) ?? 0;
    return forgottenAt > known.verifiedAt ? undefined : known.caller;
  }

  /** Verifies a token that is not known, and remembers it from when that began: what changes meanwhile forgets it. */
  async verify(token: string, verify: (token: string) => Promise<Caller>): Promise<Caller> {
    const verifiedAt = this.#changes;
    const caller = await verify(token);
    // Forgotten meanwhile together with all that was forgotten before.
    if (verifiedAt >= this.#cleared) this.#callers.set(hashOf(token), { caller, verifiedAt });
    return caller;
  }

  /** Forgets the tokens of an account. */
  forget(accountId: string): void {
    if (this.#forgotten.size >= maxForgotten) this.clear();
    this.#changes += 1;
    this.#forgotten.set(accountId, this.#changes);
  }

  clear(): void {
    this.#changes += 1;
    this.#cleared = this.#changes;
    this.#forgotten.clear();
    this.#callers.clear();
  }

  #cleared = 0;
}

/** So that no token lies about in memory. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
