import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import type { StoredCounter } from '../../model/kinds.ts';
import type { LanguagesOfDay } from '../languages/recount-store.ts';
import { namesOfCommit } from '../languages/store.ts';
import { columnInSql } from './column-store.ts';
import type { NumbersOfPerson } from './expected-totals-store.ts';
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
import { itemsInSql } from './running-check-store.ts';
import { type Compared, Tally } from './tally.ts';

/** The people or addresses of a large day that one pass compares, in the order of their ids. */
export interface Pass<Key> {
  /** The last one of the pass before. */
  after: Key;
  limit: number;
}

/** The numbers of those of a pass of which one differs. */
export interface Differences<Key, Numbers> {
  different: ReadonlyMap<Key, Numbers>;
  /** The last one of this pass; null: no pass is left. */
  until: Key | null;
}

/**
 * Finds people of a day whose numbers differ from its contributions. Commits that wait to be counted count nothing.
 * @param counters of days; others are neither counted nor compared.
 * @returns also the number of counted commits of the day, by all people.
 */
export async function findDifferentPeopleOfDay(
  connection: Connection,
  day: LargeDay,
  counters: readonly StoredCounter[],
  { after, limit }: Pass<string>,
): Promise<Differences<string, NumbersOfPerson> & { commits: number }> {
  const tally = new Tally(after, limit);
  const commits = await readLargeDay(connection, async (transaction) => {
    const counted = await addAuthors(transaction, day, tally);
    await addItems(transaction, day, counters, tally);
    const columns = [sql`account_id`, ...counters.map(({ name }) => columnInSql(name))];
    const stored = sql`contribution_days where ${isOfDay(day)}`;
    for await (const [id = '', ...numbers] of streamDay(transaction, day, columns, stored))
      for (const [index, { name }] of counters.entries()) tally.add(id, 'stored', name, Number(numbers[index]));
    return counted;
  });
  return { ...tally.end(), commits };
}

/** @returns the number of commits. */
async function addAuthors(transaction: Connection, day: LargeDay, tally: Tally<string>): Promise<number> {
  const found = sql`${commitsInSql(day)} and ${isCountedCommit(day.repositoryId)}`;
  const commits = streamDay(transaction, day, [addressesOfCommit], found);
  let number = 0;
  for await (const authors of findAuthors(transaction, commits)) {
    number += 1;
    for (const { accountId } of authors) tally.add(accountId, 'counted', 'commits', 1);
  }
  return number;
}

async function addItems(
  transaction: Connection,
  day: LargeDay,
  counters: readonly StoredCounter[],
  tally: Tally<string>,
): Promise<void> {
  const ofItems = counters.filter(({ kind }) => kind !== 'commit');
  if (ofItems.length === 0) return;
  const columns = [sql`c.account_id`, ...namesOfCounted(ofItems)];
  const items = sql`${itemsInSql(day.repositoryId, day.days)} where c.account_id is not null`;
  for await (const [id = '', ...counted] of streamDay(transaction, day, columns, items))
    for (const name of counted) tally.add(id, 'counted', name, 1);
}

/** Finds addresses of a day whose languages differ from its commits. */
export async function findDifferentLanguages(
  connection: Connection,
  day: LargeDay,
  { after, limit }: Pass<number>,
): Promise<Differences<number, LanguagesOfDay>> {
  const tally = new Tally(after, limit);
  await readLargeDay(connection, async (transaction) => {
    const commits = sql`${commitsInSql(day)} and c.languages is not null`;
    const ofCommit = [sql`array_to_string(${namesOfCommit}, ',')`, sql`c.languages`];
    for await (const [ids = '', ...text] of streamDay(transaction, day, ofCommit, commits)) {
      const languages: Record<string, number> = JSON.parse(text.join(' '));
      for (const [language, files] of Object.entries(languages))
        for (const id of ids.split(',')) addLanguage(tally, 'counted', Number(id), { language, files, commits: 1 });
    }
    const ofSum = [sql`identity_id`, sql`files`, sql`commits`, sql`language`];
    const sums = sql`language_days where ${isOfDay(day)}`;
    for await (const [id, files, uses, ...language] of streamDay(transaction, day, ofSum, sums)) {
      const numbers = { files: Number(files), commits: Number(uses) };
      addLanguage(tally, 'stored', Number(id), { language: language.join(' '), ...numbers });
    }
  });
  const { different, until } = tally.end();
  return { different: new Map([...different].map(([id, numbers]) => [id, toLanguages(numbers)])), until };
}

/** Adds both numbers of a language of an address, which have names of their own. */
function addLanguage(
  tally: Tally<number>,
  side: 'counted' | 'stored',
  addressId: number,
  { language, files, commits }: { language: string; files: number; commits: number },
): void {
  tally.add(addressId, side, `files ${language}`, files);
  tally.add(addressId, side, `commits ${language}`, commits);
}

function toLanguages(numbers: ReadonlyMap<string, Compared>): LanguagesOfDay {
  const counted = (name: string): number => numbers.get(name)?.counted ?? 0;
  const languages = [...numbers.keys()].flatMap((name) =>
    name.startsWith('files ') ? [name.slice('files '.length)] : [],
  );
  return new Map(
    languages.map((language) => [
      language,
      { files: counted(`files ${language}`), commits: counted(`commits ${language}`) },
    ]),
  );
}
