import type { Caller } from '../http/caller.ts';
import { TokenCache } from './tokens/token-cache.ts';
import { type VerifyContext, verifyToken } from './tokens/verify.ts';

/** Finds out whom service tokens speak for. */
export interface Access {
  /** @throws AppError `unauthenticated` */
  authenticate(token: string): Promise<Caller>;
  /** The same where it was found out before and still holds; undefined otherwise. */
  recognize(token: string): Caller | undefined;
  /** Something about an account changed: what was found out about its tokens does not hold any more. */
  forget(accountId: string): void;
  /** Changes may have been missed. */
  clear(): void;
}

/** @param context.isLive whether changes are heard of; while they are not, nothing that was found out before is relied on. */
export function createAccess(context: VerifyContext & { isLive: () => boolean }): Access {
  const cache = new TokenCache(context.now);
  const recognize = (token: string): Caller | undefined => (context.isLive() ? cache.recognize(token) : undefined);
  return {
    recognize,
    authenticate: async (token) =>
      recognize(token) ?? (await cache.verify(token, (unknown) => verifyToken(context, unknown))),
    forget: (accountId) => cache.forget(accountId),
    clear: () => cache.clear(),
  };
}
