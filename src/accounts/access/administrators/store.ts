import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { deleteSome } from '../../../database/schema/delete-some.ts';

/** A person, by the immutable id of the person's own account at the provider. */
export interface Person {
  id: string;
  /** `PROVIDER/NAME`. */
  name: string;
}

/** The facts about an administrator of a stored organization that a check needs; `person` is the immutable id. */
export interface Administrator {
  accountId: string;
  provider: string;
  organization: { externalId: string; name: string };
  person: string;
}

/** Stores that the host has just confirmed a person as an administrator of an organization. */
export async function confirmAdministrator(
  connection: Connection,
  accountId: string,
  { id, name }: Person,
  now: Date,
): Promise<void> {
  await sql`
    insert into administrators (account_id, person, name, confirmed_at, check_after)
    values (${accountId}, ${id}, ${name}, ${now}, ${now})
    on conflict (account_id, person) do update
    set name = excluded.name, confirmed_at = greatest(administrators.confirmed_at, excluded.confirmed_at)`.execute(
    connection,
  );
}

/** Finds the last confirmation of a person; undefined when there is none. */
export async function findConfirmation(
  connection: Connection,
  accountId: string,
  person: string,
): Promise<{ confirmedAt: Date; canCheck: boolean | null } | undefined> {
  return connection
    .selectFrom('administrators')
    .select(['confirmed_at as confirmedAt', 'can_check as canCheck'])
    .where('account_id', '=', accountId)
    .where('person', '=', person)
    .executeTakeFirst();
}

/**
 * Locks the last confirmation of a person until the transaction ends.
 * @returns undefined when there is none.
 */
export async function lockConfirmation(
  transaction: Connection,
  accountId: string,
  person: string,
): Promise<{ confirmedAt: Date } | undefined> {
  return transaction
    .selectFrom('administrators')
    .select('confirmed_at as confirmedAt')
    .where('account_id', '=', accountId)
    .where('person', '=', person)
    .forUpdate()
    .executeTakeFirst();
}

/** Stores the outcome of a check. @param checked.confirmedAt undefined: the host has not confirmed the person. */
export async function saveCheck(
  connection: Connection,
  { accountId, person }: Pick<Administrator, 'accountId' | 'person'>,
  checked: { canCheck?: boolean; confirmedAt?: Date; checkAfter: Date },
): Promise<void> {
  const { canCheck, confirmedAt, checkAfter } = checked;
  await connection
    .updateTable('administrators')
    .set({
      check_after: checkAfter,
      ...(canCheck !== undefined && { can_check: canCheck }),
      ...(confirmedAt !== undefined && { confirmed_at: sql<Date>`greatest(confirmed_at, ${confirmedAt})` }),
    })
    .where('account_id', '=', accountId)
    .where('person', '=', person)
    .execute();
}

export async function removeAdministrator(connection: Connection, accountId: string, person: string): Promise<void> {
  await connection
    .deleteFrom('administrators')
    .where('account_id', '=', accountId)
    .where('person', '=', person)
    .execute();
}

/** SQL for whether an administrator holds a key or link that has not ended. @param alias the name of the administrator's row. */
function holdsSomething(alias: string): RawBuilder<boolean> {
  const [account, person] = [sql.ref(`${alias}.account_id`), sql.ref(`${alias}.person`)];
  return sql`(
    exists (select from owner_keys k where k.account_id = ${account} and k.holder = ${person} and k.ended_at is null)
    or exists (select from embeds e where e.account_id = ${account} and e.holder = ${person} and e.ended_at is null))`;
}

const columnsOfAdministrator = sql`
  m.account_id as "accountId", m.person, a.provider,
  json_build_object('externalId', a.external_id, 'name', a.name) as organization`;

/** Finds administrators with keys or links whose check is due, the longest due first. */
export async function findDueChecks(connection: Connection, now: Date, limit: number): Promise<Administrator[]> {
  const { rows } = await sql<Administrator>`
    select ${columnsOfAdministrator}
    from administrators m join accounts a on a.id = m.account_id
    where m.check_after <= ${now} and a.deleted_at is null and ${holdsSomething('m')}
    order by m.check_after, m.account_id, m.person limit ${limit}`.execute(connection);
  return rows;
}

/** Finds up to `limit` organizations of a provider that a person administered at the last confirmation. */
export async function findAdministrations(
  connection: Connection,
  provider: string,
  person: string,
  limit: number,
): Promise<Administrator[]> {
  const { rows } = await sql<Administrator>`
    select ${columnsOfAdministrator}
    from administrators m join accounts a on a.id = m.account_id
    where m.person = ${person} and a.provider = ${provider} and a.deleted_at is null
    order by m.account_id limit ${limit}`.execute(connection);
  return rows;
}

/** Deletes some administrators without keys and links whose last confirmation was before `before`. @returns how many. */
export function deleteAdministrators(connection: Connection, before: Date, limit: number): Promise<number> {
  const where = sql`confirmed_at < ${before} and not ${holdsSomething('administrators')}`;
  return deleteSome(connection, 'administrators', { where, orderBy: sql`confirmed_at`, limit });
}

/** Returns whether the service can check all holders of an account's keys and links; null: not known, or no holders. */
export async function findCanCheck(connection: Connection, accountId: string): Promise<boolean | null> {
  const { rows } = await sql<{ can_check: boolean | null }>`
    select bool_and(can_check) as can_check from administrators m
    where account_id = ${accountId} and ${holdsSomething('m')}`.execute(connection);
  return rows[0]?.can_check ?? null;
}
