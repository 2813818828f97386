import type { Actor } from '../../model/account.ts';
import type { Call } from './call.ts';

/** A stored organization. The name may be out of date. */
export type KnownOrganization = Pick<Actor, 'externalId' | 'name'>;

/** The result of checking a presented credential. */
export interface OwnershipProof {
  /** The account of the credential. */
  bearer: { externalId: string; name: string };
  /** The account of the requested name if the bearer owns or administers it; else null. */
  owned: Actor | null;
}

/** The result of a check. `cannot_check`: no configured credential sees all administrators of the organization. */
export type Administers = 'yes' | 'no' | 'cannot_check';

/** Proofs that a client owns an account. Absent: no client can act as the owner of an account at this host. */
export interface Ownership {
  /**
   * Finds the bearer of a credential that a client presents, and whether the bearer owns the account of a name.
   * @param name empty: the bearer alone is found.
   * @throws AppError `unauthenticated` when the host does not accept the credential.
   */
  prove(credential: string, name: string, signal: AbortSignal): Promise<OwnershipProof>;
  /**
   * Checks with the configured credentials whether a person still administers an organization. Absent: no credential of
   * the service can check it.
   * @param person the person's immutable id; names may belong to another account by now.
   * @throws AppError when the host gives no usable response.
   */
  administers?(organization: KnownOrganization, person: string, call: Call): Promise<Administers>;
}

/** Returns whether two names are those of one account: hosts ignore the case of letters. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
