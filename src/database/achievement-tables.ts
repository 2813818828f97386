import type { Generated, JSONColumnType } from 'kysely';

/** Tables of achievements and of who earned them. */

/** The file of achievements of an installed repository, as it was read last. */
export interface AchievementFilesTable {
  repository_id: string;
  /** The newest commit of the default branch then; null: there was none. */
  revision: string | null;
  /** Null: there is no file. */
  path: string | null;
  /** The blob's name in git. */
  oid: string | null;
  text: string;
  /** What is wrong with it, with places. */
  reports: JSONColumnType<object[]>;
  read_at: Date;
}

/** Achievements that a repository has or had, known by their names. */
export interface AchievementsTable {
  id: string;
  repository_id: string;
  name: string;
  /** An address, or a path in the repository; empty: none. */
  icon: string;
  description: string;
  /** Null: earned at any time. Else the moment as of which everybody is judged, once. */
  judged_at: Date | null;
  /** When that was done. */
  settled_at: Date | null;
  /** Whether the file has it, without errors. */
  is_current: boolean;
}

/** That somebody earned an achievement. */
export interface AwardsTable {
  id: string;
  achievement_id: string;
  account_id: string;
  /** What the repository was called then. */
  repository_name: string;
  /** When it was earned. */
  awarded_at: Date;
  /** When that was noticed. */
  created_at: Date;
  /** Null: it stands. */
  revoked_at: Date | null;
  revoked_reason: string | null;
}

/** What has to be judged: written in the same transaction as the change that it may follow from. */
export interface AchievementWorkTable {
  id: Generated<string>;
  repository_id: string;
  /** Null: all that the kind matters to. */
  achievement_id: string | null;
  /** Null: everybody. */
  account_id: string | null;
  /** What changed: a kind of contribution, or `commit`; null: anything. */
  kind: string | null;
}
