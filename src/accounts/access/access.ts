import type { Caller } from '../../http/pipeline/caller.ts';
import { TokenCache, type VerifyContext, verifyToken } from './tokens/verify.ts';

/** Verifies service tokens, and caches the results. */
export interface Access {
  /** @throws AppError `unauthenticated` */
  authenticate(token: string): Promise<Caller>;
  /** Returns the caller of a token that was verified before and is still valid; undefined otherwise. */
  recognize(token: string): Caller | undefined;
  /** Invalidates the verified tokens of an account; called after each change of the account. */
  invalidate(accountId: string): void;
  /** Invalidates all verified tokens; called when this node may have missed changes. */
  clear(): void;
}

/**
 * Creates the verification of service tokens.
 * @param context.isLive returns whether this node receives changes; while it does not, no cached result is used.
 */
export function createAccess(context: VerifyContext & { isLive: () => boolean }): Access {
  const cache = new TokenCache(context.now);
  const recognize = (token: string): Caller | undefined => (context.isLive() ? cache.recognize(token) : undefined);
  return {
    recognize,
    authenticate: async (token) =>
      recognize(token) ?? (await cache.verify(token, (unknown) => verifyToken(context, unknown))),
    invalidate: (accountId) => cache.invalidate(accountId),
    clear: () => cache.clear(),
  };
}
