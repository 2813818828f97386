import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { ofDays, ofPeople, storedCounters } from '../../model/kinds.ts';
import { doLanguagesDiffer } from '../languages/recount-store.ts';
import { columnsInSql } from './column-store.ts';
import { type Days, isAmong, isDayIn, isMomentIn, summedDays, summedPeople } from './expected-totals-store.ts';
import type { DaysPart } from './recount-store.ts';

/** The next days that one statement takes. */
export interface NextDays extends Days {
  /** True for a single day that has more rows than a statement may take. */
  isLarge: boolean;
}

/**
 * Finds the next days of a repository that one statement takes: as many as have at most `rows` items of each kind, commits,
 * stored days and sums of languages, but one day at least.
 * @param after the day before which all days were taken; null: none.
 * @returns days without an end when no more follow them. They begin with the first day that is stored at present, which
 * lets PostgreSQL read an index range; a transaction that must miss none begins with `after`.
 */
export async function findNextDays(
  connection: Connection,
  repositoryId: string,
  after: string | null,
  rows: number,
): Promise<NextDays> {
  const from = after ?? (await findFirstDay(connection, repositoryId));
  const { rows: found } = await sql<{ until: string; isLarge: boolean }>`
    select greatest(day, ${from}::date + 1) as until, day = ${from}::date as "isLarge"
    from (select ${dayAfterRows(repositoryId, from, rows)} as day) found where day is not null`.execute(connection);
  return { from, ...(found[0] ?? { until: null, isLarge: false }) };
}

/** Finds the first day of a repository with items, commits, stored days or sums of languages; null: there is none. */
async function findFirstDay(connection: Connection, repositoryId: string): Promise<string | null> {
  const { rows } = await sql<{ day: string | null }>`select ${dayAfterRows(repositoryId, null, 0)} as day`.execute(
    connection,
  );
  return rows[0]?.day ?? null;
}

/** Returns SQL for the day of the row behind `rows` others, in the table and kind where it comes first. */
function dayAfterRows(repositoryId: string, from: string | null, rows: number): RawBuilder<unknown> {
  const rest = { from, until: null };
  const kinds = new Set(ofDays(storedCounters).map(({ kind }) => kind));
  const dayInSql = (
    table: RawBuilder<unknown>,
    day: RawBuilder<unknown>,
    { where, by }: { where: RawBuilder<unknown>; by: RawBuilder<unknown> },
  ): RawBuilder<unknown> => sql`
    (select ${day} from ${table} where repository_id = ${repositoryId} and ${where} order by ${by} offset ${rows} limit 1)`;
  const dayOfMoment = (table: RawBuilder<unknown>, moment: RawBuilder<unknown>, where: RawBuilder<unknown>) =>
    dayInSql(table, sql`(${moment} at time zone 'UTC')::date`, {
      where: sql`${where} and ${isMomentIn(rest, moment)}`,
      by: moment,
    });
  const days = [...kinds].map((kind) =>
    kind === 'commit'
      ? dayOfMoment(sql`commits`, sql`authored_at`, sql`true`)
      : dayOfMoment(sql`contributions`, sql`created_at`, sql`kind = ${kind}`),
  );
  for (const table of [sql`contribution_days`, sql`language_days`])
    days.push(dayInSql(table, sql`day`, { where: isDayIn(rest, sql`day`), by: sql`day` }));
  return sql`least(${sql.join(days)})`;
}

/** Yields the days of a repository, some at a time (see `findNextDays`), the first ones first. */
export async function* daysInParts(
  connection: Connection,
  repositoryId: string,
  rows: number,
): AsyncGenerator<NextDays> {
  let after: string | null = null;
  do {
    const { from, until, isLarge }: NextDays = await findNextDays(connection, repositoryId, after, rows);
    // Days before the first one may be stored meanwhile, so that a large first day is preceded by a part of its own.
    const isBefore = isLarge && after === null;
    const next: NextDays = isBefore ? { from: null, until: from, isLarge: false } : { from: after, until, isLarge };
    yield next;
    after = next.until;
  } while (after !== null);
}

/**
 * Compares days of a repository with its stored contributions, in one statement, which sees one state and locks nothing.
 * Commits that are stored and not counted yet are a difference.
 */
export async function differ(connection: Connection, repositoryId: string, part: DaysPart): Promise<boolean> {
  if ('languages' in part) return doLanguagesDiffer(connection, repositoryId, part.languages);
  const counters = ofDays(storedCounters);
  const { rows } = await sql<{ differ: boolean }>`
    with ${summedDays(repositoryId, counters, part)}
    select exists (
      select from summed s
      full join (
        select * from contribution_days where repository_id = ${repositoryId} and ${isDayIn(part, sql`day`)}) k
        using (account_id, day)
      where (${columnsInSql(counters, 's')}) is distinct from (${columnsInSql(counters, 'k')})) as differ`.execute(
    connection,
  );
  return rows[0]?.differ ?? false;
}

/**
 * Compares the totals of some people of a repository with their days and contributions, in one statement, which sees one
 * state and locks nothing.
 * @returns the ids of those whose totals differ.
 */
export async function findDifferentPeople(
  connection: Connection,
  repositoryId: string,
  people: readonly string[],
): Promise<string[]> {
  const counters = ofPeople(storedCounters);
  const { rows } = await sql<{ id: string }>`
    with ${summedPeople(repositoryId, counters, people)}
    select account_id as id from summed s
    full join (
      select * from contributor_totals where repository_id = ${repositoryId} and ${isAmong(people, sql`account_id`)}) k
      using (account_id)
    where (${columnsInSql(counters, 's')}) is distinct from (${columnsInSql(counters, 'k')})`.execute(connection);
  return rows.map(({ id }) => id);
}
