import type { Generated, JSONColumnType } from 'kysely';

/** Receivers that a repository's achievements file names for notifications about awards. */
export interface RepositoryWebhooksTable {
  repository_id: string;
  /** The receiver's name in the file. */
  name: string;
  kind: 'github' | 'http' | 'slack' | 'discord';
  target: JSONColumnType<{ url: string } | { repository: string; title: string }>;
  /** SHA-256 of kind and target, hexadecimal; identifies the receiver. */
  receiver: string;
  /** Names of the achievements that it is notified about. */
  achievements: string[];
}

/** The outbox: one row for each award and receiver. */
export interface NotificationsTable {
  id: string;
  award_id: string;
  /** The account that earned the award. */
  account_id: string;
  repository_id: string;
  webhook: string;
  kind: RepositoryWebhooksTable['kind'];
  target: RepositoryWebhooksTable['target'];
  receiver: string;
  /** The content of the notification, the same at each attempt. */
  content: JSONColumnType<{ person: string; achievement: string; repository: string; awardedAt: string }>;
  state: 'waiting' | 'sent' | 'dead';
  attempts: Generated<number>;
  next_attempt_at: Date;
  last_attempt_at: Date | null;
  /** The time from which a failing attempt is the last one. */
  give_up_at: Date;
  /** Why the last attempt failed, in words for the owner. */
  error: string | null;
  created_at: Date;
  ended_at: Date | null;
}

/** Receivers that did not accept the last notification. */
export interface FailingReceiversTable {
  receiver: string;
  /** Failures in a row. */
  failures: number;
  /** The time before which nothing is sent to the receiver. */
  resumes_at: Date;
}

/** Secrets that sign the messages to an address. */
export interface WebhookSecretsTable {
  id: string;
  account_id: string;
  url: string;
  receiver: string;
  secret: Buffer;
  /** The previous secret, with which messages are signed too until `former_until`. */
  former_secret: Buffer | null;
  former_until: Date | null;
  changed_at: Date;
}

type StoredJwk = { kty: string } & Record<string, string>;

/** Keys that sign credentials, as JWKs that stay published. */
export interface CredentialKeysTable {
  /** The JWK thumbprint (RFC 7638). */
  id: string;
  public_key: JSONColumnType<StoredJwk>;
  created_at: Date;
  signs_until: Date;
}

/** The private keys, stored as long as they sign. */
export interface CredentialSignersTable {
  key_id: string;
  private_key: JSONColumnType<StoredJwk>;
}

/** Entries of status lists: one bit for each credential that was issued. */
export interface CredentialStatusesTable {
  list: number;
  /** The index of the bit in the list. */
  position: number;
  /** Null when the credential is revoked: the award was revoked or erased. */
  award_id: string | null;
}

/** Keys that all nodes share. */
export interface SecretsTable {
  name: string;
  value: Buffer;
}

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
