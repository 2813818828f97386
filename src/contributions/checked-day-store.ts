import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { streamRows } from '../database/stream-rows.ts';
import {
  added,
  type CheckedSums,
  daily,
  items,
  itemsOf,
  ofItems,
  personOfItem,
  sum,
  weighted,
  weightedFiles,
} from './checked-store.ts';
import { counts } from './column-store.ts';
import { type Days, isDayIn, isMomentIn } from './counted-store.ts';

/**
 * The check of a day with more rows than one statement may take. A cursor reads all of its rows, few at a time, and holds no
 * lock meanwhile. The sums must still be true for the day when they are stored: `repository_totals` has a mark with
 * the day, which everything that changes one of its numbers removes, so that the day is counted again. The days of people and
 * languages are compared by their sums, in which each number has a weight, because a day may have any number of people.
 */

/** A day of a repository that is read; `signal` ends the reading. */
interface DayQuery {
  repositoryId: string;
  days: Days;
  signal: AbortSignal;
}

/**
 * Counts a day that is marked, and compares the days of people and languages with its contributions.
 * @throws the reason of the signal.
 */
export async function countDay(
  connection: Connection,
  query: DayQuery,
  withLanguages: boolean,
): Promise<{ sums: CheckedSums; isRight: boolean }> {
  const reading = connection.transaction().setIsolationLevel('repeatable read').setAccessMode('read only');
  const ofDay = isOfDay(query);
  const {
    items: counted,
    authored,
    people,
    languages,
  } = await reading.execute(async (transaction) => ({
    items: await readItems(transaction, query),
    authored: await readCommits(transaction, query),
    people: await sumRows(transaction, query, {
      from: sql`contribution_days k where ${ofDay}`,
      numbers: [added(daily.map(weighted))],
    }),
    languages: await sumRows(transaction, query, {
      from: sql`language_days k where ${ofDay}`,
      numbers: [weightedFiles, sql`k.commits::bigint * ${weightOfUses}`],
    }),
  }));
  const { commits, people: ofCommits, files, uses } = authored;
  const [stored = 0n] = people;
  const [storedFiles = 0n, storedUses = 0n] = languages;
  const areLanguagesRight = !withLanguages || (files === storedFiles && uses === storedUses);
  return {
    sums: { counters: counted.counters, commits, people: counted.people + stored, languages: storedFiles },
    isRight: counted.ofDays + ofCommits === stored && areLanguagesRight,
  };
}

/** Counts the items of a day; `people` is the sum of the counters that days do not contain, `ofDays` of the others. */
async function readItems(
  transaction: Connection,
  { repositoryId, days, signal }: DayQuery,
): Promise<{ counters: Record<string, bigint>; people: bigint; ofDays: bigint }> {
  const sums = { counters: Object.fromEntries(items.map(({ name }) => [name, 0n])), people: 0n, ofDays: 0n };
  const names = items.map((counter) => sql`case when ${counts(counter)} then ${sql.lit(counter.name)} end`);
  const inDays = daily.filter(({ kind }) => kind !== 'commit');
  const rows = streamRows(
    transaction,
    sql<{ row: string }>`
      select concat_ws(' ', ${added(ofItems.map(personOfItem))}, ${added(inDays.map(personOfItem))}, ${sql.join(names)}) as row
      from ${itemsOf(repositoryId, days)}`,
  );
  for await (const row of rows) {
    signal.throwIfAborted();
    const [people = '', ofDays = '', ...counted] = row.split(' ');
    sums.people += BigInt(people);
    sums.ofDays += BigInt(ofDays);
    for (const name of counted) sums.counters[name] = (sums.counters[name] ?? 0n) + 1n;
  }
  return sums;
}

/** Rows, and integers of each row. */
interface Rows {
  from: RawBuilder<unknown>;
  numbers: readonly RawBuilder<unknown>[];
}

/** Returns the sum of each number of all rows; an empty list when there are none. */
async function sumRows(transaction: Connection, { signal }: DayQuery, { from, numbers }: Rows): Promise<bigint[]> {
  const sums: bigint[] = [];
  const query = sql<{ row: string }>`select concat_ws(' ', ${sql.join(numbers)}) as row from ${from}`;
  for await (const row of streamRows(transaction, query)) {
    signal.throwIfAborted();
    for (const [index, number] of row.split(' ').entries()) sums[index] = (sums[index] ?? 0n) + BigInt(number);
  }
  return sums;
}

/** The most commits of which one statement finds the people. */
const commitsAtOnce = 1000;

/**
 * Counts the commits of a day, the sum of their people, and of the files and commits of their languages. Those that wait to be
 * counted have languages already, and are in no other number. People are found in statements of their own: Citus 13.2.2 ends
 * with a segmentation fault on a cursor that reads commits and addresses.
 */
async function readCommits(
  transaction: Connection,
  { repositoryId, days, signal }: DayQuery,
): Promise<{ commits: bigint; people: bigint; files: bigint; uses: bigint }> {
  const sums = { commits: 0n, people: 0n, files: 0n, uses: 0n };
  const rows = streamRows(
    transaction,
    sql<{ row: string }>`
      with found as (
        select c.identity_ids, c.languages, not exists (
          select from uncounted_commits u where u.repository_id = ${repositoryId} and u.oid = c.oid) as is_counted
        from commits c where c.repository_id = ${repositoryId} and ${isMomentIn(days, sql`c.authored_at`)}
      )
      select concat_ws(' ', f.is_counted::integer, l.files, l.uses, array_to_string(f.identity_ids, ' ')) as row
      from found f cross join lateral (
        select ${sum([weightedFiles])} as files, ${sum([weightOfUses])} as uses from (
          select u.identity_id, l.key as language, l.value::integer as files
          from unnest(f.identity_ids) as u (identity_id) cross join jsonb_each_text(f.languages) as l) k) l`,
  );
  let addresses: string[][] = [];
  for await (const row of rows) {
    signal.throwIfAborted();
    const [isCounted = '', files = '', uses = '', ...ids] = row.split(' ');
    sums.files += BigInt(files);
    sums.uses += BigInt(uses);
    if (isCounted === '0') continue;
    sums.commits += 1n;
    addresses.push(ids);
    if (addresses.length < commitsAtOnce) continue;
    sums.people += await sumPeople(transaction, addresses);
    addresses = [];
  }
  sums.people += await sumPeople(transaction, addresses);
  return sums;
}

/** Returns the sum of the weights of the people of commits, of which each has some addresses. */
async function sumPeople(transaction: Connection, commits: readonly string[][]): Promise<bigint> {
  const { rows } = await sql<{ id: number; account: string; weight: number }>`
    select id, account_id as account, hashtext('commits ' || account_id) as weight from identities
    where id = any(${[...new Set(commits.flat())]}::integer[]) and account_id is not null`.execute(transaction);
  const people = new Map(rows.map(({ id, account, weight }) => [String(id), { account, weight }]));
  let total = 0n;
  for (const ids of commits) {
    const found = ids.flatMap((id) => people.get(id) ?? []);
    for (const weight of new Map(found.map((person) => [person.account, person.weight])).values())
      total += BigInt(weight);
  }
  return total;
}

/** The weight of the language of an address `k`, by which its commits are multiplied. */
const weightOfUses = sql`hashtext('commits ' || k.identity_id || ' ' || k.language)`;

function isOfDay({ repositoryId, days }: DayQuery): RawBuilder<boolean> {
  return sql`repository_id = ${repositoryId} and ${isDayIn(days, sql`day`)}`;
}
