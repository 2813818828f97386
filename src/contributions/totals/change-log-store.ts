import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { itemised } from '../../model/kinds.ts';
import { counts } from './column-store.ts';

/**
 * The log of stored items that ceased to count, or began to count later than they were stored. Together with the time
 * at which each item was stored, it shows a number as it was at a former moment. A new item needs no entry.
 */

/** The time, in ms, for which changes are kept. */
export const changesKeptMs = 90 * 86_400_000;
/**
 * The most removed items that one statement logs. A larger removal, such as that of a rewritten history, leaves one
 * entry with the counter `manyChanges`.
 */
const maxAtOnce = 10_000;
/** The counter of the entry for a removal of too many items to log each. */
export const manyChanges = '*';

/** A counter for which a contribution counts, with the account and the moment, as PostgreSQL writes it in JSON. */
export interface CountedEntry {
  counter: string;
  account_id: string | null;
  at: string;
}

/** A stored contribution that is replaced, with the entries before and after. */
export interface CountedItem {
  kind: string;
  externalId: string;
  number: number | null;
  storedAt: string;
  former: readonly CountedEntry[];
  present: readonly CountedEntry[];
}

/** SQL for rows (counter, account_id, at), one for each counter for which the contribution `c` counts. */
const entriesInSql = sql.join(
  itemised.flatMap((counter) => {
    if (counter.kind === 'commit') return [];
    const person = sql.ref(`c.${counter.person ?? 'account_id'}`);
    const at = sql.ref(`c.${counter.at ?? 'created_at'}`);
    const hasPerson = counter.kind === 'star' ? sql`true` : sql`${person} is not null`;
    return [
      sql`select ${counter.name}::text as counter, ${person} as account_id, ${at} as at
        where ${counts(counter)} and ${at} is not null and ${hasPerson}`,
    ];
  }),
  sql` union all `,
);

/** SQL for all entries of the contribution `c` as JSON. */
export const entriesAsJson: RawBuilder<CountedEntry[]> = sql`(
  select coalesce(json_agg(e), '[]') from (${entriesInSql}) e)`;

const columns = sql`repository_id, kind, external_id, number, counter, account_id, at, is_co_authored, is_added, stored_at, changed_at`;

/** Stores the differences between the former and the present entries of contributions. */
export async function logChanges(
  transaction: Connection,
  repositoryId: string,
  items: readonly CountedItem[],
): Promise<void> {
  const rows = items.flatMap(({ former, present, ...item }) => [
    ...without(former, present).map((entry) => toRow(item, entry, false)),
    ...without(present, former).map((entry) => toRow(item, entry, true)),
  ]);
  if (rows.length === 0) return;
  await sql`
    insert into counted_changes (${columns})
    select ${repositoryId}, l.kind, l."externalId", l.number, l.counter, l.account_id, l.at, false, l.is_added, l."storedAt",
      clock_timestamp()
    from json_to_recordset(${JSON.stringify(rows)}::json) as l (kind text, "externalId" text, number integer, counter text,
      account_id uuid, at timestamptz, is_added boolean, "storedAt" timestamptz)`.execute(transaction);
}

function toRow(item: object, entry: CountedEntry, isAdded: boolean): object {
  return { ...item, ...entry, is_added: isAdded };
}

function without(entries: readonly CountedEntry[], others: readonly CountedEntry[]): CountedEntry[] {
  const known = new Set(others.map((entry) => toKey(entry)));
  return entries.filter((entry) => !known.has(toKey(entry)));
}

function toKey({ counter, account_id: accountId, at }: CountedEntry): string {
  return `${counter} ${accountId} ${at}`;
}

/** A common table expression that logs the contributions in `removed`, which has all columns of the table. */
export const logRemoved = logInSql(sql`
  select c.repository_id, c.kind, c.external_id, c.number, e.counter, e.account_id, e.at, false as is_co_authored, c.stored_at
  from removed c cross join lateral (${entriesInSql}) e`);

/** A common table expression that logs the commits in `removed`, which has all columns of the table. */
export const logRemovedCommits = logInSql(sql`
  select c.repository_id, 'commit' as kind, encode(c.oid, 'hex') as external_id, null::integer as number, 'commits' as counter,
    p.account_id, c.authored_at as at, coalesce(p.first > 1, false) as is_co_authored, c.stored_at
  from removed c left join lateral (
    select i.account_id, min(u.place) as first from unnest(c.identity_ids) with ordinality as u (id, place)
    join identities i on i.id = u.id where i.account_id is not null group by i.account_id) p on true`);

function logInSql(entries: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`counted as materialized (${entries}), logged as (
    insert into counted_changes (${columns})
    select repository_id, kind, external_id, number, counter, account_id, at, is_co_authored, false, stored_at, clock_timestamp()
    from counted where (select count(*) from counted) <= ${maxAtOnce}::integer
    union all
    select distinct repository_id, '', '', null::integer, ${manyChanges}, null::uuid, clock_timestamp(), false, false,
      clock_timestamp(), clock_timestamp()
    from counted where (select count(*) from counted) > ${maxAtOnce}::integer)`;
}

/**
 * Deletes logged changes, and former states of repositories, that ended before a moment: up to `limit` of each.
 * @returns the number of deleted rows.
 */
export async function deleteChanges(connection: Connection, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with changes as (
      delete from counted_changes where ctid = any(array(
        select ctid from counted_changes where changed_at < ${before} limit ${limit})) returning 1
    ), repositories as (
      delete from former_repositories where ctid = any(array(
        select ctid from former_repositories where until < ${before} limit ${limit})) returning 1)
    select (select count(*) from changes)::integer + (select count(*) from repositories)::integer as count`.execute(
    connection,
  );
  return rows[0]?.count ?? 0;
}
