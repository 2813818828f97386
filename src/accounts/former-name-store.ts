import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { nameKey } from './account.ts';

/** Names that accounts had before. */

/**
 * Remembers that the host leads from a name to an account that is called otherwise, so that the name is not asked for again
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

/** Leaves a former name alone until `checkAfter`: no other account has taken it so far. */
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

/**
 * Returns SQL for when an account left a name that it is seen not to have at `seenAt`: before, where the host led from the
 * name to another account since it was last known to be this one's.
 * @param name the column of the name. @param namedAt the column that says when it was last known.
 */
export function leftAtInSql(provider: string, name: string, namedAt: string, seenAt: Date): RawBuilder<Date> {
  return sql<Date>`case when exists (
      select from former_names f
      where f.provider = ${provider} and f.name_key = lower(${sql.ref(name)}) and f.redirected_at >= ${sql.ref(namedAt)})
    then ${sql.ref(namedAt)} else ${seenAt}::timestamptz end`;
}
