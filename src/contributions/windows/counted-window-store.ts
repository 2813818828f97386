import { type RawBuilder, sql } from 'kysely';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import type { DayRange } from '../../hosts/interface/provider.ts';
import { type CounterName, type Counters, counterNames, eachCounter } from '../../model/counters.ts';
import { itemised, listNeeds, namesOfKinds, type StoredCounter } from '../../model/kinds.ts';
import { counts } from '../totals/column-store.ts';

/** Counters of a user in a range of days as the host reports them; absent ones are not known. */
export interface ReportedWindow {
  counters: Partial<Counters>;
  fetchedAt: Date;
}

/**
 * The most ranges of an account. More would fill the database, because visitors choose them; the oldest are deleted.
 */
const maxRanges = 100;

/**
 * Numbers of windows of time. Items are counted by indexes that begin with the person or the repository; of a person's
 * commits, which have no such index, whole days (UTC) come from `contribution_days`.
 */

/** The account whose counters are counted. */
export interface CountedAccount {
  id: string;
  /** True for an organization: the counters are those of the repositories that it owns. */
  isOwner: boolean;
  withPrivate: boolean;
}

/** Parts of a range of time, without gaps. */
interface WindowParts {
  /** The first instants of the parts, oldest first, and the end of the last one; null: open, only first and last. */
  bounds: readonly (Date | null)[];
}

/** The number of a counter in one part, summed over the repositories. */
interface CountedRow {
  part: number;
  counter: string;
  count: number;
}

/**
 * Counts the contributions of each part; `contributed_to` is the number of repositories with any in the part.
 * @param counters the counters that are wanted; others are 0.
 */
export async function countParts(
  connection: Connection,
  account: CountedAccount,
  parts: WindowParts,
  counters: readonly StoredCounter[] = itemised,
): Promise<Record<CounterName, number>[]> {
  const range = toRange(parts);
  const branches = counters.map((counter) =>
    account.isOwner || counter.kind === 'star'
      ? countOfOwned(counter, range)
      : counter.kind === 'commit'
        ? countOfDays(account.id, counter, range)
        : countOfPerson(account.id, counter, range),
  );
  const counted = sql.join(branches, sql` union all `);
  const contributing = namesOfKinds(listNeeds('contributed_to'));
  const isVisible = sql`(${account.withPrivate}::boolean or not r.is_private) and ${isPresentInSql('r')}`;
  const { rows } = await sql<CountedRow>`
    with owned as materialized (
      select r.id, r.is_fork from repositories r where r.owner_id = ${account.id}::uuid and ${isVisible}
    ), counted as (${counted}), visible as materialized (
      select c.* from counted c ${account.isOwner ? sql`` : sql`join repositories r on r.id = c.repository_id where ${isVisible} and not r.is_fork`}
    )
    select part, counter, sum(n)::integer as count from visible group by part, counter
    union all
    select part, 'contributed_to', count(distinct repository_id)::integer from visible
    where counter = any(${contributing}::text[]) and n > 0 group by part`.execute(connection);
  const rowsOfParts = Map.groupBy(rows, ({ part }) => part);
  return Array.from({ length: parts.bounds.length - 1 }, (_, index) => {
    const ofPart = new Map((rowsOfParts.get(index + 1) ?? []).map((row) => [row.counter, row.count]));
    return eachCounter((name) => ofPart.get(name) ?? 0);
  });
}

/** SQL about the range of all parts. */
interface Range {
  since: RawBuilder<Date>;
  until: RawBuilder<Date>;
  /** SQL for the number of the part, from 1, of a moment in the range. */
  partInSql: (moment: RawBuilder<Date>) => RawBuilder<number>;
  hasSeveralParts: boolean;
  /** Days (UTC) of which a bound cuts off a part. */
  partialDays: readonly string[];
}

const dayMs = 86_400_000;

function toRange({ bounds }: WindowParts): Range {
  const texts = bounds.map((at, index) => at?.toISOString() ?? (index === 0 ? '-infinity' : 'infinity'));
  const insideDays = bounds.filter((at) => at !== null && at.getTime() % dayMs !== 0);
  return {
    since: sql`${texts[0]}::timestamptz`,
    until: sql`${texts.at(-1)}::timestamptz`,
    hasSeveralParts: bounds.length > 2,
    // A range of one part needs no search for each item.
    partInSql: (moment) => (bounds.length === 2 ? sql`1` : sql`width_bucket(${moment}, ${texts}::timestamptz[])`),
    partialDays: [...new Set(insideDays.flatMap((at) => at?.toISOString().slice(0, 10) ?? []))],
  };
}

/** The column of the item `c` with the moment at which it counts. */
export function momentInSql({ kind, at }: StoredCounter): RawBuilder<Date> {
  return sql.ref(`c.${kind === 'commit' ? 'authored_at' : (at ?? 'created_at')}`);
}

/** The condition that the moment of an item `c` is in the range. */
function isWithin(counter: StoredCounter, { since, until }: Pick<Range, 'since' | 'until'>): RawBuilder<boolean> {
  const moment = momentInSql(counter);
  return sql`${moment} >= ${since} and ${moment} < ${until}`;
}

/** Returns SQL that counts one counter of a person, except commits. */
function countOfPerson(accountId: string, counter: StoredCounter, range: Range): RawBuilder<unknown> {
  const moment = momentInSql(counter);
  return sql`
    (select ${range.partInSql(moment)} as part, ${counter.name}::text as counter, c.repository_id,
      count(*) as n
    from contributions c
    where ${sql.ref(`c.${counter.person ?? 'account_id'}`)} = ${accountId}::uuid and ${counts(counter)}
      and ${isWithin(counter, range)} group by 1, 3)`;
}

/**
 * Returns SQL for the numbers `n` of a person's commits in a window by `repository_id`; a repository may have several
 * rows.
 */
export function commitsOfPerson(
  accountId: string,
  { since, until }: { since: Date | null; until: Date | null },
): RawBuilder<unknown> {
  const range = toRange({ bounds: [since, until] });
  return sql.join(
    itemised.filter(({ kind }) => kind === 'commit').map((counter) => countOfDays(accountId, counter, range)),
    sql` union all `,
  );
}

/** Returns SQL that counts the commits of a person: sums of whole days, and single commits of partial days. */
function countOfDays(accountId: string, counter: StoredCounter, range: Range): RawBuilder<unknown> {
  const { since, until, partInSql, partialDays } = range;
  const days = sql`(
    select d.repository_id, d.commits, d.day = any(${partialDays}::date[]) as is_divided,
      d.day::timestamp at time zone 'UTC' as begins, (d.day + 1)::timestamp at time zone 'UTC' as ends
    from contribution_days d
    where d.account_id = ${accountId}::uuid and d.commits > 0
      and d.day >= (${since} at time zone 'UTC')::date and d.day <= (${until} at time zone 'UTC')::date) d`;
  return sql`
    (select ${partInSql(sql`d.begins`)} as part, ${counter.name}::text as counter, d.repository_id,
      sum(d.commits) as n
    from ${days} where not d.is_divided and d.begins >= ${since} and d.begins < ${until} group by 1, 3
    union all
    select ${partInSql(sql`c.authored_at`)}, ${counter.name}::text, d.repository_id, count(*)
    from ${days} cross join lateral ${commitsOfDay(accountId)} c
    where d.is_divided and ${isWithin(counter, range)}
    group by 1, 3)`;
}

/**
 * Returns SQL for the counted commits of the repository and day `d` that a person authored or co-authored. The GROUP BY
 * makes PostgreSQL expect few rows: without it, it reads all commits instead of the days by their index, and searches
 * `uncounted_commits` for all commits of a day instead of those of the person.
 */
export function commitsOfDay(accountId: string): RawBuilder<unknown> {
  return sql`(
    select e.* from (
      select c.* from commits c
      where c.repository_id = d.repository_id and c.authored_at >= d.begins and c.authored_at < d.ends
        and c.identity_ids && ${identitiesInSql(accountId)} group by c.repository_id, c.oid) e
    where (select true from uncounted_commits u where u.repository_id = e.repository_id and u.oid = e.oid) is null)`;
}

/** The addresses of a person. */
export function identitiesInSql(accountId: string): RawBuilder<number[]> {
  return sql`(select array_agg(i.id) from identities i where i.account_id = ${accountId}::uuid)`;
}

/**
 * Returns SQL that counts one counter of the repositories `owned`; stars of forks count for no account. A count in each
 * repository by its index costs half of a join with one GROUP BY.
 */
function countOfOwned(counter: StoredCounter, range: Range): RawBuilder<unknown> {
  const table = sql.table(counter.kind === 'commit' ? 'commits' : 'contributions');
  const isCounted = counter.kind === 'commit' ? sql`true` : counts(counter);
  const isOfOwned = counter.kind === 'star' ? sql`not o.is_fork` : sql`true`;
  const { part, groups } = range.hasSeveralParts
    ? { part: range.partInSql(momentInSql(counter)), groups: sql`c.repository_id, 1` }
    : { part: sql`1`, groups: sql`c.repository_id` };
  return sql`
    (select p.part, ${counter.name}::text as counter, p.repository_id, p.n
    from owned o cross join lateral (
      select ${part} as part, c.repository_id, count(*) as n from ${table} c
      where c.repository_id = o.id and ${isCounted} and ${isWithin(counter, range)} group by ${groups}) p
    where ${isOfOwned})`;
}

/**
 * Finds the counters that may be too low, because items are not stored, or stored without the moment at which they
 * count.
 */
export async function findUndated(
  connection: Connection,
  { id, isOwner, withPrivate, since, until }: CountedAccount & { since: Date | null; until: Date | null },
): Promise<CounterName[]> {
  const owned = sql`select o.id from repositories o where o.owner_id = ${id}::uuid`;
  const isOfAccount = isOwner ? sql`c.repository_id in (${owned})` : sql`c.answered_by = ${id}::uuid`;
  const isVisible = sql`(${withPrivate}::boolean or not r.is_private) and ${isPresentInSql('r')}`;
  const answered = await sql`
    with unknown as (
      select c.repository_id from contributions c
      where ${isOfAccount} and c.kind = 'discussion' and c.answered and c.answered_at is null
        and (${until}::timestamptz is null or c.created_at < ${until}::timestamptz)
    )
    select from unknown u join repositories r on r.id = u.repository_id where ${isVisible} limit 1`.execute(connection);
  const stars = await sql`
    with collected as (
      select t.repository_id, t.stars from repository_totals t where t.repository_id in (${owned})
    )
    select from repositories r left join collected t on t.repository_id = r.id
    where r.owner_id = ${id}::uuid and not r.is_fork and r.stars > coalesce(t.stars, 0)
      and not exists (
        select from streams s where s.repository_id = r.id and 'star' = any(s.covers) and s.completed_at is null
          and s.reached_at < ${since}::timestamptz)
      and ${isVisible} limit 1`.execute(connection);
  return counterNames.filter(
    (name) =>
      (name === 'discussions_answered' && answered.rows.length > 0) || (name === 'stars' && stars.rows.length > 0),
  );
}

export async function findReportedWindow(
  connection: Connection,
  accountId: string,
  { first, last }: DayRange,
): Promise<ReportedWindow | undefined> {
  const { rows } = await sql<ReportedWindow>`
    select counters, fetched_at as "fetchedAt" from reported_windows
    where account_id = ${accountId}::uuid and first_day = ${first}::date
      and last_day = ${last}::date`.execute(connection);
  return rows[0];
}

/** Finds the stored counters of several ranges, in the same order. */
export async function findReportedWindows(
  connection: Connection,
  accountId: string,
  ranges: readonly (DayRange | undefined)[],
): Promise<(ReportedWindow | undefined)[]> {
  const places = ranges.flatMap((range, place) => (range === undefined ? [] : [{ place, ...range }]));
  const { rows } = await sql<ReportedWindow & { place: number }>`
    select p.place, w.counters, w.fetched_at as "fetchedAt"
    from json_to_recordset(${JSON.stringify(places)}::json) as p (place integer, first date, last date)
    join reported_windows w on w.account_id = ${accountId}::uuid
      and w.first_day = p.first and w.last_day = p.last`.execute(connection);
  const found = new Map(rows.map(({ place, ...reported }) => [place, reported]));
  return ranges.map((_, place) => found.get(place));
}

/** Stores the counters of a range, unless those fetched later are stored, or the account was erased meanwhile. */
export async function saveReportedWindow(
  connection: Connection,
  accountId: string,
  { first, last }: DayRange,
  { counters, fetchedAt }: ReportedWindow,
): Promise<void> {
  await sql`
    insert into reported_windows as w (account_id, first_day, last_day, counters, fetched_at)
    select id, ${first}::date, ${last}::date, ${JSON.stringify(counters)}::jsonb, ${fetchedAt}
    from accounts where id = ${accountId}::uuid
    on conflict (account_id, first_day, last_day) do update set
      counters = excluded.counters, fetched_at = excluded.fetched_at
    where w.fetched_at <= excluded.fetched_at`.execute(connection);
  await sql`
    delete from reported_windows where account_id = ${accountId}::uuid and (first_day, last_day) in (
      select first_day, last_day from reported_windows where account_id = ${accountId}::uuid
      order by fetched_at desc, first_day, last_day offset ${maxRanges})`.execute(connection);
}
