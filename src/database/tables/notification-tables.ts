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
