import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { ofDays, storedCounters } from '../../model/kinds.ts';
import { markAddressesCounted } from '../items/identity-store.ts';
import { holdRepository, lockTotals } from '../items/write-store.ts';
import { columnInSql } from './column-store.ts';
import { findNextDays } from './compare-totals-store.ts';
import { type CountedPeople, type Days, isDayIn, isMomentIn, summedDays } from './expected-totals-store.ts';
import { type CountOfDay, holdUnchanged } from './large-day-store.ts';

/**
 * Counts all commits of a repository again, because the account of an address was found or the whole history was read: some
 * days in each transaction, or some people of a large day. Each part adds the differences of its days to the days, the
 * people, the lists and the sums of the owner, so that these agree with each other between two parts too. The position of
 * the recount is stored with the totals: a process that is killed leaves the rest to the next one. It is removed by
 * everything that may change days before it: another account of an address (`markCommitsUncounted`), and commits that are
 * stored or removed (`restartRecount`).
 */

/** The position after the last day, as PostgreSQL writes it. */
const end = 'infinity';

/** The counters that a recount adds. */
export const recountedCounters = ofDays(storedCounters).filter(({ kind }) => kind === 'commit');

/**
 * Counts the next days of a repository. Must run in a transaction.
 * @param rows the number of commits, items of a kind or stored days after which the part ends with its last day.
 * @returns `done` when no days are left; the next day when it has more rows, so that it must be counted by
 * `addCounted`.
 */
export async function recountNextDays(
  transaction: Connection,
  repositoryId: string,
  rows: number,
): Promise<'more' | 'done' | Days> {
  await holdRepository(transaction, repositoryId);
  const from = await findPosition(transaction, repositoryId);
  if (from === end) return 'done';
  if (from === null) {
    if ((await removeUncounted(transaction, repositoryId, rows)) === rows) return 'more';
    // From now on, an account that is found for one of them begins the recount again.
    await markAddressesCounted(transaction, repositoryId);
  }
  const { isLarge, ...next } = await findNextDays(transaction, repositoryId, from, rows);
  if (isLarge && from !== null) return next;
  const until = isLarge ? next.from : next.until;
  await lockTotals(transaction, repositoryId);
  // Another transaction may have removed the position since, because it found an account or stored commits.
  if ((await findPosition(transaction, repositoryId)) !== from) return 'more';
  // Commits of days before the first one may have been stored since.
  const days = { from, until };
  await recountDays(transaction, repositoryId, days);
  await move(transaction, repositoryId, { until, commits: countCommits(repositoryId, days) });
  return until === null ? 'done' : 'more';
}

/**
 * Adds the differences of people on a large day, and moves the position behind it. Must run in a transaction.
 * @param commits the number of commits of the day; null: more people follow.
 * @returns false when the day changed since it was counted.
 */
export async function addCounted(
  transaction: Connection,
  counted: CountOfDay,
  days: CountedPeople,
  commits: number | null,
): Promise<boolean> {
  const { repositoryId } = counted;
  if (!(await holdUnchanged(transaction, counted, [...days.people.keys()]))) return false;
  if ((await findPosition(transaction, repositoryId)) !== days.from) return false;
  await addDifferences(transaction, repositoryId, days);
  if (commits !== null) await move(transaction, repositoryId, { until: days.until, commits: sql`${commits}::integer` });
  return true;
}

/**
 * Ends the recount of a repository, if no day is left. Must run in a transaction.
 * @returns whether all commits are counted.
 */
export async function endRecount(transaction: Connection, repositoryId: string): Promise<boolean> {
  await lockTotals(transaction, repositoryId);
  const { rows } = await sql`
    update repository_totals set commits = recounted_commits, commits_counted = true, recounted_until = null,
      recounted_commits = 0, is_changed = is_changed or commits <> recounted_commits
    where repository_id = ${repositoryId} and recounted_until = ${end} returning 1`.execute(transaction);
  if (rows.length > 0) await sql`select mark_unsummed(array[${repositoryId}::uuid])`.execute(transaction);
  return rows.length > 0;
}

async function findPosition(transaction: Connection, repositoryId: string): Promise<string | null> {
  const row = await transaction
    .selectFrom('repository_totals')
    .select('recounted_until')
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return row?.recounted_until ?? null;
}

/** Removes some commits from those that wait to be counted. @returns how many. */
async function removeUncounted(transaction: Connection, repositoryId: string, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from uncounted_commits where repository_id = ${repositoryId} and oid = any(array(
      select oid from uncounted_commits where repository_id = ${repositoryId} order by oid limit ${limit}))`.execute(
    transaction,
  );
  return Number(numAffectedRows);
}

/** Adds the differences of some days. */
async function recountDays(transaction: Connection, repositoryId: string, days: Days): Promise<void> {
  const differences = recountedCounters.map(({ name }) => {
    const [summed, stored] = [columnInSql(name, 's'), columnInSql(name, 'k')];
    return sql`(${name}, coalesce(${summed}, 0) - coalesce(${stored}, 0))`;
  });
  await sql`
    with ${summedDays(repositoryId, recountedCounters, days)}
    select count_changes(array_agg(${repositoryId}::uuid), array_agg(account_id), array_agg(day), array_agg(counter),
      array_agg(added::bigint), array_agg(0::bigint))
    from (
      select account_id, day, v.counter, v.added
      from summed s full join (
        select * from contribution_days where repository_id = ${repositoryId} and ${isDayIn(days, sql`day`)}
      ) k using (account_id, day)
      cross join lateral (values ${sql.join(differences)}) as v (counter, added)
      where v.added <> 0) changes`.execute(transaction);
}

/** Adds the differences of people on a day that was counted. */
async function addDifferences(
  transaction: Connection,
  repositoryId: string,
  { from, people }: CountedPeople,
): Promise<void> {
  const changes = [...people]
    .flatMap(([id, numbers]) =>
      [...numbers].map(([counter, { counted, stored }]) => ({ id, counter, added: counted - stored })),
    )
    .filter(({ added }) => added !== 0);
  if (changes.length === 0) return;
  const size = sql`array[${changes.length}::integer]`;
  await sql`
    select count_changes(array_fill(${repositoryId}::uuid, ${size}), ${changes.map(({ id }) => id)}::uuid[],
      array_fill(${from}::date, ${size}), ${changes.map(({ counter }) => counter)}::text[],
      ${changes.map(({ added }) => added)}::bigint[], array_fill(0::bigint, ${size}))`.execute(transaction);
}

/** Returns SQL for the number of commits of some days. */
function countCommits(repositoryId: string, days: Days): RawBuilder<unknown> {
  return sql`
    (select count(*) from commits where repository_id = ${repositoryId} and ${isMomentIn(days, sql`authored_at`)})`;
}

/** Moves the position behind days with a number of commits. */
async function move(
  transaction: Connection,
  repositoryId: string,
  { until, commits }: { until: string | null; commits: RawBuilder<unknown> },
): Promise<void> {
  await sql`
    update repository_totals set recounted_until = coalesce(${until}::date, ${end}),
      recounted_commits = recounted_commits + ${commits}
    where repository_id = ${repositoryId}`.execute(transaction);
}
