import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { deleteSome } from '../../../database/schema/delete-some.ts';
import type { Account } from '../../../model/account.ts';
import { findById } from '../../store.ts';

/** A sign-in that has begun and not ended; its secrets check the response of the host. */
interface StoredSignIn {
  provider: string;
  nonce: string;
  codeVerifier: string;
  /** A path of this service. */
  returnTo: string;
  /** The name of an organization whose administration the person wants to prove; null: none. */
  organization: string | null;
}

interface StoredSession {
  /** The person's own account. */
  account: Account;
  createdAt: Date;
  expiresAt: Date;
}

/** Stores a sign-in; `stateHash` is the SHA-256 of its state. */
export async function saveSignIn(
  connection: Connection,
  { stateHash, expiresAt, ...signIn }: StoredSignIn & { stateHash: Buffer; expiresAt: Date },
): Promise<void> {
  await connection
    .insertInto('sign_ins')
    .values({
      state_hash: stateHash,
      provider: signIn.provider,
      nonce: signIn.nonce,
      code_verifier: signIn.codeVerifier,
      return_to: signIn.returnTo,
      organization: signIn.organization,
      expires_at: expiresAt,
    })
    .execute();
}

/** Removes and returns a sign-in, so that it can end only once; undefined when there is none, or it has expired. */
export async function takeSignIn(
  connection: Connection,
  stateHash: Buffer,
  now: Date,
): Promise<StoredSignIn | undefined> {
  const row = await connection
    .deleteFrom('sign_ins')
    .where('state_hash', '=', stateHash)
    .returning([
      'provider',
      'nonce',
      'code_verifier as codeVerifier',
      'return_to as returnTo',
      'organization',
      'expires_at',
    ])
    .executeTakeFirst();
  if (row === undefined || row.expires_at <= now) return undefined;
  const { expires_at: _, ...signIn } = row;
  return signIn;
}

/** Stores a session; `secretHash` is the SHA-256 of the secret in its cookie. */
export async function saveSession(
  connection: Connection,
  session: { secretHash: Buffer; accountId: string; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await connection
    .insertInto('sessions')
    .values({
      secret_hash: session.secretHash,
      account_id: session.accountId,
      created_at: session.createdAt,
      expires_at: session.expiresAt,
    })
    .execute();
}

/** Finds a session that has not expired, as long as its account is not deleted. */
export async function findSession(
  connection: Connection,
  secretHash: Buffer,
  now: Date,
): Promise<StoredSession | undefined> {
  const row = await connection
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select(['sessions.account_id', 'sessions.created_at', 'sessions.expires_at'])
    .where('secret_hash', '=', secretHash)
    .where('expires_at', '>', now)
    .where('accounts.deleted_at', 'is', null)
    .executeTakeFirst();
  const account = row && (await findById(connection, row.account_id));
  return account && { account, createdAt: row.created_at, expiresAt: row.expires_at };
}

export async function removeSession(connection: Connection, secretHash: Buffer): Promise<void> {
  await connection.deleteFrom('sessions').where('secret_hash', '=', secretHash).execute();
}

/** Removes all sessions of the person whose own account this is. */
export async function removeSessions(connection: Connection, accountId: string): Promise<void> {
  await connection.deleteFrom('sessions').where('account_id', '=', accountId).execute();
}

/** Deletes some sessions, or sign-ins, that have expired. @returns how many. */
export function deleteExpired(
  connection: Connection,
  table: 'sessions' | 'sign_ins',
  now: Date,
  limit: number,
): Promise<number> {
  const where = sql`expires_at <= ${now}`;
  return deleteSome(connection, table, { where, orderBy: sql`expires_at`, limit });
}

/** An organization that a person administered at the last confirmation. */
export interface Administered {
  id: string;
  name: string;
  displayName: string;
  confirmedAt: Date;
}

/** Finds organizations that a person administered at a confirmation after `confirmedAfter`, in the order of names. */
export async function findAdministered(
  connection: Connection,
  { provider, externalId }: Pick<Account, 'provider' | 'externalId'>,
  { confirmedAfter, limit }: { confirmedAfter: Date; limit: number },
): Promise<Administered[]> {
  return connection
    .selectFrom('administrators')
    .innerJoin('accounts', 'accounts.id', 'administrators.account_id')
    .select(['accounts.id', 'accounts.name', 'display_name as displayName', 'confirmed_at as confirmedAt'])
    .where('administrators.person', '=', externalId)
    .where('accounts.provider', '=', provider)
    .where('accounts.deleted_at', 'is', null)
    .where('administrators.confirmed_at', '>', confirmedAfter)
    .orderBy('accounts.name')
    .limit(limit)
    .execute();
}
