import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { contributionKinds, ofDays, ofPeople, type StoredCounter, storedCounters } from '../../model/kinds.ts';
import { lockTotals } from '../items/write-store.ts';
import { type CountedLanguages, recountLanguages } from '../languages/recount-store.ts';
import { columnsInSql, contributionsIn, replacing } from './column-store.ts';
import { type CountedPeople, type Days, isAmong, isDayIn, summedOn, summedPeople } from './expected-totals-store.ts';
import { type CountOfDay, holdUnchanged } from './large-day-store.ts';
import { areCommitsCounted, countNewCommits, markTotalsChanged } from './total-store.ts';

/** Days of people, or of languages, that statements compare and count again by themselves. */
export type DaysPart = Days | { languages: Days };

/** The same of a day that was counted before. */
type CountedPart = CountedPeople | { languages: CountedLanguages };

/** A part of the totals of a repository; `contributors`, of whom null means all, are counted from their days. */
type TotalsPart = DaysPart | CountedPart | { contributors: readonly string[] | null };

/**
 * Counts days of one repository again, from its stored contributions. Does nothing where all commits have to
 * be counted again anyway. Must run in a transaction.
 * @returns the number of rows of totals that differed; expected to be 0.
 */
export async function recountPart(connection: Connection, repositoryId: string, part: DaysPart): Promise<number> {
  // A recount of all commits also counts the new ones.
  if (!(await areCommitsCounted(connection, repositoryId))) return 0;
  await countNewCommits(connection, repositoryId);
  // Transactions that change totals hold this lock, so the statements below see all that they stored.
  await lockTotals(connection, repositoryId);
  if (!(await areCommitsCounted(connection, repositoryId))) return 0;
  return recountParts(connection, repositoryId, [part], storedCounters);
}

/**
 * Stores the numbers of a part of a large day that differ. Must run in a transaction.
 * @returns the number of rows of totals that differed; null: the day changed since it was counted, or all commits have to be
 * counted again anyway.
 */
export async function recountCounted(
  transaction: Connection,
  counted: CountOfDay,
  part: CountedPart,
): Promise<number | null> {
  const people = 'people' in part ? [...part.people.keys()] : [];
  if (!(await holdUnchanged(transaction, counted, people))) return null;
  if ('people' in part && !(await areCommitsCounted(transaction, counted.repositoryId))) return null;
  return recountParts(transaction, counted.repositoryId, [part], storedCounters);
}

/**
 * Counts parts of the totals of one repository again. Writes and locks only rows that differ, because other transactions
 * use the rest meanwhile. Must run in a transaction that holds the totals.
 * @returns the number of rows of totals that differed.
 */
export async function recountParts(
  connection: Connection,
  repositoryId: string,
  parts: readonly TotalsPart[],
  counters: readonly StoredCounter[],
): Promise<number> {
  const found: Differences[] = [];
  for (const part of parts) {
    if ('contributors' in part)
      found.push(await recountContributors(connection, repositoryId, ofPeople(counters), part.contributors));
    else if ('languages' in part) {
      found.push({ differences: await recountLanguages(connection, repositoryId, part.languages), people: [] });
    } else found.push(await recountDays(connection, repositoryId, ofDays(counters), part));
  }
  const people = [...new Set(found.flatMap((difference) => difference.people))];
  if (people.length > 0) {
    await sql`
      select record_changed_contributors(array_fill(${repositoryId}::uuid, array[${people.length}::integer]),
        ${people}::uuid[])`.execute(connection);
  }
  const differences = found.reduce((sum, one) => sum + one.differences, 0);
  if (differences > 0) {
    await markTotalsChanged(connection, repositoryId);
    await sql`select mark_unsummed(array[${repositoryId}::uuid])`.execute(connection);
  }
  return differences;
}

/** Rows of totals that differed, and the accounts that they are about. */
interface Differences {
  differences: number;
  people: string[];
}

const none: Differences = { differences: 0, people: [] };

/** SQL for the `Differences` in the rows that were removed and stored. */
const differencesInSql = sql`
  select count(*)::integer as differences, coalesce(array_agg(distinct account_id), '{}') as people
  from (select account_id from vanished union all select account_id from saved) changed`;

async function recountDays(
  connection: Connection,
  repositoryId: string,
  counters: readonly StoredCounter[],
  days: Days | CountedPeople,
): Promise<Differences> {
  const { summed, isOfPeople } = summedOn(repositoryId, counters, days);
  const { rows } = await sql<Differences>`
    with ${summed}, vanished as (
      delete from contribution_days d
      where repository_id = ${repositoryId} and ${isDayIn(days, sql`day`)} and ${isOfPeople}
        and not exists (select from summed s where s.account_id = d.account_id and s.day = d.day)
      returning account_id
    ), saved as (
      insert into contribution_days (account_id, repository_id, day, ${columnsInSql(counters)})
      select account_id, ${repositoryId}, day, ${columnsInSql(counters)}
      from summed s
      where not exists (
        select from contribution_days k
        where k.repository_id = ${repositoryId} and k.account_id = s.account_id and k.day = s.day
          and (${columnsInSql(counters, 'k')}) = (${columnsInSql(counters, 's')}))
      order by day, account_id
      on conflict (account_id, repository_id, day) do update set ${replacing(counters)}
      returning account_id
    )
    ${differencesInSql}`.execute(connection);
  return rows[0] ?? none;
}

/** Counts totals from the days, which must be right by then, and from the contributions that days do not contain. */
async function recountContributors(
  connection: Connection,
  repositoryId: string,
  counters: readonly StoredCounter[],
  people: readonly string[] | null,
): Promise<Differences> {
  const summed = summedPeople(repositoryId, counters, people);
  const isOfPeople = sql`repository_id = ${repositoryId} and ${isAmong(people, sql`account_id`)}`;
  const [now, before] = ['s', 'k'].map((alias) => sql`coalesce(${contributionsIn(contributionKinds, alias)}, 0)`);
  // Statements of their own: Citus may show later parts of a statement what earlier ones changed, and a worker would write its own
  // transaction.
  const { rows: changed } = await sql<{ id: string; added: number }>`
    with ${summed}
    select account_id as id, ${now} - ${before} as added
    from summed s
    full join (select * from contributor_totals where ${isOfPeople}) k using (account_id)
    where ${now} <> ${before}`.execute(connection);
  if (changed.length > 0) {
    await sql`
      insert into unlisted_contributors (transaction_id, repository_id, account_id, added)
      select pg_current_xact_id(), ${repositoryId}, id, added
      from unnest(${changed.map(({ id }) => id)}::uuid[], ${changed.map(({ added }) => added)}::bigint[]) as c (id, added)`.execute(
      connection,
    );
  }
  const { rows } = await sql<Differences>`
    with ${summed}, vanished as (
      delete from contributor_totals
      where ${isOfPeople} and account_id not in (select account_id from summed)
      returning account_id
    ), saved as (
      insert into contributor_totals (repository_id, account_id, ${columnsInSql(counters)})
      select ${repositoryId}::uuid, account_id, ${columnsInSql(counters)} from summed s
      where not exists (
        select from contributor_totals k
        where k.repository_id = ${repositoryId} and k.account_id = s.account_id
          and (${columnsInSql(counters, 'k')}) = (${columnsInSql(counters, 's')}))
      order by account_id
      on conflict (repository_id, account_id) do update set ${replacing(counters)}
      returning account_id
    )
    ${differencesInSql}`.execute(connection);
  return rows[0] ?? none;
}
