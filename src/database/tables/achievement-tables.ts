import type { Generated, JSONColumnType } from 'kysely';

/** Tables of achievements and of their awards. */

/** The achievements file of an installed repository, as it was last read. */
interface AchievementFilesTable {
  repository_id: string;
  /** The newest commit of the default branch at that time; null when there was none. */
  revision: string | null;
  /** Null when there is no file. */
  path: string | null;
  /** The blob's id in git. */
  oid: string | null;
  text: string;
  /** Errors and warnings about the file, with their positions. */
  reports: JSONColumnType<object[]>;
  read_at: Date;
}

/** Achievements that a repository has or had, identified by name. */
interface AchievementsTable {
  id: string;
  repository_id: string;
  name: string;
  /** An address, or a path in the repository; empty: none. */
  icon: string;
  description: string;
  /** The moment as of which all accounts are evaluated, once; null when the achievement can be earned at any time. */
  evaluate_at: Date | null;
  /** The time when that evaluation was done. */
  evaluated_at: Date | null;
  /** True when the file contains it without errors. */
  is_current: boolean;
}

/** Awards of achievements to accounts. */
interface AwardsTable {
  id: string;
  achievement_id: string;
  account_id: string;
  /** The repository's name at that time. */
  repository_name: string;
  /** The time when the achievement was earned. */
  awarded_at: Date;
  /** The time when the service noticed that. */
  created_at: Date;
  /** The time when it was imported from another service; null when it was awarded here. */
  imported_at: Date | null;
  /** The id that the other service gave to this award, when it was awarded here too. */
  imported_id: string | null;
  /** Null while the award stands. */
  revoked_at: Date | null;
  revoked_reason: string | null;
  /** The time when the host last said whether the account may see the private repository; null: it has not yet. */
  access_checked_at: Date | null;
  has_access: boolean | null;
}

/** Pending evaluations, written in the same transaction as the changes that require them. */
interface PendingEvaluationsTable {
  id: Generated<string>;
  repository_id: string;
  /** Null: all achievements that the kind matters to. */
  achievement_id: string | null;
  /** Null: all accounts. */
  account_id: string | null;
  /** The changed kind of contribution, or `commit`. Null stands for every kind. */
  kind: string | null;
}

/** An address whose account changed, while evaluations in repositories that use it are still to be queued. */
interface ChangedIdentitiesTable {
  id: Generated<string>;
  identity_id: number;
  /** The accounts before and after. */
  account_ids: (string | null)[];
  /** The last repository in which they are queued. */
  queued_until: string;
}

export interface AchievementTables {
  achievement_files: AchievementFilesTable;
  achievements: AchievementsTable;
  awards: AwardsTable;
  pending_evaluations: PendingEvaluationsTable;
  changed_identities: ChangedIdentitiesTable;
}
