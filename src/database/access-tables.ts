import type { JSONColumnType } from 'kysely';

/** Lifetime totals as the provider counts them for one credential, with what is private and that one sees. */
export interface SeenTotalsTable {
  account_id: string;
  access: string;
  counters: JSONColumnType<Record<string, number>>;
  missing: string[];
  /** What the provider's module wants to remember between two questions; only it reads this. */
  provider_memory: JSONColumnType<object> | null;
  asked_at: Date;
}

/** What service tokens are signed with; JWKs. */
export interface SigningKeysTable {
  /** The JWK thumbprint (RFC 7638). */
  id: string;
  public_key: JSONColumnType<Record<string, string>>;
  /** Null once it signs no more. */
  private_key: JSONColumnType<Record<string, string>> | null;
  created_at: Date;
  signs_from: Date;
  signs_until: Date;
  /** From then on no token can be valid that it signed. */
  published_until: Date;
}

/** Public keys with which an owner's tokens are verified. */
export interface OwnerKeysTable {
  account_id: string;
  /** SHA-256 of `spki`, hexadecimal. */
  id: string;
  kind: string;
  /** SubjectPublicKeyInfo, DER. */
  spki: Buffer;
  created_at: Date;
}

export interface RevokedTokensTable {
  account_id: string;
  /** The token's `jti`. */
  token_id: string;
  /** No such token can be valid any more. */
  expires_at: Date;
}

/** Links that open one picture each. */
export interface EmbedsTable {
  id: string;
  account_id: string;
  path: string;
  format: string;
  /** SHA-256 of what the link's address ends with. */
  secret_hash: Buffer;
  created_at: Date;
}

/** Who did what to an account's keys, settings, links and data. */
export interface AuditEntriesTable {
  id: string;
  account_id: string;
  action: string;
  /** What was done to: an id, or the settings as they are from then on. */
  subject: string;
  /** Who did it: a name on the provider, or a long-term key. */
  actor: string;
  /** The `jti` of the token that it was done with, or of the one that was issued. */
  token_id: string | null;
  at: Date;
}

/** SHA-256 of what is not to be asked for or stored: an account's id, its name, its addresses. */
export interface OptOutsTable {
  key: Buffer;
  /** The key of the account's id: what belongs together is let go together. */
  person: Buffer;
  opted_out_at: Date;
}

/** How often something was done within its present period. */
export interface RateLimitsTable {
  /** A hash. */
  key: string;
  count: number;
  resets_at: Date;
}
