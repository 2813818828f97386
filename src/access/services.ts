import type { RouteServices } from '../accounts/resolve.ts';
import type { Counts } from '../http/rate-limits.ts';
import type { SigningKey } from './tokens/signing-key.ts';

/** The services of the routes by which owners prove their identity and manage their accounts. */
export interface AccessServices extends RouteServices {
  newId: () => string;
  randomBytes: (size: number) => Buffer;
  newSigningKey: () => Promise<SigningKey>;
  tokenTtlMs: number;
  /** Counts attempts, for all nodes. */
  counts: Counts;
}
