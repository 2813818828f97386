import { type Selectable, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { pointRead } from '../../database/reads/point-reads.ts';
import type { Tables } from '../../database/tables/tables.ts';
import { type CounterName, type Counters, counterNames, sumExperience, unknownCounters } from '../../model/counters.ts';

/** The counters of an account as they were last known on one day. */
export interface CountersOfDay {
  /** UTC, `YYYY-MM-DD`. */
  day: string;
  counters: Counters;
  /** Counters whose values are older than the day, or that were never known. */
  missing: CounterName[];
  updatedAt: Date;
}

/**
 * Finds days of an account's history, newest first. `before` and `after` are days in this order, so later days come
 * before earlier ones.
 * @param page.withPrivate true to include private contributions, on the days on which there were any.
 */
export async function findHistory(
  connection: Connection,
  accountId: string,
  page: { limit: number; after?: string | undefined; before?: string | undefined; withPrivate?: boolean },
): Promise<CountersOfDay[]> {
  let query = connection
    .selectFrom('counters')
    .modifyFront(pointRead)
    .selectAll()
    .distinctOn('day')
    .where('account_id', '=', accountId)
    .limit(page.limit);
  if (!page.withPrivate) query = query.where('includes_private', '=', false);
  if (page.after !== undefined) query = query.where('day', '<', page.after);
  if (page.before !== undefined) query = query.where('day', '>', page.before);
  const rows = await query
    .orderBy('day', page.before === undefined ? 'desc' : 'asc')
    .orderBy('includes_private', 'desc')
    .execute();
  const days = rows.map(toCountersOfDay);
  return page.before === undefined ? days : days.toReversed();
}

/**
 * Stores the counters that were fetched at `fetchedAt`, and the account's experience; nothing when those of a later day
 * are stored. An absent counter keeps its last good value; the caller lists it in `missing`. Must run in a transaction
 * that has written the account's row, which orders writers.
 */
export async function saveCounters(
  connection: Connection,
  accountId: string,
  fetched: { counters: Partial<Counters>; missing: readonly CounterName[]; fetchedAt: Date },
): Promise<void> {
  const [last] = await findHistory(connection, accountId, { limit: 1 });
  const day = fetched.fetchedAt.toISOString().slice(0, 10);
  if (last !== undefined && last.day > day) return;
  const counters = { ...unknownCounters, ...last?.counters, ...fetched.counters };
  const missing = counterNames.filter((name) => fetched.missing.includes(name) || counters[name] === null);
  const isSame = last?.day === day && sameCounters(last.counters, counters);
  const row = { ...counters, missing, updated_at: isSame ? last.updatedAt : fetched.fetchedAt };
  await connection
    .insertInto('counters')
    .values({ account_id: accountId, day, ...row })
    .onConflict((conflict) => conflict.columns(['account_id', 'day', 'includes_private']).doUpdateSet(row))
    .execute();
  const experience = sumExperience(counters);
  await connection
    .updateTable('accounts')
    .set({ experience, updated_at: fetched.fetchedAt })
    .where('id', '=', accountId)
    .where(sql<boolean>`not ${last !== undefined && sameCounters(last.counters, counters)}::boolean`)
    .execute();
}

/** Stores the counters of a day with private contributions included. */
export async function savePrivateCounters(
  connection: Connection,
  accountId: string,
  { day, counters, missing, updatedAt }: CountersOfDay,
): Promise<void> {
  const row = { ...counters, missing, updated_at: updatedAt };
  await connection
    .insertInto('counters')
    .values({ account_id: accountId, day, includes_private: true, ...row })
    .onConflict((conflict) => conflict.columns(['account_id', 'day', 'includes_private']).doUpdateSet(row))
    .execute();
}

export async function removePrivateCounters(connection: Connection, accountId: string, day: string): Promise<void> {
  await connection
    .deleteFrom('counters')
    .where('account_id', '=', accountId)
    .where('day', '=', day)
    .where('includes_private', '=', true)
    .execute();
}

/**
 * Removes the counters with private contributions of accounts about which nothing private is stored any more. Looks at
 * the next `limit` accounts with such counters, in the order of their ids.
 * @param page.after the account that the last call returned; undefined at the start.
 * @returns the last account that it looked at; undefined at the end.
 */
export async function removeOutlivedCounters(
  connection: Connection,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string; isOutlived: boolean }>`
    with recursive counted as (
      select (select account_id from counters
          where includes_private and (${after ?? null}::uuid is null or account_id > ${after ?? null}::uuid)
          order by account_id limit 1) as id, 1 as place
      union all
      select (select account_id from counters where includes_private and account_id > counted.id
          order by account_id limit 1), place + 1
      from counted where id is not null and place < ${limit}::integer
    ), contributed as (
      select account_id, repository_id from contributor_totals where account_id in (select id from counted)
    )
    select counted.id, (select true from reported_totals s where s.account_id = counted.id limit 1) is null
      and (select true from repositories r where r.owner_id = counted.id and r.is_private limit 1) is null
      and counted.id not in (
        select c.account_id from contributed c
        where (select r.is_private from repositories r where r.id = c.repository_id)) as "isOutlived"
    from counted where counted.id is not null order by counted.id`.execute(connection);
  const outlived = rows.filter(({ isOutlived }) => isOutlived).map(({ id }) => id);
  // In the order in which jobs that update several accounts store their counters.
  await sql`
    delete from counters where ctid = any(array(
      select ctid from counters where includes_private and account_id = any(${outlived}::uuid[])
      order by account_id, day for update))`.execute(connection);
  return rows.length < limit ? undefined : rows.at(-1)?.id;
}

function sameCounters(one: Counters, other: Counters): boolean {
  return counterNames.every((name) => one[name] === other[name]);
}

function toCountersOfDay(row: Selectable<Tables['counters']>): CountersOfDay {
  const counters = { ...unknownCounters };
  for (const name of counterNames) counters[name] = row[name];
  return {
    day: row.day,
    counters,
    missing: counterNames.filter((name) => row.missing.includes(name)),
    updatedAt: row.updated_at,
  };
}
