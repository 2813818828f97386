/** Tables of changes: reports of hosts, and logs from which former numbers are computed. `Date` is timestamptz. */

/**
 * Stars that deliveries report as given or taken back, summed for each second. The rows of an account in a repository are
 * deleted some time after the last of its deliveries (`starEventsKeptMs`).
 */
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

/** An item or commit that ceased to count, or that began to count after it was stored; kept for 90 days. */
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
  /** True: it began to count at `changed_at`; false: it ceased to. */
  is_added: boolean;
  /** The time since when it is stored. */
  stored_at: Date;
  changed_at: Date;
}

/** The visibility of a repository until a moment at which it changed; kept for 90 days. */
interface FormerRepositoriesTable {
  repository_id: string;
  owner_id: string;
  is_private: boolean;
  is_deleted: boolean;
  until: Date;
}

/** The only row: the time since when changes are logged. */
interface ChangesKeptTable {
  since: Date;
}

/** The only row: the latest time that may be stored; `infinity`: not known. */
interface LatestTimeTable {
  is_only: boolean;
  until: Date;
}

export interface ChangeTables {
  star_events: StarEventsTable;
  counted_changes: CountedChangesTable;
  former_repositories: FormerRepositoriesTable;
  changes_kept: ChangesKeptTable;
  latest_time: LatestTimeTable;
}
