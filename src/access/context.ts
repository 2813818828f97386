import type { AccountRouteContext } from '../accounts/routes.ts';
import type { Counts } from '../http/rate-limits.ts';
import type { SigningKey } from './tokens/signing-key.ts';

/** What the routes need by which owners prove who they are and manage what is theirs. */
export interface AccessContext extends AccountRouteContext {
  newId: () => string;
  randomBytes: (size: number) => Buffer;
  newSigningKey: () => Promise<SigningKey>;
  tokenTtlMs: number;
  /** Counts attempts, for all nodes. */
  counts: Counts;
}
