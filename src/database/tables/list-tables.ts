import type { Generated } from 'kysely';

/** Tables of lists of contributors. `Date` is timestamptz. */

/** A list of contributors, which follows changes in versions. */
export interface RankingsTable {
  id: Generated<number>;
  account_id: string;
  /** Null: all repositories of the account. */
  repository_id: string | null;
  /** True when private repositories are included, except those of the credentials `excluded`. */
  includes_private: boolean;
  excluded: string[];
  version: Generated<number>;
  /** The oldest version whose rows are all stored. */
  oldest_version: Generated<number>;
  /** The number of its people whom every reader sees, without bots. */
  people: Generated<number>;
  built_at: Date;
  /** The last of the people, by id, who are stored and follow changes while the list is being made; null: all of them. */
  made_until: string | null;
  /** Not null: it no longer follows changes, and is not read. */
  ended_at: Date | null;
}

/** A contributor in the versions of a list from `since_version` on, and before `until_version`. */
export interface RanksTable {
  ranking_id: number;
  account_id: string;
  contributions: number;
  /** The name in lower case, as it was when the row was stored. */
  name_key: string;
  /** True when the account is no bot and every reader sees it. */
  is_counted: boolean;
  since_version: number;
  /** Null: the row belongs to the newest version. */
  until_version: number | null;
  ended_at: Date | null;
}

/** Differences that lists follow at the end of a transaction, which empties the table before others see it. */
export interface UnlistedContributorsTable {
  transaction_id: string;
  /** Null: the account itself changed. */
  repository_id: string | null;
  account_id: string;
  added: number;
}
