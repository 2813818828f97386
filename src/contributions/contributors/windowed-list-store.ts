import { type RawBuilder, sql } from 'kysely';
import { isOfTypeInSql } from '../../accounts/actor-store.ts';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import { isShownInSql } from '../../accounts/visibility/opt-out-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import type { PersonType } from '../../model/agents.ts';
import { type ContributionKind, ofContributions, storedCounters } from '../../model/kinds.ts';
import { columnInSql, counts } from '../totals/column-store.ts';
import type { Contributor, Scope } from './contributor.ts';

/** Lists of contributors in a window of time: whole days (UTC) from `contribution_days`, the rest from single items. */

/** Contributions that a list counts. */
export interface CountedContributions {
  scope: Scope;
  /** Null: open. */
  since: Date | null;
  until: Date | null;
  kinds: readonly ContributionKind[];
  /** Ids of the repositories to narrow the scope to; null: all. */
  only: readonly string[] | null;
  except: readonly string[];
  /** True: only people whose first counted contribution is in the window; it requires `since`. */
  newcomers?: boolean;
}

/** Narrows the accounts that a list shows. */
export interface PeopleFilter {
  /** `people`: all accounts but bots; undefined: all accounts. */
  type: PersonType | 'people' | undefined;
  /** The account that reads the list, and that sees itself even when it is hidden. */
  viewerId: string | null;
}

/** A place in the order of a list: most contributions first, then by name. */
export interface ListPlace {
  contributions: number;
  /** In lower case. */
  name: string;
  id: string;
}

const dayMs = 86_400_000;

/** The latest days of spans before a window, in days before it; the last span has all older ones. */
const formerSpans = [0, 90, 730];

/**
 * Finds a page of the contributors in a window: those after a place, or the last ones before it.
 * @returns the page, and in `remaining` the number of all contributors after `after` or before `before`, or in the list.
 */
export async function findWindowContributors(
  connection: Connection,
  counted: CountedContributions,
  { type, viewerId }: PeopleFilter,
  page: { limit: number; after?: ListPlace | undefined; before?: ListPlace | undefined },
): Promise<{ contributors: Contributor[]; remaining: number }> {
  const { after, before, limit } = page;
  const order = before === undefined ? sql`l.n desc, l.key, l.id` : sql`l.n, l.key desc, l.id desc`;
  const { rows } = await sql<Contributor & { remaining: number }>`
    with ${sumsInSql(counted)}, listed as (
      select a.*, s.n, lower(a.name) collate "C" as key from summed s join accounts a on a.id = s.account_id
      where (${isShownInSql('a')} or (a.deleted_at is null and a.id = ${viewerId}::uuid))
        and ${isOfType(type)}
    )
    select l.id, l.provider, l.type, l.name, l.display_name as "displayName", l.avatar_url as "avatarUrl",
      l.n as contributions, l.created_at as "createdAt", l.key as "nameKey", (count(*) over ())::integer as remaining
    from listed l
    where ${after === undefined ? sql`true` : isBeyond(after, 'after')}
      and ${before === undefined ? sql`true` : isBeyond(before, 'before')}
    order by ${order} limit ${limit}`.execute(connection);
  const contributors = rows.map(({ remaining: _remaining, ...contributor }) => contributor);
  return {
    contributors: before === undefined ? contributors : contributors.toReversed(),
    remaining: rows[0]?.remaining ?? 0,
  };
}

function isOfType(type: PeopleFilter['type']): RawBuilder<boolean> {
  if (type === undefined) return sql`true`;
  return type === 'people' ? sql`a.type <> 'bot'` : isOfTypeInSql('a', type);
}

/** Counts the contributions of one account, in the same way as the list. */
export async function countContributor(
  connection: Connection,
  counted: CountedContributions,
  accountId: string,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    with ${sumsInSql(counted)} select n from summed where account_id = ${accountId}::uuid`.execute(connection);
  return rows[0]?.n ?? 0;
}

function isBeyond({ contributions, name, id }: ListPlace, side: 'after' | 'before'): RawBuilder<boolean> {
  const place = sql`(${-contributions}::integer, ${name}::text collate "C", ${id}::uuid)`;
  return side === 'after' ? sql`(-l.n, l.key, l.id) > ${place}` : sql`(-l.n, l.key, l.id) < ${place}`;
}

/** Returns common table expressions; the last one, `summed`, has the number `n` of contributions of each account. */
function sumsInSql({ scope, since, until, kinds, only, except, newcomers }: CountedContributions): RawBuilder<unknown> {
  const counters = ofContributions(storedCounters).filter(({ kind }) => kinds.some((one) => one === kind));
  const sum = sql.join(
    counters.map(({ name }) => columnInSql(name, 'd')),
    sql` + `,
  );
  const [first, last] = [since === null ? null : ceil(since), until === null ? null : floor(until)];
  const isOfScope = sql`
    r.owner_id = ${scope.accountId}::uuid and (${scope.includesPrivate}::boolean or not r.is_private)
    and ${isPresentInSql('r')} and (${scope.repositoryId}::uuid is null or r.id = ${scope.repositoryId}::uuid)
    and (${only}::uuid[] is null or r.id = any(${only}::uuid[])) and r.id <> all(${except}::uuid[])`;
  const wholeDays = sql`
    select d.account_id, sum(${sum}) as n from in_scope r join contribution_days d on d.repository_id = r.id
    where (${first}::timestamptz is null or d.day >= (${first}::timestamptz at time zone 'UTC')::date)
      and (${last}::timestamptz is null or d.day < (${last}::timestamptz at time zone 'UTC')::date)
    group by d.account_id`;
  const itemsIn = (parts: [from: Date, to: Date][]): RawBuilder<unknown>[] =>
    parts.flatMap(([from, to]) => counters.map(({ name }) => itemsBetween(name, from, to)));
  const former =
    newcomers === true && since !== null ? sql`${formerIn(since, sum, itemsIn(partsOfDays(null, since)))},` : sql``;
  const isWanted = newcomers === true ? sql`where account_id not in (select account_id from former)` : sql``;
  return sql`
    in_scope as materialized (select r.id from repositories r where ${isOfScope}),
    counted as (${sql.join([wholeDays, ...itemsIn(partsOfDays(since, until))], sql` union all `)}),
    ${former}
    summed as (
      select account_id, sum(n)::integer as n from counted ${isWanted} group by account_id having sum(n) > 0)`;
}

/**
 * Returns common table expressions; the last one, `former`, has the people among `counted` who contributed before a window.
 * Days are looked for in spans, latest first, each for the people of whom the spans before found none, so that few former
 * days of a person are read. To stop at the first one would need a LIMIT beside each person, which Citus refuses. The
 * array and `is true` keep PostgreSQL from joins: it knows too little of the number of these people, and would read all
 * former days of the repositories in place of the index of the person.
 * @param items SQL for the people with contributions on the day in which the window begins, before it.
 */
function formerIn(since: Date, sum: RawBuilder<unknown>, items: RawBuilder<unknown>[]): RawBuilder<unknown> {
  const end = floor(since).getTime();
  const spans = formerSpans.map((days) => new Date(end - days * dayMs));
  const names = spans.map((_, index) => sql.id(`former${index}`));
  const parts = spans.map((until, index) => {
    const known = names.slice(0, index).map((name) => sql`except select account_id from ${name}`);
    const next = spans[index + 1];
    const from = next === undefined ? sql`` : sql`and d.day >= (${next}::timestamptz at time zone 'UTC')::date`;
    return sql`${names[index]} as (
      select distinct d.account_id from contribution_days d
      where d.account_id = any(array(select account_id from counted ${sql.join(known, sql` `)})) and ${sum} > 0
        and d.day < (${until}::timestamptz at time zone 'UTC')::date ${from}
        and (d.repository_id in (select id from in_scope)) is true)`;
  });
  const found = [...names.map((name) => sql`select account_id, 1 from ${name}`), ...items];
  return sql`${sql.join(parts)}, former (account_id, n) as (${sql.join(found, sql` union all `)})`;
}

/** Counts the contributions of each person between two instants of a day. */
function itemsBetween(name: string, from: Date, to: Date): RawBuilder<unknown> {
  const counter = storedCounters.find((stored) => stored.name === name);
  if (counter === undefined) throw new RangeError(`${name} is no stored counter`);
  if (counter.kind === 'commit') {
    return sql`
      (with c as (
        select c.repository_id, c.oid, u.identity_id
        from in_scope r join commits c on c.repository_id = r.id cross join unnest(c.identity_ids) as u (identity_id)
        where c.authored_at >= ${from} and c.authored_at < ${to} and not exists (
          select from uncounted_commits u where u.repository_id = c.repository_id and u.oid = c.oid)
      )
      select i.account_id, count(distinct (c.repository_id, c.oid)) as n from c join identities i on i.id = c.identity_id
      where i.account_id is not null
      group by i.account_id)`;
  }
  return sql`
    select c.account_id, count(*) as n from in_scope r join contributions c on c.repository_id = r.id
    where ${counts(counter)} and c.created_at >= ${from} and c.created_at < ${to} and c.account_id is not null
    group by c.account_id`;
}

/**
 * Returns the ranges at the two ends of a window that are no whole days (UTC); a window within one day is one range.
 */
function partsOfDays(since: Date | null, until: Date | null): [from: Date, to: Date][] {
  if (since !== null && until !== null && floor(since) >= floor(until)) return [[since, until]];
  const parts: [Date, Date][] = [];
  if (since !== null && since < ceil(since)) parts.push([since, ceil(since)]);
  if (until !== null && floor(until) < until) parts.push([floor(until), until]);
  return parts;
}

function floor(at: Date): Date {
  return new Date(Math.floor(at.getTime() / dayMs) * dayMs);
}

function ceil(at: Date): Date {
  return new Date(Math.ceil(at.getTime() / dayMs) * dayMs);
}

/**
 * Finds repositories of an account by their names.
 * @returns ids by the name in lower case; private ones only with `withPrivate`.
 */
export async function findRepositoryIds(
  connection: Connection,
  ownerId: string,
  names: readonly string[],
  { withPrivate }: { withPrivate: boolean },
): Promise<Map<string, string>> {
  const { rows } = await sql<{ name: string; id: string }>`
    select distinct on (lower(r.name)) lower(r.name) as name, r.id from repositories r
    where r.owner_id = ${ownerId}::uuid and lower(r.name) = any(${names.map((name) => name.toLowerCase())}::text[])
      and (${withPrivate}::boolean or not r.is_private) and ${isPresentInSql('r')}
    order by lower(r.name), r.named_at desc`.execute(connection);
  return new Map(rows.map(({ name, id }) => [name, id]));
}
