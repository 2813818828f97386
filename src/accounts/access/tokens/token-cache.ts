import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../../http/pipeline/caller.ts';

const maxTokens = 10_000;
const maxForgotten = 10_000;

/**
 * Caches the callers of verified tokens, by the hash of the token, until the token expires or anything about the
 * account changes on any node: a revocation, a removed key, an erasure.
 */
export class TokenCache {
  readonly #callers = new LRUCache<string, { caller: Caller; verifiedAt: number }>({ max: maxTokens });
  /** For each account, the value of `#changes` when its tokens were last forgotten. */
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

  /**
   * Verifies an unknown token, and caches the result with the number of changes at its start, so that a change during
   * the verification invalidates it.
   */
  async verify(token: string, verify: (token: string) => Promise<Caller>): Promise<Caller> {
    const verifiedAt = this.#changes;
    const caller = await verify(token);
    // A token whose verification began before the last `clear` is not cached.
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

/** Hashes a token, so that no token stays in memory. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64');
}
