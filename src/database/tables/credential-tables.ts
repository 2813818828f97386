import type { JSONColumnType } from 'kysely';

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
