import type { AccountType } from '../../model/account.ts';

/** An account that contributed to a repository, or to any public repository of an account. */
export interface Contributor {
  id: string;
  provider: string;
  type: AccountType;
  name: string;
  /** The name in lower case by which the list is ordered. After a rename, the list has the new name with a delay. */
  nameKey: string;
  displayName: string;
  avatarUrl: string;
  /** Commits, issues, pull requests, reviews and discussions in all. */
  contributions: number;
  createdAt: Date;
}

/** The place of a contributor in the order of a list. */
export interface Place {
  contributions: number;
  nameKey: string;
  accountId: string;
}

/** A version of a list, which never changes. */
export interface Version {
  id: number;
  version: number;
}

/** The newest version of a list. */
export interface Ranking extends Version {
  /** The number of contributors whom every reader sees, without bots. */
  people: number;
}

/** The repositories that a listing of contributors covers: all that an account owns, or one of them. */
export interface Scope {
  accountId: string;
  repositoryId: string | null;
  /** True when private repositories are included. */
  includesPrivate: boolean;
}

/** Returns the scope of the list of an account that is shown to the public. */
export function publicList(accountId: string): Scope {
  return { accountId, repositoryId: null, includesPrivate: false };
}
