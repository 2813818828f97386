import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { ofDays, ofPeople, type StoredCounter, storedCounters } from '../../model/kinds.ts';
import { lockTotals } from '../items/write-store.ts';
import { counts } from './column-store.ts';
import { type Days, isDayIn, isMomentIn } from './expected-totals-store.ts';
import { isUnchangedSince } from './large-day-store.ts';

/**
 * The check of the totals of a repository, which takes some days after the other, over several nights where there are many.
 * The days before its position are counted: `repository_totals` has their sums, and a change of one of these days also
 * changes the sums (`count_changes`, `changeLanguageSums`). After the last day, the sums must be those of the totals that no
 * single day contains. Each counter of the repository has its own, which corrects it where they differ. The numbers of many
 * people have one sum, in which each counter of a person has a weight of its own, so that a wrong number, or the number of
 * another person, changes it. Sums that cannot follow a change are not compared until the check begins again: commits when
 * all of them are counted again, people when an account is erased, and languages when days before the position are
 * counted again. A large day is counted before, without a lock (`count-day-store.ts`).
 */

/** The sums; see `additionToChecks` of `count-changes.ts` for those of a change. */
const names = ['commits', 'people', 'languages'] as const;
/** A sum that differs; `whole`: a counter of the repository. */
type CheckedSum = 'whole' | 'people' | 'languages';

export const items = storedCounters.filter(({ kind }) => kind !== 'commit');
const kindsOfItems = [...new Set(items.map(({ kind }) => kind))];
export const daily = ofDays(storedCounters);
const ofPersons = ofPeople(storedCounters);
/** The counters of people that their days do not contain. */
export const ofItems = ofPersons.filter((counter) => !daily.includes(counter));

/** Returns the day before which the present check has counted, `YYYY-MM-DD`; null: it has not begun. */
export async function findChecked(connection: Connection, repositoryId: string): Promise<string | null> {
  const row = await connection
    .selectFrom('repository_totals')
    .select('checked_until')
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return row?.checked_until ?? null;
}

/** The sums of some days; `counters` are those of items. */
export interface CheckedSums {
  counters: Readonly<Record<string, bigint>>;
  commits: bigint;
  people: bigint;
  languages: bigint;
}

/** The sums of a day that was counted before, and the number of the count. */
export interface CountedDay {
  count: number;
  sums: CheckedSums;
}

/**
 * Counts the days after the position, which must agree with their contributions by then, and moves it behind them. Must run
 * in a transaction.
 * @param counted the sums of the days, if they are a day that was counted before.
 * @returns false when the position is another one meanwhile, the day changed, or all commits have to be counted again.
 */
export async function moveChecked(
  transaction: Connection,
  repositoryId: string,
  { from, until }: { from: string | null; until: string },
  counted?: CountedDay,
): Promise<boolean> {
  await lockTotals(transaction, repositoryId);
  const moved = names.map((name) => sql`${sql.ref(`checked_${name}`)} = ${upTo(from, name)}`);
  // Citus refuses jsonb_build_object in an update of columns, because its result may depend on settings.
  const counters = sql.join(items.map(({ name }) => sql.lit(name)));
  const counts = sql.join(items.map(({ name }) => sql`(${countUpTo(from, name)})::text`));
  const isUnchanged = counted === undefined ? sql`true` : isUnchangedSince(counted.count);
  const { rows } = await sql`
    with s as (${counted === undefined ? sumsInSql(repositoryId, { from, until }) : valuesInSql(counted.sums)})
    update repository_totals t set checked_until = ${until}::date, counting_day = null, ${sql.join(moved)},
      checked_counts = jsonb_object(array[${counters}], array[${counts}])
    from s
    where t.repository_id = ${repositoryId} and t.commits_counted and t.checked_until is not distinct from ${from}::date
      and ${isUnchanged}
    returning 1`.execute(transaction);
  return rows.length > 0;
}

/**
 * Compares the sums of all days with the totals, in one statement, which sees one state and locks nothing.
 * @param from the position, after which it counts the rest.
 * @returns the sums that differ.
 */
export async function compareChecked(
  connection: Connection,
  repositoryId: string,
  from: string | null,
): Promise<CheckedSum[]> {
  const isWrong = numbersInSql(from).map(
    ({ name, number }) => sql`coalesce(${number} <> ${sql.ref(`t.${name}`)}, false)`,
  );
  const { rows } = await sql<Record<CheckedSum, boolean | null>>`
    with t as (select * from repository_totals where repository_id = ${repositoryId}),
      s as (${sumsInSql(repositoryId, { from, until: null })}), k as (select ${totalsInSql(repositoryId)})
    select ${sql.join(isWrong, sql` or `)} as whole, ${upTo(from, 'people')} <> k.people as people,
      ${upTo(from, 'languages')} <> k.languages as languages
    from t, s, k where t.checked_until is not distinct from ${from}::date`.execute(connection);
  return (['whole', 'people', 'languages'] as const).filter((name) => rows[0]?.[name] === true);
}

/**
 * Makes the counters of a repository the sums of all its days. Must run in a transaction.
 * @param from the position, after which it counts the rest.
 * @returns how many rows differed, 1 at most.
 */
export async function correctWhole(
  transaction: Connection,
  repositoryId: string,
  from: string | null,
): Promise<number> {
  await lockTotals(transaction, repositoryId);
  const numbers = numbersInSql(from).map(({ name, number }) => ({
    total: sql.ref(`t.${name}`),
    name: sql.ref(name),
    // A sum that cannot follow a change is null.
    number: sql`coalesce(${number}, ${sql.ref(`t.${name}`)})::integer`,
  }));
  const { rows } = await sql`
    with s as (${sumsInSql(repositoryId, { from, until: null })})
    update repository_totals t
    set is_changed = true, ${sql.join(numbers.map(({ name, number }) => sql`${name} = ${number}`))}
    from s
    where t.repository_id = ${repositoryId} and t.checked_until is not distinct from ${from}::date
      and (${sql.join(numbers.map(({ total }) => total))}) is distinct from (${sql.join(numbers.map(({ number }) => number))})
    returning 1`.execute(transaction);
  if (rows.length > 0) await sql`select mark_unsummed(array[${repositoryId}::uuid])`.execute(transaction);
  return rows.length;
}

/** Has the check begin again with the first day, unless its position is another one meanwhile. */
export async function endChecked(connection: Connection, repositoryId: string, from: string): Promise<void> {
  await sql`
    update repository_totals set checked_until = null, checked_counts = null,
      ${sql.join(names.map((name) => sql`${sql.ref(`checked_${name}`)} = null`))}
    where repository_id = ${repositoryId} and checked_until = ${from}::date`.execute(connection);
}

/**
 * Notes that a sum of the present check cannot follow a change. Must run in a transaction that holds the totals.
 * @param from the first of the changed days; null: it is not known.
 */
export async function markUncheckable(
  transaction: Connection,
  repositoryId: string,
  name: 'people' | 'languages',
  from: string | null = null,
): Promise<void> {
  const column = sql.ref(`checked_${name}`);
  await sql`
    update repository_totals set counting_day = null,
      ${column} = case when checked_until > coalesce(${from}::date, '-infinity') then null else ${column} end
    where repository_id = ${repositoryId} and (${column} is not null or counting_day is not null)`.execute(transaction);
}

/**
 * Adds languages of commits to the sum of the present check, or subtracts them, as far as it has counted their days. Must
 * run in a transaction that holds the totals.
 * @param changes SQL for rows with `identity_id`, `day`, `language` and `files`.
 */
export async function changeCheckedLanguages(
  transaction: Connection,
  repositoryId: string,
  changes: RawBuilder<unknown>,
  sign: 1 | -1,
): Promise<void> {
  await sql`
    update repository_totals t set checked_languages = t.checked_languages + ${sign}::integer * (
        select ${sum([weightedFiles])} from (${changes}) k where k.day < t.checked_until),
      counting_day = case when t.counting_day in (select k.day from (${changes}) k) then null else t.counting_day end
    where t.repository_id = ${repositoryId} and (t.checked_languages is not null or t.counting_day is not null)`.execute(
    transaction,
  );
}

/** Returns SQL for a sum of the days up to the end of the days `s`, which begin at the position. */
function upTo(from: string | null, name: (typeof names)[number]): RawBuilder<unknown> {
  const sum = sql.ref(`s.${name}`);
  return from === null ? sum : sql`${sql.ref(`t.checked_${name}`)} + ${sum}`;
}

/** Returns the same for a counter of items. */
function countUpTo(from: string | null, name: string): RawBuilder<unknown> {
  const count = sql.ref(`s.${name}`);
  return from === null ? count : sql`(t.checked_counts ->> ${sql.lit(name)})::bigint + ${count}`;
}

/** Returns SQL for the numbers of all days, for each counter of the repository `t`; null: not known. */
function numbersInSql(from: string | null): { name: string; number: RawBuilder<unknown> }[] {
  return storedCounters.map(({ name, kind }) => ({
    name,
    number:
      kind === 'commit' ? sql`case when t.commits_counted then ${upTo(from, 'commits')} end` : countUpTo(from, name),
  }));
}

/** Returns a statement that finds the sums of some days, each with its name. */
function sumsInSql(repositoryId: string, days: Days): RawBuilder<unknown> {
  const ofRepository = sql`repository_id = ${repositoryId}`;
  const found = [
    ...items.map((counter) => sql`count(*) filter (where ${counts(counter)}) as ${sql.ref(counter.name)}`),
    sql`${sum(ofItems.map(personOfItem))} as people`,
  ];
  return sql`
    select ${sql.join(items.map(({ name }) => sql.ref(`found.${name}`)))},
      (select count(*)::numeric from commits c where c.${ofRepository} and ${isMomentIn(days, sql`c.authored_at`)} and not exists (
        select from uncounted_commits u where u.${ofRepository} and u.oid = c.oid)) as commits,
      found.people + (
        select ${sum(daily.map(weighted))} from contribution_days k where ${ofRepository} and ${isDayIn(days, sql`day`)}) as people,
      (select ${sum([weightedFiles])} from language_days k where ${ofRepository} and ${isDayIn(days, sql`day`)}) as languages
    from (select ${sql.join(found)} from ${itemsInSql(repositoryId, days)}) found`;
}

/** Returns SQL for the items `c` of some days, which the index by time finds, however many days PostgreSQL expects. */
export function itemsInSql(repositoryId: string, days: Days): RawBuilder<unknown> {
  return sql`
    unnest(${kindsOfItems}::text[]) kinds (kind) cross join lateral (
      select * from contributions
      where repository_id = ${repositoryId} and kind = kinds.kind and ${isMomentIn(days, sql`created_at`)}
      order by created_at offset 0) c`;
}

/** Returns a statement that gives known sums, each with its name. */
function valuesInSql({ counters, ...others }: CheckedSums): RawBuilder<unknown> {
  const sums = Object.entries({ ...counters, ...others });
  return sql`select ${sql.join(sums.map(([name, number]) => sql`${String(number)}::numeric as ${sql.ref(name)}`))}`;
}

/** SQL for the same sums of the totals of people and languages, each with its name. */
function totalsInSql(repositoryId: string): RawBuilder<unknown> {
  const where = sql`where repository_id = ${repositoryId}`;
  return sql`
    (select ${sum(ofPersons.map(weighted))} from contributor_totals k ${where}) as people,
    (select ${sum([weightedFiles])} from language_sums k ${where}) as languages`;
}

/** The files of the language of an address `k`, with their weight. */
export const weightedFiles = sql`k.files::bigint * hashtext(k.identity_id || ' ' || k.language)`;

/** Returns SQL for the sum of numbers of all rows. */
export function sum(numbers: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql`coalesce(sum(${added(numbers)}), 0)`;
}

/** Returns SQL for the sum of numbers of one row. */
export function added(numbers: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql`(${sql.join(numbers, sql` + `)})::bigint`;
}

/** Returns SQL for the number of a person in a row `k`, with its weight. */
export function weighted({ name }: StoredCounter): RawBuilder<unknown> {
  return sql`case when ${sql.ref(`k.${name}`)} = 0 then 0
    else ${sql.ref(`k.${name}`)}::bigint * hashtext(${sql.lit(`${name} `)} || k.account_id) end`;
}

/** Returns SQL for the weight of the person of a contribution `c`, if it counts. */
export function personOfItem(counter: StoredCounter): RawBuilder<unknown> {
  const person = sql.ref(`c.${counter.person ?? 'account_id'}`);
  return sql`case when ${counts(counter)} and ${person} is not null
    then hashtext(${sql.lit(`${counter.name} `)} || ${person})::bigint else 0 end`;
}
