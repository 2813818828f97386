import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { namesOfCommit } from '../languages/store.ts';
import {
  addressesOfCommit,
  commitsInSql,
  findAuthors,
  isCountedCommit,
  isOfDay,
  type LargeDay,
  namesOfCounted,
  readLargeDay,
  streamDay,
} from './large-day-store.ts';
import {
  added,
  type CheckedSums,
  daily,
  items,
  itemsInSql,
  ofItems,
  personOfItem,
  sum,
  weighted,
  weightedFiles,
} from './running-check-store.ts';

/**
 * The check of a large day. The days of people and languages are compared by their sums, in which each number has a weight,
 * because a day may have any number of people.
 */

/**
 * Counts a day that is marked, and compares the days of people and languages with its contributions.
 * @throws the reason of the signal.
 */
export async function countDay(
  connection: Connection,
  day: LargeDay,
  withLanguages: boolean,
): Promise<{ sums: CheckedSums; isRight: boolean }> {
  const {
    items: counted,
    authored,
    people,
    languages,
  } = await readLargeDay(connection, async (transaction) => ({
    items: await readItems(transaction, day),
    authored: await readCommits(transaction, day),
    people: await sumRows(transaction, day, {
      from: sql`contribution_days k where ${isOfDay(day)}`,
      numbers: [added(daily.map(weighted))],
    }),
    languages: await sumRows(transaction, day, {
      from: sql`language_days k where ${isOfDay(day)}`,
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
  day: LargeDay,
): Promise<{ counters: Record<string, bigint>; people: bigint; ofDays: bigint }> {
  const sums = { counters: Object.fromEntries(items.map(({ name }) => [name, 0n])), people: 0n, ofDays: 0n };
  const inDays = daily.filter(({ kind }) => kind !== 'commit');
  const columns = [added(ofItems.map(personOfItem)), added(inDays.map(personOfItem)), ...namesOfCounted(items)];
  for await (const row of streamDay(transaction, day, columns, itemsInSql(day.repositoryId, day.days))) {
    const [people = '', ofDays = '', ...counted] = row;
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
async function sumRows(transaction: Connection, day: LargeDay, { from, numbers }: Rows): Promise<bigint[]> {
  const sums: bigint[] = [];
  for await (const row of streamDay(transaction, day, numbers, from))
    for (const [index, number] of row.entries()) sums[index] = (sums[index] ?? 0n) + BigInt(number);
  return sums;
}

/**
 * Counts the commits of a day, the sum of their people, and of the files and commits of their languages. Those that wait to be
 * counted have languages already, and are in no other number.
 */
async function readCommits(
  transaction: Connection,
  day: LargeDay,
): Promise<{ commits: bigint; people: bigint; files: bigint; uses: bigint }> {
  const sums = { commits: 0n, people: 0n, files: 0n, uses: 0n };
  const found = sql`
    (select c.*, ${addressesOfCommit} as addresses, ${namesOfCommit} as names, ${isCountedCommit(day.repositoryId)} as is_counted
    from ${commitsInSql(day)}) f
    cross join lateral (
      select ${sum([weightedFiles])} as files, ${sum([weightOfUses])} as uses from (
        select u.identity_id, l.key as language, l.value::integer as files
        from unnest(f.names) as u (identity_id) cross join jsonb_each_text(f.languages) as l) k) l`;
  const columns = [sql`f.is_counted::integer`, sql`l.files`, sql`l.uses`, sql`f.addresses`];
  async function* counted(): AsyncGenerator<string[], void, undefined> {
    for await (const [isCounted = '', files = '', uses = '', ...ids] of streamDay(transaction, day, columns, found)) {
      sums.files += BigInt(files);
      sums.uses += BigInt(uses);
      if (isCounted === '0') continue;
      sums.commits += 1n;
      yield ids;
    }
  }
  for await (const authors of findAuthors(transaction, counted()))
    for (const { weight } of authors) sums.people += BigInt(weight);
  return sums;
}

/** The weight of the language of an address `k`, by which its commits are multiplied. */
const weightOfUses = sql`hashtext('commits ' || k.identity_id || ' ' || k.language)`;
