import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import type { AccountType } from '../../model/account.ts';

/** An account for which a check is due whether its host still shows it. */
export interface CheckedAccount {
  id: string;
  externalId: string;
  handle: string;
  type: AccountType;
  name: string;
  memory: null;
}

/** The people of a list that its first page shows. */
const firstPage = 30;
/** The most lists whose first pages one run reads, unless a share of all is more. */
const listsAtOnce = 2000;
/** The most shares in which all lists are read. */
const maxShares = 3;

const columns = sql`a.id, a.external_id as "externalId", a.handle, a.type, a.name, null as memory`;

/** Returns SQL that is true for an account that may be checked, and was not since a time. */
function isDue(provider: string, before: Date): RawBuilder<boolean> {
  return sql`a.provider = ${provider} and not a.pinned and a.erased_at is null
    and (a.checked_at is null or a.checked_at < ${before})`;
}

/**
 * Finds up to `limit` accounts in lists of contributors, or on boards, for which the host was last checked before
 * `before`, whether it still shows them, or before `deletedBefore`, whether it shows deleted ones again. Accounts that
 * were never checked come first.
 */
export async function findDueChecks(
  connection: Connection,
  provider: string,
  due: { on: 'lists' | 'boards'; before: Date; deletedBefore: Date; limit: number },
): Promise<CheckedAccount[]> {
  const shown =
    due.on === 'lists'
      ? sql`select account_id from contributor_totals`
      : sql`select account_id from board_ranks where until_version is null`;
  const { rows } = await sql<CheckedAccount>`
    select ${columns} from accounts a
    where ${isDue(provider, due.before)} and a.id in (${shown})
      and (a.deleted_at is null or a.checked_at is null or a.checked_at < ${due.deletedBefore})
    order by a.checked_at nulls first limit ${due.limit}`.execute(connection);
  return rows;
}

/**
 * Finds up to `limit` accounts on the first pages of lists of contributors and boards that were last checked before
 * `before`. Of very many lists, each run reads a share.
 */
export async function findDueLeaders(
  connection: Connection,
  provider: string,
  { before, limit, run }: { before: Date; limit: number; run: number },
): Promise<CheckedAccount[]> {
  const { rows } = await sql<CheckedAccount>`
    with shares as (
      select least(${maxShares}, 1 + count(*) / ${listsAtOnce}) as number from rankings where ended_at is null
    ), leaders as (
      select page.account_id
      from rankings k cross join lateral (
        select account_id from ranks where ranking_id = k.id and until_version is null
        order by (-contributions), name_key, account_id limit ${firstPage}) page
      where k.ended_at is null and k.id % (select number from shares) = ${run}::bigint % (select number from shares)
      union
      select page.account_id
      from board_rankings b cross join lateral (
        select account_id from board_ranks where board_id = b.board_id and is_ranked and until_version is null
        order by points desc, ordered_at, name, account_id limit ${firstPage}) page
    )
    select ${columns} from accounts a
    where ${isDue(provider, before)} and a.deleted_at is null and a.id in (select account_id from leaders)
    order by a.checked_at nulls first limit ${limit}`.execute(connection);
  return rows;
}

/** Finds those of some accounts that were last checked before `before`. */
export async function findNamedChecks(
  connection: Connection,
  provider: string,
  { before, ids, limit }: { before: Date; ids: readonly string[]; limit: number },
): Promise<CheckedAccount[]> {
  const { rows } = await sql<CheckedAccount>`
    select ${columns} from accounts a
    where ${isDue(provider, before)} and a.id = any(${ids}::uuid[])
    order by a.checked_at limit ${limit}`.execute(connection);
  return rows;
}

/** Records that accounts were checked at `now`, with any outcome, so that the next check is not due for a while. */
export async function markChecked(connection: Connection, ids: readonly string[], now: Date): Promise<void> {
  await sql`update accounts set checked_at = ${now} where id = any(${ids}::uuid[])`.execute(connection);
}

/** Hides a stored account that its provider has but does not show to the public. */
export async function markHidden(
  connection: Connection,
  { provider, externalId }: { provider: string; externalId: string },
  now: Date,
): Promise<void> {
  await connection
    .updateTable('accounts')
    .set({ hidden_by_host: true, deleted_at: null, checked_at: now })
    .where('provider', '=', provider)
    .where('external_id', '=', externalId)
    .execute();
}

/**
 * Marks an account that its provider does not show any more as deleted. An account that its host hides stays hidden:
 * without rights, the service cannot distinguish it from a deleted one, and its owner may still use it.
 */
export async function markDeleted(connection: Connection, id: string, now: Date): Promise<void> {
  await sql`
    update accounts set checked_at = ${now}, fetched_at = case when fetched_at is not null then ${now}::timestamptz end,
      deleted_at = case when hidden_by_host then deleted_at else coalesce(deleted_at, ${now}) end,
      updated_at = case when hidden_by_host then updated_at else ${now} end
    where id = ${id}`.execute(connection);
}
