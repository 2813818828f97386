/** A user, organization or bot on a provider: what the interface calls an entity. */
export type AccountType = 'user' | 'organization' | 'bot';

/** A link to a profile elsewhere. */
export interface Social {
  provider: string;
  name: string;
  url: string;
}

/** What every mention of an account by its provider tells. */
export interface Actor {
  /** The provider's immutable id. */
  externalId: string;
  /** What the provider's API calls the account by; empty when the mention did not say. */
  handle: string;
  type: AccountType;
  /** As the provider spells it. */
  name: string;
  displayName: string;
  avatarUrl: string;
  /** The name was read in an old commit: it never replaces one that the provider told. */
  nameMayBeOld?: true;
  /** The mention says no display name, and no address of the avatar but the plain one: neither replaces a stored one. */
  isBrief?: true;
  /** Whether the host shows the account to everybody; absent: the mention does not say. */
  isPublic?: boolean;
}

/** The whole record, as the provider tells it when asked for the account itself. */
export interface AccountFacts extends Actor {
  website: string;
  description: string;
  /** Null: the provider was not asked. */
  socials: Social[] | null;
  /** Null: the provider did not tell this time. */
  followers: number | null;
  following: number | null;
}

/** How names are compared everywhere. */
export function nameKey(name: string): string {
  return name.toLowerCase();
}
