import type { AccountType } from '../accounts/account.ts';

/** An account that contributed to a repository, or to any public repository of an account. */
export interface Contributor {
  /** Place in the listing, from 1. */
  rank: number;
  id: string;
  provider: string;
  type: AccountType;
  name: string;
  displayName: string;
  avatarUrl: string;
  /** Commits, issues, pull requests, reviews and discussions in all. */
  contributions: number;
  createdAt: Date;
}

/** The repositories that a listing of contributors covers: all that an account owns, or one of them. */
export interface Scope {
  accountId: string;
  repositoryId: string | null;
  /** True when private repositories are included. */
  includesPrivate: boolean;
}
