import type { Actor } from '../../model/account.ts';
import type { Contribution, ItemKind } from '../../model/contribution.ts';
import type { Call } from './call.ts';
import type { KnownRepository } from './known.ts';

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
