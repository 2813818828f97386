/** A user, organization or bot on a provider; the API calls it an entity. */
export type AccountType = 'user' | 'organization' | 'bot';

/** A link to a profile elsewhere. */
export interface Social {
  provider: string;
  name: string;
  url: string;
}

/** The facts about an account that a provider sends wherever it mentions the account. */
export interface Actor {
  /** The provider's immutable id. */
  externalId: string;
  /** The key by which the provider's API addresses the account; empty when the mention lacks it. */
  handle: string;
  type: AccountType;
  /** As the provider spells it. */
  name: string;
  displayName: string;
  avatarUrl: string;
  /** True when the name comes from an old commit: it never replaces a name that the provider itself reported. */
  nameMayBeOld?: true;
  /**
   * True when the mention lacks the display name and has only the plain avatar URL: neither replaces a stored value.
   */
  isBrief?: true;
  /** True when the host shows the account to the public; absent when the mention does not say. */
  isPublic?: boolean;
}

/** The whole record of an account, which only a request for the account itself returns. */
export interface AccountFacts extends Actor {
  website: string;
  description: string;
  /** Null when they were not fetched. */
  socials: Social[] | null;
  /** Null when the response lacked the number. */
  followers: number | null;
  following: number | null;
}

/** Returns the key by which names are compared: the letter case does not matter. */
export function nameKey(name: string): string {
  return name.toLowerCase();
}

/**
 * Returns the name of an account as a part of a path. Groups of GitLab below another are written `group:sub`, because
 * proxies such as Traefik and Apache refuse `%2F`; no host has names with colons.
 */
export function toPathPart(name: string): string {
  return encodeURIComponent(name).replaceAll('%2F', ':');
}

/** An account as it is stored. */
export interface Account extends AccountFacts {
  id: string;
  provider: string;
  /** Null where the host does not show them. */
  followers: number | null;
  following: number | null;
  experience: number;
  /** The time of the last request for the whole record; null when the account is known only as a contributor. */
  fetchedAt: Date | null;
  /** The time when the host last reported whether it shows the account; null: never. */
  checkedAt: Date | null;
  /** True for an account that is never refreshed, such as one of the sample data, because no host has it. */
  pinned: boolean;
  /** True when the owner hides the account from all others. */
  hidden: boolean;
  /** True when the host does not show the account to the public. */
  hiddenByHost: boolean;
  /** True when the owner publishes the numbers of private contributions. */
  publishesPrivate: boolean;
  /** The time of a change of visibility after which the host's totals were not fetched yet; null: they were. */
  totalsWantedAt: Date | null;
  /** Data that the provider's module keeps about the account. */
  memory: object | null;
  createdAt: Date;
  updatedAt: Date;
}
