import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { nameKey } from './account.ts';

/** Stores opt-outs: hashes of an account's id, names and addresses, and nothing else about it. */

export async function isNameOptedOut(connection: Connection, provider: string, name: string): Promise<boolean> {
  return (await findOptedOut(connection, [name], (one) => hashOfName(provider, one))).length > 0;
}

/** Returns those of the external ids whose accounts have opted out of being stored. Must run behind `takeSharedErasureLock`. */
export async function findOptedOutIds(
  connection: Connection,
  provider: string,
  externalIds: readonly string[],
): Promise<string[]> {
  return findOptedOut(connection, externalIds, (id) => hashOfId(provider, id));
}

/** Returns those of the email addresses that must not be stored. Must run behind `takeSharedErasureLock`. */
export async function findOptedOutEmails(
  connection: Connection,
  provider: string,
  emails: readonly string[],
): Promise<string[]> {
  return findOptedOut(connection, emails, (email) => hashOfEmail(provider, email));
}

/** Stores the opt-out of a person; entries that exist stay. Must run behind `takeErasureLock`. */
export async function addOptOuts(
  connection: Connection,
  provider: string,
  person: { externalId: string; names: readonly string[]; emails: readonly string[] },
  now: Date,
): Promise<void> {
  const personKey = hashOfId(provider, person.externalId);
  const keys = [
    personKey,
    ...person.names.map((name) => hashOfName(provider, name)),
    ...person.emails.map((email) => hashOfEmail(provider, email)),
  ];
  await connection
    .insertInto('opt_outs')
    .values(keys.map((key) => ({ key, person: personKey, opted_out_at: now })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/**
 * Removes the opt-outs of an owner who has returned: all their data may be fetched and stored again, and so may the
 * account that has their name now.
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
  hashOf: (one: string) => Buffer,
): Promise<string[]> {
  if (candidates.length === 0) return [];
  const byKey = new Map(candidates.map((one) => [hashOf(one).toString('hex'), one]));
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
