import { sql } from 'kysely';
import {
  type NewSigningKey,
  type SigningAlgorithm,
  type SigningKey,
  toAlgorithm,
} from '../../accounts/access/tokens/signing-key-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inOneTransaction } from '../../database/connections/transaction.ts';
import type { PublicKey } from './issuer.ts';

/** The time for which a key signs, in ms; its public key stays published for good. */
const signsForMs = 365 * 86_400_000;

interface Context {
  now: Date;
  algorithm: SigningAlgorithm;
  newKey: NewSigningKey;
}

/**
 * Returns the key to sign credentials with. The first node that needs a new one creates it: once a year, and after a
 * change of the algorithm.
 */
export async function currentCredentialKey(connection: Connection, context: Context): Promise<SigningKey> {
  const { now, algorithm, newKey } = context;
  const known = await findCurrent(connection, context);
  if (known !== undefined) return known;
  const fresh = await newKey(algorithm);
  return inOneTransaction(connection, async (transaction) => {
    await sql`lock table credential_keys in share row exclusive mode`.execute(transaction);
    const current = await findCurrent(transaction, context);
    if (current !== undefined) return current;
    await transaction
      .insertInto('credential_keys')
      .values({
        id: fresh.id,
        public_key: JSON.stringify(fresh.publicKey),
        created_at: now,
        signs_until: new Date(now.getTime() + signsForMs),
      })
      .execute();
    await transaction
      .insertInto('credential_signers')
      .values({ key_id: fresh.id, private_key: JSON.stringify(fresh.privateKey) })
      .execute();
    return fresh;
  });
}

/**
 * Finds the key of this algorithm. During an upgrade other nodes may use another one, so the keys of all algorithms are
 * kept.
 */
async function findCurrent(connection: Connection, { now, algorithm }: Context): Promise<SigningKey | undefined> {
  const rows = await connection
    .selectFrom('credential_keys')
    .innerJoin('credential_signers', 'credential_signers.key_id', 'credential_keys.id')
    .select(['id', 'public_key', 'private_key'])
    .where('signs_until', '>', now)
    .orderBy('created_at', 'desc')
    .execute();
  const row = rows.find((found) => toAlgorithm(found.public_key) === algorithm);
  return row && { id: row.id, publicKey: row.public_key, privateKey: row.private_key };
}

/** Deletes the private keys that no longer sign, also those of algorithms that are not in use any more. */
export async function deleteSigners(connection: Connection, now: Date): Promise<void> {
  await sql`
    delete from credential_signers s using credential_keys k
    where k.id = s.key_id and k.signs_until <= ${now}`.execute(connection);
}

/** Returns the public keys of all keys that ever signed, or of the one with the given id. */
export async function findCredentialKeys(connection: Connection, id?: string): Promise<PublicKey[]> {
  let query = connection.selectFrom('credential_keys').select(['id', 'public_key']).orderBy('created_at', 'desc');
  if (id !== undefined) query = query.where('id', '=', id);
  const rows = await query.execute();
  return rows.map((row) => ({ id: row.id, publicKey: row.public_key }));
}
