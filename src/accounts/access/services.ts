import type { OwnerServices } from '../../http/pipeline/owner-pipeline.ts';
import type { Counts } from '../../http/pipeline/rate-limits.ts';
import type { RouteServices } from '../resolve.ts';
import type { CheckContext } from './administrators/check.ts';
import type { NewSigningKey, SigningAlgorithm } from './tokens/signing-key-store.ts';

/** The services of the routes by which owners prove their identity and manage their accounts. */
export interface AccessServices extends RouteServices, Pick<OwnerServices, 'confirmOwner'> {
  newId: () => string;
  randomBytes: (size: number) => Buffer;
  newSigningKey: NewSigningKey;
  /** The algorithm that credentials are signed with. */
  credentialAlgorithm: SigningAlgorithm;
  tokenTtlMs: number;
  /** `host` or `host:port` of receivers of messages that may have private addresses or use http. */
  allowedReceivers: ReadonlySet<string>;
  /** Receives the error of a host that could not check an administrator; the last confirmation counts then. */
  onCheckFailure: CheckContext['onFailure'];
  /** Counts attempts, for all nodes. */
  counts: Counts;
}
