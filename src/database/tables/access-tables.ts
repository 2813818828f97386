import type { JSONColumnType } from 'kysely';

/** Lifetime totals as the provider counts them for one credential, including the private contributions that it sees. */
export interface ReportedTotalsTable {
  account_id: string;
  credential_name: string;
  counters: JSONColumnType<Record<string, number>>;
  missing: string[];
  /** Data that the provider's module keeps from one request to the next; only that module reads it. */
  provider_memory: JSONColumnType<object> | null;
  fetched_at: Date;
}

/** Keys that sign service tokens, as JWKs. */
export interface SigningKeysTable {
  /** The JWK thumbprint (RFC 7638). */
  id: string;
  public_key: JSONColumnType<Record<string, string>>;
  /** Null once the key no longer signs. */
  private_key: JSONColumnType<Record<string, string>> | null;
  created_at: Date;
  signs_from: Date;
  signs_until: Date;
  /** The time from which no token that the key signed can be valid. */
  published_until: Date;
}

/** Persons who proved that they administer an organization, by the ids of their own accounts at the provider. */
export interface AdministratorsTable {
  account_id: string;
  /** The immutable id at the provider. */
  person: string;
  /** `PROVIDER/NAME` at the last proof. */
  name: string;
  /** The time at which the host last confirmed that the person administers the organization. */
  confirmed_at: Date;
  /** False when no credential of the service can check it; null: not known yet. */
  can_check: boolean | null;
  /** The earliest time of the next check by a credential of the service. */
  check_after: Date;
}

/** The holder of a key or link, and its end. */
interface HeldColumns {
  /** The holder's immutable id at the provider; null: not known, because release 0.3 did not store it. */
  holder: string | null;
  /** `PROVIDER/NAME` of the holder at the time of the registration. */
  holder_name: string | null;
  /** The time at which the key or link was suspended, as in the audit trail; null: it is not suspended. */
  suspended_at: Date | null;
  ended_at: Date | null;
}

/** Public keys that verify an owner's tokens. */
export interface OwnerKeysTable extends HeldColumns {
  account_id: string;
  /** SHA-256 of `spki`, hexadecimal. */
  id: string;
  kind: string;
  /** SubjectPublicKeyInfo, DER. */
  spki: Buffer;
  created_at: Date;
  /** The time at which the key expires. */
  ends_at: Date;
}

export interface RevokedTokensTable {
  account_id: string;
  /** The token's `jti`. */
  token_id: string;
  /** The time at which the token expires anyway. */
  expires_at: Date;
}

/** People who are signed in on the pages. */
export interface SessionsTable {
  /** SHA-256 of the secret in the cookie. */
  secret_hash: Buffer;
  /** The person's own account. */
  account_id: string;
  created_at: Date;
  expires_at: Date;
}

/** Sign-ins that have begun, until the host's response. */
export interface SignInsTable {
  /** SHA-256 of the state, which is also in a cookie. */
  state_hash: Buffer;
  provider: string;
  nonce: string;
  code_verifier: string;
  /** A path of this service. */
  return_to: string;
  /** The name of an organization whose administration the person wants to prove. */
  organization: string | null;
  expires_at: Date;
}

/** Links that open one image each. */
export interface EmbedsTable extends HeldColumns {
  id: string;
  account_id: string;
  path: string;
  format: string;
  /** SHA-256 of the secret that ends the link's address. */
  secret_hash: Buffer;
  created_at: Date;
  /** The time at which the link expires; null: it does not expire. */
  ends_at: Date | null;
}

/** Log of the changes to an account's keys, settings, links and data. */
export interface AuditEntriesTable {
  id: string;
  account_id: string;
  action: string;
  /** The changed object: an id, or the settings after the change. */
  subject: string;
  /** The actor: a name on the provider, or a long-term key. */
  actor: string;
  /** The `jti` of the token that authorized the action, or of the one that was issued. */
  token_id: string | null;
  /** For an issued token, the immutable id of the person to whom it was issued; null: not known. */
  person: string | null;
  at: Date;
}

/** SHA-256 of an account's id, name or addresses that must not be fetched or stored. */
export interface OptOutsTable {
  key: Buffer;
  /** The key of the account's id. All keys with it are removed together. */
  person: Buffer;
  opted_out_at: Date;
}

/** Counts of actions in their current periods, and used allowances (`counts.ts`). */
export interface RateLimitsTable {
  /** A hash of the action's name. */
  key: string;
  count: number;
  /** The end of the period; for an allowance, the time at which all of it is available again. */
  resets_at: Date;
}

/** Counters of a user in a range of days (UTC) as the provider reports them. */
export interface ReportedWindowsTable {
  account_id: string;
  first_day: string;
  last_day: string;
  counters: JSONColumnType<Record<string, number>>;
  fetched_at: Date;
}
