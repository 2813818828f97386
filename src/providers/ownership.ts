import type { Actor } from '../accounts/account.ts';

/** The result of checking a presented credential. */
export interface OwnershipProof {
  /** The account of the credential. */
  bearer: { externalId: string; name: string };
  /** The account of the requested name if the bearer owns or administers it; else null. */
  owned: Actor | null;
}

/** Proofs that a client owns an account. Absent: no client can act as the owner of an account at this host. */
export interface Ownership {
  /**
   * Finds the bearer of a credential that a client presents, and whether the bearer owns the account of a name.
   * @throws AppError `unauthenticated` when the host does not accept the credential.
   */
  prove(credential: string, name: string, signal: AbortSignal): Promise<OwnershipProof>;
}
