import type { Actor } from '../../model/account.ts';
import type { Call } from './call.ts';
import type { KnownRepository } from './known.ts';
import type { Stream } from './streams.ts';

/**
 * Accounts by email address in lower case. Null: the address has no account, because the host showed a commit that the
 * address authored or committed, without an account.
 */
export type CommitOwners = Map<string, Actor | null>;

/** The stream of commits, which is read with git. */
export const historyStream: Stream = { name: 'commits', covers: ['commit'] };

/** The git remote of a repository. */
export interface GitRemote {
  url: string;
  /** The value of the Authorization header; undefined: none is needed. */
  authorization: string | undefined;
}

/** An email address in a commit, whose account is looked up. */
export interface CommitIdentity {
  /** In lower case. */
  email: string;
  /** The id of a commit that names the address. */
  oid: string;
  /** True when the commit names the address as a co-author, which some hosts show nowhere; else it is the author's. */
  isCoAuthor?: boolean;
}

/** The git histories of repositories, and the accounts of their authors. Absent: commits are `missing` in responses. */
export interface History {
  toRemote(repository: KnownRepository, signal: AbortSignal): Promise<GitRemote>;
  /**
   * The number of addresses to look up in one call; few requests must suffice, because an error loses the whole call.
   */
  readonly identitiesAtOnce: number;
  /**
   * Looks up the accounts of email addresses. An address that is not in the result remains unknown: the host does not
   * show its commit, or shows the commit without the address.
   */
  resolveIdentities(repository: KnownRepository, identities: CommitIdentity[], call: Call): Promise<CommitOwners>;
}

/**
 * Adds the account that a commit shows for an address. A commit without an account does not replace a known account.
 */
export function addOwner(owners: CommitOwners, email: string, owner: Actor | null): void {
  const address = email.toLowerCase();
  if (owner !== null || !owners.has(address)) owners.set(address, owner);
}
