import type { AccountType } from '../accounts/account.ts';

/** Somebody who contributed to a repository, or to any public repository of an account. */
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

/** What a listing of contributors covers: all repositories that an account owns, or one of them. */
export interface Scope {
  accountId: string;
  repositoryId: string | null;
  /** Whether private repositories are among them. */
  includesPrivate: boolean;
}
