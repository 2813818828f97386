import type { Actor } from '../../model/account.ts';
import type { Call } from './call.ts';

/** A sign-in of a person at the host, which the service began. */
export interface BegunSignIn {
  /** The address of this service to which the host sends the browser back. */
  redirectUrl: string;
  state: string;
  /** Bound to the ID token of a host that issues one. */
  nonce: string;
  /** The secret of PKCE (RFC 7636). */
  codeVerifier: string;
}

/** Signs people in with their accounts at the host. Absent: the service is not registered there as a client. */
export interface SignIn {
  /** The origin of the page on which people sign in. */
  readonly origin: string;
  /** Returns the address of that page. */
  begin(begun: BegunSignIn): Promise<string>;
  /**
   * Exchanges the code of the host's response for a token of the person, which proves ownership.
   * @param response the parameters with which the browser came back.
   * @throws AppError `invalid_input` when the response does not belong to this sign-in; `forbidden` when the person or
   * the host refused; `provider_unavailable`.
   */
  finish(begun: BegunSignIn, response: URLSearchParams, signal: AbortSignal): Promise<string>;
  close(): Promise<void>;
}

/** A team of an organization, by the names in its host's addresses; at GitLab a group within a group. */
export interface TeamPlace {
  organization: string;
  /** The immutable id of the organization; at GitLab that of the outermost group. */
  organizationId: string;
  team: string;
}

/** The members of teams, which hosts show to few. Absent: the host has none. */
export interface Teams {
  /**
   * Reads the immutable ids of the members' accounts.
   * @returns null when there is no such team, or when no configured credential can read its members.
   */
  readMembers(place: TeamPlace, call: Call): Promise<readonly string[] | null>;
}

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
