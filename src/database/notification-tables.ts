import type { Generated, JSONColumnType } from 'kysely';

/** Where a repository's file wants awards to be told. */
export interface RepositoryWebhooksTable {
  repository_id: string;
  /** As the file calls it. */
  name: string;
  kind: 'github' | 'http' | 'slack' | 'discord';
  target: JSONColumnType<{ url: string } | { repository: string; title: string }>;
  /** SHA-256 of kind and target, hexadecimal: who is spoken to. */
  receiver: string;
  /** Names of the achievements that are told. */
  achievements: string[];
}

/** The outbox: one row for an award and a receiver. */
export interface NotificationsTable {
  id: string;
  award_id: string;
  /** Whose award it is. */
  account_id: string;
  repository_id: string;
  webhook: string;
  kind: RepositoryWebhooksTable['kind'];
  target: RepositoryWebhooksTable['target'];
  receiver: string;
  /** What is told, the same at each attempt. */
  content: JSONColumnType<{ person: string; achievement: string; repository: string; awardedAt: string }>;
  state: 'waiting' | 'sent' | 'dead';
  attempts: Generated<number>;
  next_attempt_at: Date;
  last_attempt_at: Date | null;
  /** An attempt that fails from then on is the last one. */
  give_up_at: Date;
  /** Why the last attempt failed, in words for the owner. */
  error: string | null;
  created_at: Date;
  settled_at: Date | null;
}

/** Receivers that did not take what was sent last. */
export interface FailingReceiversTable {
  receiver: string;
  /** In a row. */
  failures: number;
  /** It is left alone until then. */
  resumes_at: Date;
}

/** What messages to an address are signed with. */
export interface WebhookSecretsTable {
  id: string;
  account_id: string;
  url: string;
  receiver: string;
  secret: Buffer;
  /** The one before, with which messages are signed too until `former_until`. */
  former_secret: Buffer | null;
  former_until: Date | null;
  changed_at: Date;
}

/** What credentials are signed with: JWKs that stay published. */
export interface CredentialKeysTable {
  /** The JWK thumbprint (RFC 7638). */
  id: string;
  public_key: JSONColumnType<Record<string, string>>;
  created_at: Date;
  signs_until: Date;
}

/** The private parts, as long as they sign. */
export interface CredentialSignersTable {
  key_id: string;
  private_key: JSONColumnType<Record<string, string>>;
}
