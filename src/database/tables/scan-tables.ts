import type { ItemKind } from '../../model/contribution.ts';

/** A page that a running full scan has read. */
export interface ScanPagesTable {
  repository_id: string;
  stream: string;
  /** The contributions on it: the kind and the external id of each. */
  kinds: ItemKind[];
  external_ids: string[];
}

/** Times of the polls of a repository for changes that no delivery reports. */
export interface RepositoryPollsTable {
  repository_id: string;
  next_at: Date;
  interval_s: number;
  /** Digest of the data seen last: another digest means a change. */
  digest: string;
  /** The last change that a poll found or the provider reported; null: none is known. */
  changed_at: Date | null;
}

export interface ErasingTables {
  /** Repositories that are not stored any more, until their rows in `dividedTables` are removed. A trigger writes them. */
  erased_repositories: { repository_id: string };
}
