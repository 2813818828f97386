import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { streamRows } from '../../database/reads/stream-rows.ts';
import type { StoredCounter } from '../../model/kinds.ts';
import { holdAccounts, lockTotals } from '../items/write-store.ts';
import { counts } from './column-store.ts';
import { type Days, isDayIn, isMomentIn } from './expected-totals-store.ts';

/**
 * A day of a repository with more rows than one statement may take. A cursor reads all of its rows, few at a time, and holds no
 * lock meanwhile. What follows from them is stored later, if the day is still the same: `repository_totals` has a mark with
 * the day, which everything that changes one of its numbers removes.
 */
export interface LargeDay {
  repositoryId: string;
  days: Days;
  /** Ends the reading. */
  signal: AbortSignal;
}

/**
 * Marks a day as the one that is counted. Must run in a transaction.
 * @returns the number of the count; null: the repository has no totals.
 */
export async function beginDay(transaction: Connection, repositoryId: string, day: string): Promise<number | null> {
  await lockTotals(transaction, repositoryId);
  const { rows } = await sql<{ countings: number }>`
    update repository_totals set counting_day = ${day}::date, countings = countings + 1
    where repository_id = ${repositoryId} returning countings`.execute(transaction);
  return rows[0]?.countings ?? null;
}

/** SQL that is true for totals `t` whose day did not change since it was marked. */
export function isUnchangedSince(count: number): RawBuilder<boolean> {
  return sql`t.counting_day is not null and t.countings = ${count}`;
}

/** A day that was counted. */
export interface CountOfDay {
  repositoryId: string;
  /** The number of the count. */
  count: number;
}

/**
 * Locks the totals, to store numbers that were counted. Must run in a transaction.
 * @param people the accounts that it stores.
 * @returns false when the day changed since it was marked, or a person is being erased.
 */
export async function holdUnchanged(
  transaction: Connection,
  { repositoryId, count }: CountOfDay,
  people: readonly string[],
): Promise<boolean> {
  await lockTotals(transaction, repositoryId);
  const { rows } = await sql`
    select from repository_totals t where t.repository_id = ${repositoryId} and ${isUnchangedSince(count)}`.execute(
    transaction,
  );
  return rows.length > 0 && (await holdAccounts(transaction, people)).size === people.length;
}

/** Reads a day as of one moment. */
export function readLargeDay<Result>(
  connection: Connection,
  read: (transaction: Connection) => Promise<Result>,
): Promise<Result> {
  return connection.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}

/**
 * Yields the columns of each row of a query about a day.
 * @param columns numbers and texts, of which null is left out; a text with spaces is yielded as several ones.
 * @throws the reason of the signal.
 */
export async function* streamDay(
  transaction: Connection,
  { signal }: LargeDay,
  columns: readonly RawBuilder<unknown>[],
  from: RawBuilder<unknown>,
): AsyncGenerator<string[], void, undefined> {
  const query = sql<{ row: string }>`select concat_ws(' ', ${sql.join(columns)}) as row from ${from}`;
  for await (const row of streamRows(transaction, query)) {
    signal.throwIfAborted();
    yield row === '' ? [] : row.split(' ');
  }
}

/** The most commits of which one statement finds the people. */
const commitsAtOnce = 1000;

/** An account, and its weight in the sum of the commits of people. */
interface Author {
  accountId: string;
  weight: number;
}

/**
 * Yields the people of each commit, each person once. They are found in statements of their own: Citus 13.2.2 ends with a
 * segmentation fault on a cursor that reads commits and addresses.
 * @param commits the ids of the addresses of each commit.
 */
export async function* findAuthors(
  transaction: Connection,
  commits: AsyncIterable<readonly string[]>,
): AsyncGenerator<Author[], void, undefined> {
  let some: (readonly string[])[] = [];
  for await (const ids of commits) {
    some.push(ids);
    if (some.length < commitsAtOnce) continue;
    yield* await findSome(transaction, some);
    some = [];
  }
  yield* await findSome(transaction, some);
}

async function findSome(transaction: Connection, commits: readonly (readonly string[])[]): Promise<Author[][]> {
  const { rows } = await sql<Author & { id: number }>`
    select id, account_id as "accountId", hashtext('commits ' || account_id) as weight from identities
    where id = any(${[...new Set(commits.flat())]}::integer[]) and account_id is not null`.execute(transaction);
  const people = new Map(rows.map(({ id, ...author }) => [String(id), author]));
  return commits.map((ids) => {
    const found = ids.flatMap((id) => people.get(id) ?? []);
    return [...new Map(found.map((author) => [author.accountId, author])).values()];
  });
}

/** SQL for the ids of the addresses of a commit `c`, separated by spaces; null: it has none. */
export const addressesOfCommit = sql`nullif(array_to_string(c.identity_ids, ' '), '')`;

/** Returns SQL for the commits `c` of a day. */
export function commitsInSql({ repositoryId, days }: LargeDay): RawBuilder<unknown> {
  return sql`commits c where c.repository_id = ${repositoryId} and ${isMomentIn(days, sql`c.authored_at`)}`;
}

/** Returns the condition that a commit `c` is counted. */
export function isCountedCommit(repositoryId: string): RawBuilder<boolean> {
  return sql`not exists (select from uncounted_commits u where u.repository_id = ${repositoryId} and u.oid = c.oid)`;
}

/** Returns, for each counter, SQL for its name when the contribution `c` counts for it; null otherwise. */
export function namesOfCounted(counters: readonly StoredCounter[]): RawBuilder<unknown>[] {
  return counters.map((counter) => sql`case when ${counts(counter)} then ${sql.lit(counter.name)} end`);
}

/** Returns the condition for stored rows of a day. */
export function isOfDay({ repositoryId, days }: LargeDay): RawBuilder<boolean> {
  return sql`repository_id = ${repositoryId} and ${isDayIn(days, sql`day`)}`;
}
