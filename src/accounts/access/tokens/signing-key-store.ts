import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Connection } from '../../../database/connections/connection.ts';
import { inOneTransaction } from '../../../database/connections/transaction.ts';

const part = () => Type.Optional(Type.String());

/** A public key (RFC 7517) that verifies signatures of this service. */
export const PublicKey = Type.Unsafe<Record<string, string>>(
  Type.Object(
    {
      kty: Type.String({ examples: ['OKP'] }),
      crv: part(),
      x: part(),
      y: part(),
      n: part(),
      e: part(),
      kid: Type.String({ description: 'Id of the key, as in the header of a signature.' }),
      use: Type.Literal('sig'),
      alg: Type.String({ examples: ['EdDSA'] }),
    },
    { title: 'PublicKey' },
  ),
);

export const KeySet = Type.Object({ keys: Type.Array(PublicKey) }, { title: 'KeySet' });

/** An algorithm of signatures (`alg`, RFC 7518 and RFC 8037). */
export type SigningAlgorithm = 'ES256' | 'RS256' | 'EdDSA';

/** A key that service tokens or credentials are signed with. */
export interface SigningKey {
  /** The JWK thumbprint (RFC 7638). */
  id: string;
  publicKey: JWK;
  privateKey: JWK;
}

export type NewSigningKey = (algorithm: SigningAlgorithm) => Promise<SigningKey>;

/** The size of RSA keys in bits. A larger one takes seconds to make, for which the first caller would wait. */
const modulusLength = 2048;
/** The algorithm of each type of key (`kty`), of which each algorithm has a different one. */
const algorithms: Readonly<Record<string, SigningAlgorithm>> = { EC: 'ES256', RSA: 'RS256', OKP: 'EdDSA' };

const dayMs = 86_400_000;
/** The time, in ms, for which a key signs. */
const signsForMs = 30 * dayMs;
/**
 * The time, in ms, for which a key is published before it signs, so that caches of the published keys hold it by then.
 */
const publishedAheadMs = 7 * dayMs;
/** The time, in ms, for which a key stays published after its last signature. No token lives longer than a day. */
const publishedAfterMs = dayMs + 300_000;

/** Returns the key that signs now, and creates it if there is none. */
export async function currentSigningKey(connection: Connection, now: Date, newKey: NewSigningKey): Promise<SigningKey> {
  const known = await findCurrent(connection, now);
  if (known !== undefined) return known;
  await tendSigningKeys(connection, now, newKey);
  const created = await findCurrent(connection, now);
  if (created === undefined) throw new Error('there is no key to sign with');
  return created;
}

async function findCurrent(connection: Connection, now: Date): Promise<SigningKey | undefined> {
  const row = await connection
    .selectFrom('signing_keys')
    .selectAll()
    .where('signs_from', '<=', now)
    .where('signs_until', '>', now)
    .where('private_key', 'is not', null)
    .orderBy('signs_from')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined || row.private_key === null) return undefined;
  return { id: row.id, publicKey: { kty: 'OKP', ...row.public_key }, privateKey: { kty: 'OKP', ...row.private_key } };
}

/**
 * Creates the next key when it is due, deletes the private part of keys that no longer sign, and deletes keys that no
 * token needs any more.
 */
export async function tendSigningKeys(connection: Connection, now: Date, newKey: NewSigningKey): Promise<void> {
  const fresh = await newKey('EdDSA');
  await inOneTransaction(connection, async (transaction) => {
    await sql`lock table signing_keys in share row exclusive mode`.execute(transaction);
    await transaction.deleteFrom('signing_keys').where('published_until', '<=', now).execute();
    await transaction.updateTable('signing_keys').set({ private_key: null }).where('signs_until', '<=', now).execute();
    const last = await transaction
      .selectFrom('signing_keys')
      .select('signs_until')
      .orderBy('signs_until', 'desc')
      .limit(1)
      .executeTakeFirst();
    const isNextDue = last === undefined || last.signs_until.getTime() - publishedAheadMs <= now.getTime();
    if (!isNextDue) return;
    const from = last === undefined || last.signs_until < now ? now : last.signs_until;
    const until = new Date(from.getTime() + signsForMs);
    await transaction
      .insertInto('signing_keys')
      .values({
        id: fresh.id,
        public_key: JSON.stringify(fresh.publicKey),
        private_key: JSON.stringify(fresh.privateKey),
        created_at: now,
        signs_from: from,
        signs_until: until,
        published_until: new Date(until.getTime() + publishedAfterMs),
      })
      .execute();
  });
}

/** Finds the public part of a key, as long as a token that it signed can be valid. */
export async function findPublicKey(
  connection: Connection,
  id: string,
  now: Date,
): Promise<Record<string, string> | undefined> {
  const row = await connection
    .selectFrom('signing_keys')
    .select('public_key')
    .where('id', '=', id)
    .where('published_until', '>', now)
    .executeTakeFirst();
  return row?.public_key;
}

export async function findPublishedKeys(
  connection: Connection,
  now: Date,
): Promise<{ id: string; publicKey: Record<string, string> }[]> {
  const rows = await connection
    .selectFrom('signing_keys')
    .select(['id', 'public_key'])
    .where('published_until', '>', now)
    .orderBy('signs_from')
    .execute();
  return rows.map((row) => ({ id: row.id, publicKey: row.public_key }));
}

export async function generateSigningKey(algorithm: SigningAlgorithm): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true, modulusLength });
  const publicJwk = await exportJWK(publicKey);
  return { id: await calculateJwkThumbprint(publicJwk), publicKey: publicJwk, privateKey: await exportJWK(privateKey) };
}

/** Returns the algorithm of a key that `generateSigningKey` made. */
export function toAlgorithm({ kty }: Pick<JWK, 'kty'>): SigningAlgorithm {
  const algorithm = algorithms[kty ?? ''];
  if (algorithm === undefined) throw new Error(`no signing key has the type ${kty}`);
  return algorithm;
}
