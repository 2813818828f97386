import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../database/connections/connection.ts';
import { nameKey } from '../model/account.ts';

/**
 * Stores that the host redirects from a name to an account with another name, so that the name is not looked up again
 * before `checkAfter`.
 */
export async function saveRedirect(
  connection: Connection,
  redirect: { provider: string; name: string; accountId: string; now: Date; checkAfter: Date },
): Promise<void> {
  const { provider, accountId, now, checkAfter } = redirect;
  const key = nameKey(redirect.name);
  await sql`
    insert into former_names (provider, name_key, account_id, left_at, check_after, redirected_at)
    select ${provider}, ${key}, id, ${now}, ${checkAfter}, ${now} from accounts
    where id = ${accountId} and lower(name) <> ${key}
    on conflict (provider, name_key, account_id) do update set
      left_at = excluded.left_at, check_after = excluded.check_after, redirected_at = excluded.redirected_at`.execute(
    connection,
  );
}

/** Postpones the next lookup of a former name to `checkAfter`: no other account has taken the name so far. */
export async function keepFormerName(
  connection: Connection,
  provider: string,
  name: string,
  checkAfter: Date,
): Promise<void> {
  await connection
    .updateTable('former_names')
    .set({ check_after: checkAfter })
    .where('provider', '=', provider)
    .where('name_key', '=', nameKey(name))
    .execute();
}

/** Removes some former names of an account. @returns these names. */
export async function removeFormerNames(transaction: Connection, accountId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    delete from former_names where ctid = any(array(
      select ctid from former_names where account_id = ${accountId} limit ${limit} for update))
    returning name_key as name`.execute(transaction);
  return rows.map(({ name }) => name);
}

export async function hasFormerNames(connection: Connection, accountId: string): Promise<boolean> {
  const { rows } = await sql`select from former_names where account_id = ${accountId} limit 1`.execute(connection);
  return rows.length > 0;
}

/**
 * Returns SQL for the time at which an account lost a name that it no longer has at `seenAt`: `namedAt` when the host
 * has redirected the name to another account since then, otherwise `seenAt`.
 * @param name the column of the name.
 * @param namedAt the column of the time at which the account was last known to have the name.
 */
export function leftAtInSql(provider: string, name: string, namedAt: string, seenAt: Date): RawBuilder<Date> {
  return sql<Date>`case when exists (
      select from former_names f
      where f.provider = ${provider} and f.name_key = lower(${sql.ref(name)}) and f.redirected_at >= ${sql.ref(namedAt)})
    then ${sql.ref(namedAt)} else ${seenAt}::timestamptz end`;
}
