import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Connection } from '../database/connections/connection.ts';
import { pointRead } from '../database/reads/point-reads.ts';
import type { Tables } from '../database/tables/tables.ts';
import { type Account, type AccountFacts, nameKey } from '../model/account.ts';
import { typeOfAccount } from '../model/agents.ts';

/** The account that has, or last had, a name. */
export type NameHolder =
  | { state: 'present'; account: Account }
  /** An account had the name before and has another one now; from `checkAfter` on, the name is looked up again. */
  | { state: 'renamed'; account: Account; checkAfter: Date }
  | { state: 'deleted'; account: Account };

/** Returns whether an account may be shown to others than its owner. */
export function isShown({ hidden, hiddenByHost }: Pick<Account, 'hidden' | 'hiddenByHost'>): boolean {
  return !hidden && !hiddenByHost;
}

/** Finds the account that has, or last had, a name; the letter case does not matter. */
export async function findByName(
  connection: Connection,
  provider: string,
  name: string,
): Promise<NameHolder | undefined> {
  const row = await connection
    .selectFrom('accounts')
    .modifyFront(pointRead)
    .selectAll()
    .where('provider', '=', provider)
    .where(sql`lower(name)`, '=', nameKey(name))
    .orderBy(sql`deleted_at is not null`)
    .orderBy('named_at', 'desc')
    // A page of a response can mention two accounts with the same name, which then have the same `named_at`.
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  const holder = row?.deleted_at === null ? toAccount(row) : undefined;
  // An account that was only mentioned may have lost the name since: it was never fetched to find its present one.
  if (holder !== undefined && holder.fetchedAt !== null) return { state: 'present', account: holder };
  const former = await connection
    .selectFrom('former_names')
    .innerJoin('accounts', 'accounts.id', 'former_names.account_id')
    .selectAll('accounts')
    .select(['former_names.check_after', 'former_names.redirected_at'])
    .where('former_names.provider', '=', provider)
    .where('former_names.name_key', '=', nameKey(name))
    .where('accounts.deleted_at', 'is', null)
    .orderBy('former_names.left_at', 'desc')
    .orderBy(sql`former_names.redirected_at desc nulls last`)
    .limit(1)
    .executeTakeFirst();
  const redirectedAt = former?.redirected_at ?? null;
  const isLedElsewhere = redirectedAt !== null && row !== undefined && redirectedAt >= row.named_at;
  if (holder !== undefined && !isLedElsewhere) return { state: 'present', account: holder };
  if (former !== undefined) return { state: 'renamed', account: toAccount(former), checkAfter: former.check_after };
  return row && { state: 'deleted', account: toAccount(row) };
}

export async function findById(connection: Connection, id: string): Promise<Account | undefined> {
  const query = connection.selectFrom('accounts').selectAll().where('id', '=', id).where('erased_at', 'is', null);
  const row = await query.executeTakeFirst();
  return row && toAccount(row);
}

/** Locks an account against changes by other transactions until this one ends, and returns it. */
export async function lockAccount(transaction: Connection, id: string): Promise<Account | undefined> {
  const query = transaction.selectFrom('accounts').selectAll().where('id', '=', id).where('erased_at', 'is', null);
  const row = await query.forNoKeyUpdate().executeTakeFirst();
  return row && toAccount(row);
}

/**
 * Locks accounts against changes by other transactions until this one ends. A transaction locks all accounts that it
 * changes by one call of this or of `saveActors`, so that no two transactions wait for each other (decision 63).
 */
export async function lockAccounts(transaction: Connection, ids: readonly string[]): Promise<void> {
  await sql`select from accounts where id = any(${ids}::uuid[]) order by id for no key update`.execute(transaction);
}

/**
 * Stores the record of an account that the provider sent at `fetchedAt`, and a name that the account has left. An older
 * record never replaces a newer one.
 * @returns the id, and in `isNewest` whether the record was stored.
 */
export async function saveAccount(
  connection: Connection,
  report: { provider: string; facts: AccountFacts; memory: object | null; fetchedAt: Date; newId: string },
): Promise<{ id: string; isNewest: boolean }> {
  const { facts, provider, fetchedAt } = report;
  const socials = facts.socials === null ? null : JSON.stringify(facts.socials);
  const { rows } = await sql<{ id: string; is_newest: boolean }>`
    with before as (
      select id, name, named_at from accounts where provider = ${provider} and external_id = ${facts.externalId}
    ), saved as (
      insert into accounts as a (
        id, provider, external_id, handle, type, name, display_name, avatar_url, website, description, socials,
        followers, following, named_at, fetched_at, checked_at, provider_memory, created_at, updated_at)
      values (
        ${report.newId}, ${provider}, ${facts.externalId}, ${facts.handle}, ${typeOfAccount(provider, facts.name, facts.type)}, ${facts.name},
        ${facts.displayName}, ${facts.avatarUrl}, ${facts.website}, ${facts.description}, ${socials}::jsonb,
        ${facts.followers}::integer, ${facts.following}::integer, ${fetchedAt}, ${fetchedAt}, ${fetchedAt},
        ${JSON.stringify(report.memory)}::jsonb, ${fetchedAt}, ${fetchedAt})
      on conflict (provider, external_id) do update set
        handle = excluded.handle, type = excluded.type, name = excluded.name, display_name = excluded.display_name,
        avatar_url = excluded.avatar_url, website = excluded.website, description = excluded.description,
        socials = coalesce(excluded.socials, a.socials), followers = coalesce(${facts.followers}::integer, a.followers),
        following = coalesce(${facts.following}::integer, a.following), named_at = excluded.named_at, fetched_at = excluded.fetched_at,
        provider_memory = excluded.provider_memory, deleted_at = null, hidden_by_host = false,
        checked_at = excluded.checked_at,
        updated_at = case when (a.type, a.name, a.display_name, a.avatar_url, a.website, a.description, a.socials,
            a.followers, a.following, a.deleted_at)
          is distinct from (excluded.type, excluded.name, excluded.display_name, excluded.avatar_url,
            excluded.website, excluded.description, coalesce(excluded.socials, a.socials),
            coalesce(${facts.followers}::integer, a.followers), coalesce(${facts.following}::integer, a.following),
            null::timestamptz)
          then excluded.updated_at else a.updated_at end
      where a.fetched_at is null or a.fetched_at <= excluded.fetched_at
      returning id
    ), left_name as (
      insert into former_names (provider, name_key, account_id, left_at, check_after)
      select ${provider}, lower(before.name), before.id, ${leftAtInSql(provider, 'before.name', 'before.named_at', fetchedAt)}, ${fetchedAt}
      from before join saved using (id) where lower(before.name) <> lower(${facts.name})
      on conflict (provider, name_key, account_id)
        do update set left_at = excluded.left_at, check_after = excluded.check_after
    ), returned_to_name as (
      delete from former_names using saved
      where provider = ${provider} and account_id = saved.id and name_key = lower(${facts.name})
    )
    select id, true as is_newest from saved
    union all
    select id, false from before where not exists (select from saved)`.execute(connection);
  const row = rows[0];
  if (row === undefined) throw new Error('an account was neither stored nor there');
  return { id: row.id, isNewest: row.is_newest };
}

/** Finds up to `limit` accounts that were deleted before `before`, the longest deleted first; returns their ids. */
export async function findDeleted(connection: Connection, before: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from accounts where deleted_at < ${before} and erased_at is null
    order by deleted_at limit ${limit}`.execute(connection);
  return rows.map(({ id }) => id);
}

function toAccount(row: Selectable<Tables['accounts']>): Account {
  return {
    id: row.id,
    provider: row.provider,
    externalId: row.external_id,
    handle: row.handle,
    type: row.type,
    name: row.name,
    displayName: row.display_name,
    avatarUrl: row.avatar_url,
    website: row.website,
    description: row.description,
    socials: row.socials,
    followers: row.followers,
    following: row.following,
    experience: row.experience,
    fetchedAt: row.fetched_at,
    checkedAt: row.checked_at,
    pinned: row.pinned,
    hidden: row.hidden,
    hiddenByHost: row.hidden_by_host,
    publishesPrivate: row.publishes_private,
    totalsWantedAt: row.totals_wanted_at,
    memory: row.provider_memory,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

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
