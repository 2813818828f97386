import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { nameKey } from '../../model/account.ts';

/** Returns whether an account with this name has opted out of being stored. Opt-outs are stored only as hashes. */

export async function isNameOptedOut(connection: Connection, provider: string, name: string): Promise<boolean> {
  return (await findOptedOut(connection, [name], (candidate) => hashOfName(provider, candidate))).length > 0;
}

/** Returns the external ids whose accounts have opted out of being stored. Must run after `takeSharedErasureLock`. */
export async function findOptedOutIds(
  connection: Connection,
  provider: string,
  externalIds: readonly string[],
): Promise<string[]> {
  return findOptedOut(connection, externalIds, (id) => hashOfId(provider, id));
}

/** Returns the email addresses of people who have opted out of being stored. Must run after `takeSharedErasureLock`. */
export async function findOptedOutEmails(
  connection: Connection,
  provider: string,
  emails: readonly string[],
): Promise<string[]> {
  return findOptedOut(connection, emails, (email) => hashOfEmail(provider, email));
}

/**
 * Stores the opt-out of a person; existing entries stay unchanged. Must run after `takeErasureLock`.
 * @returns the person's key, with which `addOptedOutNames` and `addOptedOutEmails` add more.
 */
export async function addOptOuts(
  connection: Connection,
  provider: string,
  person: { externalId: string; names: readonly string[] },
  now: Date,
): Promise<Buffer> {
  const personKey = hashOfId(provider, person.externalId);
  await addKeys(connection, personKey, [personKey, ...person.names.map((name) => hashOfName(provider, name))], now);
  return personKey;
}

/** Stores the opt-outs of further names of a person. Must run after `takeErasureLock`. */
export async function addOptedOutNames(
  connection: Connection,
  provider: string,
  { personKey, names }: { personKey: Buffer; names: readonly string[] },
  now: Date,
): Promise<void> {
  const keys = names.map((name) => hashOfName(provider, name));
  await addKeys(connection, personKey, keys, now);
}

/** Stores the opt-outs of email addresses of a person. Must run after `takeErasureLock`. */
export async function addOptedOutEmails(
  connection: Connection,
  provider: string,
  { personKey, emails }: { personKey: Buffer; emails: readonly string[] },
  now: Date,
): Promise<void> {
  const keys = emails.map((email) => hashOfEmail(provider, email));
  await addKeys(connection, personKey, keys, now);
}

/** Returns whether a person has opted out, and has not returned since. */
export async function isPersonOptedOut(connection: Connection, personKey: Buffer): Promise<boolean> {
  const row = await connection.selectFrom('opt_outs').select('key').where('key', '=', personKey).executeTakeFirst();
  return row !== undefined;
}

async function addKeys(connection: Connection, personKey: Buffer, keys: readonly Buffer[], now: Date): Promise<void> {
  if (keys.length === 0) return;
  await connection
    .insertInto('opt_outs')
    .values(keys.map((key) => ({ key, person: personKey, opted_out_at: now })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Removes the opt-outs of an owner who has returned, so that all their data may be fetched and stored again. Removes
 * the opt-out of the owner's present name too, which another person may have made before the owner took the name.
 * @returns whether there were any opt-outs.
 */
export async function releaseOptOuts(
  connection: Connection,
  provider: string,
  owned: { externalId: string; name: string },
): Promise<boolean> {
  const released = await connection
    .deleteFrom('opt_outs')
    .where((is) =>
      is.or([
        is('person', '=', hashOfId(provider, owned.externalId)),
        is('key', '=', hashOfName(provider, owned.name)),
      ]),
    )
    .returning('key')
    .execute();
  return released.length > 0;
}

async function findOptedOut(
  connection: Connection,
  candidates: readonly string[],
  hashCandidate: (candidate: string) => Buffer,
): Promise<string[]> {
  if (candidates.length === 0) return [];
  const byKey = new Map(candidates.map((candidate) => [hashCandidate(candidate).toString('hex'), candidate]));
  const { rows } = await sql<{ key: Buffer }>`
    select key from opt_outs
    where key in (select decode(k, 'hex') from unnest(${[...byKey.keys()]}::text[]) as k)`.execute(connection);
  return rows.flatMap(({ key }) => byKey.get(key.toString('hex')) ?? []);
}

const hashOfId = (provider: string, externalId: string): Buffer => hash('account', provider, externalId);
const hashOfName = (provider: string, name: string): Buffer => hash('name', provider, nameKey(name));
const hashOfEmail = (provider: string, email: string): Buffer => hash('email', provider, email);

function hash(...words: string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(words)).digest();
}

/**
 * Returns SQL that is true when an account is public: its host has it and shows it, and its owner does not hide it.
 * @param accounts the name or alias of the table of accounts.
 */
export function isShownInSql(accounts: string): RawBuilder<boolean> {
  const column = (name: string) => sql.ref(`${accounts}.${name}`);
  return sql<boolean>`(${column('deleted_at')} is null and not ${column('hidden')} and not ${column('hidden_by_host')})`;
}
