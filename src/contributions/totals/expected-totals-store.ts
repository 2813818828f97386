import { type RawBuilder, sql } from 'kysely';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { ofDays, type StoredCounter } from '../../model/kinds.ts';
import { columnInSql, counts, sumsInSql } from './column-store.ts';
import type { Compared } from './tally.ts';

interface DayQuery {
  accountId: string;
  /** The first day; `to` is the last day. Both are included. */
  from: string;
  to: string;
  withPrivate: boolean;
}

/** SQL for the totals of a repository as its stored contributions and commits give them. */

/** Days (UTC), `YYYY-MM-DD`: `from` is the first one, `until` the one after the last one. Null: no bound. */
export interface Days {
  from: string | null;
  until: string | null;
}

/** The numbers of a person on one day, by counter. */
export type NumbersOfPerson = ReadonlyMap<string, Compared>;

/** A day that was counted, and people with their numbers on it. */
export interface CountedPeople extends Days {
  people: ReadonlyMap<string, NumbersOfPerson>;
}

/** SQL that is true for one of these days. */
export function isDayIn({ from, until }: Days, day: RawBuilder<unknown>): RawBuilder<boolean> {
  return within(day, from && sql`${from}::date`, until && sql`${until}::date`);
}

/** SQL that is true for a moment of these days, which an index finds. */
export function isMomentIn({ from, until }: Days, moment: RawBuilder<unknown>): RawBuilder<boolean> {
  return within(moment, from && beginningInSql(from), until && beginningInSql(until));
}

function beginningInSql(day: string): RawBuilder<unknown> {
  return sql`(${day}::date::timestamp at time zone 'UTC')`;
}

function within(
  value: RawBuilder<unknown>,
  from: RawBuilder<unknown> | '' | null,
  until: RawBuilder<unknown> | '' | null,
): RawBuilder<boolean> {
  const bounds = [from ? [sql`${value} >= ${from}`] : [], until ? [sql`${value} < ${until}`] : []].flat();
  return bounds.length === 0 ? sql`true` : sql`${sql.join(bounds, sql` and `)}`;
}

/** The numbers of each person on each day, and the people that they are about. */
interface SummedDays {
  /** The parts of WITH that end with `summed`. */
  summed: RawBuilder<unknown>;
  /** SQL that is true for stored rows of these people. */
  isOfPeople: RawBuilder<boolean>;
}

/** Returns the numbers of all people on some days as their contributions give them, or those that were counted before. */
export function summedOn(
  repositoryId: string,
  counters: readonly StoredCounter[],
  days: Days | CountedPeople,
): SummedDays {
  if (!('people' in days)) return { summed: summedDays(repositoryId, counters, days), isOfPeople: sql`true` };
  const ids = [...days.people.keys()];
  const columns = counters.map(({ name }) => {
    const numbers = [...days.people.values()].map((ofPerson) => ofPerson.get(name)?.counted ?? 0);
    return { name: sql.ref(name), numbers: sql`${numbers}::integer[]` };
  });
  const names = sql.join(columns.map(({ name }) => name));
  return {
    // A person whose numbers are all zero has no row.
    summed: sql`
      summed as (
        select account_id, ${days.from}::date as day, ${names}
        from unnest(${ids}::uuid[], ${sql.join(columns.map(({ numbers }) => numbers))}) as u (account_id, ${names})
        where (${names}) <> (${sql.join(counters.map(() => sql`0`))}))`,
    isOfPeople: isAmong(ids, sql`account_id`),
  };
}

/** The parts of WITH that end with `summed`, the numbers of each person on each day. */
export function summedDays(repositoryId: string, counters: readonly StoredCounter[], days: Days): RawBuilder<unknown> {
  const stored = counters.filter(({ kind }) => kind !== 'commit');
  const items = sql`
      union all
      select c.account_id, (c.created_at at time zone 'UTC')::date as day, ${each(counters, toNumberInSql(stored))}
      from contributions c
      where c.repository_id = ${repositoryId} and c.account_id is not null and ${isCountedBy(stored)}
        and ${isMomentIn(days, sql`c.created_at`)}
      group by 1, 2`;
  return sql`
    found as (
      select oid, authored_at, identity_ids from commits
      where repository_id = ${repositoryId} and ${isMomentIn(days, sql`authored_at`)}
    ), authored as (
      select distinct c.oid, i.account_id, (c.authored_at at time zone 'UTC')::date as day
      from found c cross join unnest(c.identity_ids) as u (identity_id) join identities i on i.id = u.identity_id
      where i.account_id is not null
    ), counted as (
      select account_id, day, ${each(counters, ({ kind }) => (kind === 'commit' ? sql`count(*)` : sql`0`))}
      from authored group by account_id, day
      ${stored.length === 0 ? sql`` : items}
    ), summed as (
      select account_id, day, ${sumsInSql(counters)} from counted group by account_id, day
    )`;
}

/**
 * The parts of WITH that end with `summed`, the numbers of each person: from the days, which must be right by then, and from
 * the contributions that days do not contain.
 * @param people null: all people.
 */
export function summedPeople(
  repositoryId: string,
  counters: readonly StoredCounter[],
  people: readonly string[] | null,
): RawBuilder<unknown> {
  const ofDay = ofDays(counters);
  const countedOthers = byPerson(counters).map(([column, some]) => {
    const person = sql.ref(`c.${column}`);
    const ofPeople = sql`c.repository_id = ${repositoryId} and ${person} is not null and ${isAmong(people, person)}`;
    // Only the index of authors has kinds. With another one, PostgreSQL would combine that of all items of the kind.
    const found =
      people === null || column === 'account_id'
        ? sql`contributions c where ${ofPeople} and`
        : sql`(select * from contributions c where ${ofPeople} offset 0) c where`;
    return sql`
      union all
      select ${person}, ${each(counters, toNumberInSql(some))} from ${found} ${isCountedBy(some)} group by 1`;
  });
  return sql`
    counted as (
      select account_id, ${each(counters, (counter) => (ofDay.includes(counter) ? sql`sum(${columnInSql(counter.name)})` : sql`0`))}
      from contribution_days where repository_id = ${repositoryId} and ${isAmong(people, sql`account_id`)} group by account_id
      ${sql.join(countedOthers, sql` `)}
    ), summed as (
      select account_id, ${sumsInSql(counters)} from counted group by account_id
    )`;
}

/**
 * Returns SQL for rows with the `account_id` of the people of some days: stored days, and the contributions that these do not
 * contain.
 */
export function peopleInSql(
  repositoryId: string,
  counters: readonly StoredCounter[],
  days: Days,
): RawBuilder<unknown>[] {
  const ofRepository = sql`repository_id = ${repositoryId}`;
  const others = byPerson(counters).map(([column, some]) => {
    const person = sql.ref(`c.${column}`);
    return sql`(
      select ${person} as account_id from contributions c
      where c.${ofRepository} and ${person} is not null and ${isCountedBy(some)} and ${isMomentIn(days, sql`c.created_at`)}) c`;
  });
  return [sql`contribution_days where ${ofRepository} and ${isDayIn(days, sql`day`)}`, ...others];
}

/** Returns the counters that days do not contain, by the column of the contribution with their person. */
function byPerson(counters: readonly StoredCounter[]): [column: string, some: StoredCounter[]][] {
  const ofDay = ofDays(counters);
  const others = counters.filter((counter) => !ofDay.includes(counter));
  return [...Map.groupBy(others, ({ person = 'account_id' }) => person)];
}

/** SQL that is true for one of some people; null: for all. */
export function isAmong(people: readonly string[] | null, person: RawBuilder<unknown>): RawBuilder<boolean> {
  return people === null ? sql`true` : sql`${person} = any(${people}::uuid[])`;
}

/** Returns a number for each counter, named like its column. */
function each(
  counters: readonly StoredCounter[],
  numberOfEach: (counter: StoredCounter) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql.join(counters.map((counter) => sql`(${numberOfEach(counter)})::integer as ${sql.ref(counter.name)}`));
}

/** Returns the function that counts the contributions of a group for some counters, and nothing for others. */
function toNumberInSql(some: readonly StoredCounter[]): (counter: StoredCounter) => RawBuilder<unknown> {
  return (counter) => (some.includes(counter) ? sql`count(*) filter (where ${counts(counter)})` : sql`0`);
}

/** Returns the condition that the contribution `c` counts for some counters. An index finds its kinds. */
function isCountedBy(some: readonly StoredCounter[]): RawBuilder<boolean> {
  const kinds = [...new Set(some.map(({ kind }) => kind))];
  return sql`c.kind in (${sql.join(kinds)}) and (${sql.join(
    some.map((counter) => sql`(${counts(counter)})`),
    sql` or `,
  )})`;
}

/**
 * Returns whether a repository to which the account contributed on these days is still being read for the first time.
 */
export async function isCollectingDays(
  connection: Connection,
  { accountId, from, to, withPrivate }: DayQuery,
): Promise<boolean> {
  const { rows } = await sql`
    with days as (
      select repository_id from contribution_days where account_id = ${accountId} and day between ${from}::date and ${to}::date
    )
    select d.repository_id from days d join repositories r on r.id = d.repository_id
    join streams s on s.repository_id = r.id
    where (${withPrivate}::boolean or not r.is_private) and ${isPresentInSql('r')}
      and s.completed_at is null and is_read_again(s.failure) limit 1`.execute(connection);
  return rows.length > 0;
}
