import type { Actor } from '../../model/account.ts';
import type { Contribution, ItemKind } from '../../model/contribution.ts';
import type { Call, KnownRepository } from './call.ts';

/** One way of reading contributions to a repository, page by page. */
export interface Stream {
  name: string;
  /** The kinds that are complete once the stream is read to its end. The stream lists items of the first kind. */
  covers: readonly (ItemKind | 'commit')[];
  /** True when the stream is read for installed repositories only. */
  isForInstalled?: boolean;
}

/** The place where reading continues. */
export interface Position {
  /** Null: begin with the newest change. */
  cursor: string | null;
  /** Stop at items that have not changed since this time; null: read to the end. */
  since: Date | null;
  /** The number of items to request; null: the largest page of the provider. */
  pageSize: number | null;
  /** True when contributions are read with their details, as for installed repositories. */
  isDeep: boolean;
}

export interface ContributionPage {
  contributions: Contribution[];
  /** All actors that the contributions name. */
  actors: Actor[];
  /** The pull requests whose reviews are all among the contributions. */
  wholeParents: string[];
  nextCursor: string | null;
  /** The total number of items of the stream's first kind as the provider reports it; null: it reports none. */
  total: number | null;
  /** The number of items to request for the next page, adapted to the load that the provider accepts. */
  pageSize: number;
  /**
   * In a list that begins with the newest change, the time of the last item's change; absent: there is none, or another
   * order.
   */
  reachedAt?: Date | null;
  /** True when the host does not show the list with this credential, so that the empty page proves nothing. */
  isWithheld?: true;
}

/**
 * The items of repositories. Absent where a host shows none; the kinds that no stream covers are `missing` in
 * responses.
 */
export interface Streams {
  /** The streams that the configured credentials can read. */
  readonly list: readonly Stream[];
  /** Reads a page of a stream, newest change first. */
  read(stream: string, repository: KnownRepository, position: Position, call: Call): Promise<ContributionPage>;
}

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
