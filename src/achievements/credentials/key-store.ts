import { sql } from 'kysely';
import type { SigningKey } from '../../access/tokens/signing-key.ts';
import type { Connection } from '../../database/connection.ts';

/** The time for which a key signs, in ms; its public key stays published for good. */
const signsForMs = 365 * 86_400_000;

interface Context {
  now: Date;
  newKey: () => Promise<SigningKey>;
}

/** Returns the key to sign credentials with. The first node that needs a new one creates it, once a year. */
export async function currentCredentialKey(connection: Connection, { now, newKey }: Context): Promise<SigningKey> {
  const known = await findCurrent(connection, now);
  if (known !== undefined) return known;
  const fresh = await newKey();
  return connection.transaction().execute(async (transaction) => {
    await sql`lock table credential_keys in share row exclusive mode`.execute(transaction);
    const current = await findCurrent(transaction, now);
    if (current !== undefined) return current;
    await sql`
      delete from credential_signers s using credential_keys k
      where k.id = s.key_id and k.signs_until <= ${now}`.execute(transaction);
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

async function findCurrent(connection: Connection, now: Date): Promise<SigningKey | undefined> {
  const row = await connection
    .selectFrom('credential_keys')
    .innerJoin('credential_signers', 'credential_signers.key_id', 'credential_keys.id')
    .select(['id', 'public_key', 'private_key'])
    .where('signs_until', '>', now)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return (
    row && {
      id: row.id,
      publicKey: { kty: 'OKP', ...row.public_key },
      privateKey: { kty: 'OKP', ...row.private_key },
    }
  );
}

/** Returns the public keys of all keys that ever signed, or of the one with the given id. */
export async function findCredentialKeys(
  connection: Connection,
  id?: string,
): Promise<{ id: string; publicKey: Record<string, string> }[]> {
  let query = connection.selectFrom('credential_keys').select(['id', 'public_key']).orderBy('created_at', 'desc');
  if (id !== undefined) query = query.where('id', '=', id);
  const rows = await query.execute();
  return rows.map((row) => ({ id: row.id, publicKey: row.public_key }));
}

/** Returns whether an award exists and is not revoked. */
export async function isAwardStanding(connection: Connection, awardId: string): Promise<boolean> {
  const row = await connection
    .selectFrom('awards')
    .select('id')
    .where('id', '=', awardId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return row !== undefined;
}
