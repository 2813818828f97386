/** Tables of changes: reports of hosts, and logs with which numbers are compared with former ones. `Date` is timestamptz. */

/** Deliveries about stars, summed for each second; deleted when no delivery of the account arrived for long. */
interface StarEventsTable {
  repository_id: string;
  /** The account's id at its host. */
  external_id: string;
  /** The row at `-infinity` says whether the star was stored before the first delivery: 1, or -1. */
  at: Date;
  /** The number of times it was given minus the number of times it was taken back. */
  balance: number;
  recorded_at: Date;
}

/** Something that ceased to count, or that is stored longer than it counts; kept for 90 days. */
interface CountedChangesTable {
  repository_id: string;
  kind: string;
  /** The id at the host; that of a commit is hexadecimal. */
  external_id: string;
  number: number | null;
  /** The counter of which it was, or is, an item. */
  counter: string;
  /** Null where no account is known; such items count for the owner of the repository alone. */
  account_id: string | null;
  /** The moment at which it counts in a window of time. */
  at: Date;
  is_co_authored: boolean;
  /** False: it ceased to count at `changed_at`. */
  is_added: boolean;
  /** Since when the item was stored. */
  stored_at: Date;
  changed_at: Date;
}

/** How a repository was visible until a moment; kept for 90 days. */
interface FormerRepositoriesTable {
  repository_id: string;
  owner_id: string;
  is_private: boolean;
  is_deleted: boolean;
  until: Date;
}

/** One row: since when changes are kept. */
interface ChangesKeptTable {
  since: Date;
}

export interface ChangeTables {
  star_events: StarEventsTable;
  counted_changes: CountedChangesTable;
  former_repositories: FormerRepositoriesTable;
  changes_kept: ChangesKeptTable;
}
