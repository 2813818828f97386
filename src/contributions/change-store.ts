import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { counts } from './column-store.ts';
import { itemised } from './kinds.ts';

/**
 * The log of what ceased to count, and of what began to count after it was stored. With it, and with the time since when
 * each item is stored, a number can be compared with that of a former moment. A new item needs no entry.
 */

/** The time, in ms, for which changes are kept. */
export const changesKeptMs = 90 * 86_400_000;
/** A change of more items than these at once, such as a rewritten history, leaves an entry that says only that. */
const maxAtOnce = 10_000;
/** The counter of the entry that stands for more changes than are kept. */
export const manyChanges = '*';

/** Something for which a contribution counts, as JSON. */
export interface CountedEntry {
  counter: string;
  account_id: string | null;
  at: string;
}

/** A contribution whose entries differ from the former ones. */
export interface CountedItem {
  kind: string;
  externalId: string;
  number: number | null;
  storedAt: string;
  former: readonly CountedEntry[];
  present: readonly CountedEntry[];
}

/** SQL for rows (counter, account_id, at) of everything that the contribution `c` counts for. */
const entriesInSql = sql.join(
  itemised.flatMap((counter) => {
    if (counter.kind === 'commit') return [];
    const person = sql.ref(`c.${counter.person ?? 'account_id'}`);
    const at = sql.ref(`c.${counter.at ?? 'created_at'}`);
    const isTheirs = counter.kind === 'star' ? sql`true` : sql`${person} is not null`;
    return [
      sql`select ${counter.name}::text as counter, ${person} as account_id, ${at} as at
        where ${counts(counter)} and ${at} is not null and ${isTheirs}`,
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
  const known = new Set(others.map((entry) => keyOf(entry)));
  return entries.filter((entry) => !known.has(keyOf(entry)));
}

function keyOf({ counter, account_id: accountId, at }: CountedEntry): string {
  return `${counter} ${accountId} ${at}`;
}

/** A common table expression that logs the contributions in `removed`, which has all columns of the table. */
export const logRemoved = logOf(sql`
  select c.repository_id, c.kind, c.external_id, c.number, e.counter, e.account_id, e.at, false as is_co_authored, c.stored_at
  from removed c cross join lateral (${entriesInSql}) e`);

/** A common table expression that logs the commits in `removed`, which has all columns of the table. */
export const logRemovedCommits = logOf(sql`
  select c.repository_id, 'commit' as kind, encode(c.oid, 'hex') as external_id, null::integer as number, 'commits' as counter,
    p.account_id, c.authored_at as at, coalesce(p.first > 1, false) as is_co_authored, c.stored_at
  from removed c left join lateral (
    select i.account_id, min(u.place) as first from unnest(c.identity_ids) with ordinality as u (id, place)
    join identities i on i.id = u.id where i.account_id is not null group by i.account_id) p on true`);

function logOf(entries: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`counted as materialized (${entries}), logged as (
    insert into counted_changes (${columns})
    select repository_id, kind, external_id, number, counter, account_id, at, is_co_authored, false, stored_at, clock_timestamp()
    from counted where (select count(*) from counted) <= ${maxAtOnce}::integer
    union all
    select distinct repository_id, '', '', null::integer, ${manyChanges}, null::uuid, clock_timestamp(), false, false,
      clock_timestamp(), clock_timestamp()
    from counted where (select count(*) from counted) > ${maxAtOnce}::integer)`;
}

/** Deletes some changes from before a moment. @returns how many. */
export async function forgetChanges(connection: Connection, before: Date, limit: number): Promise<number> {
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
