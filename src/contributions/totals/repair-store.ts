import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import type { Repair } from '../../database/tables/contribution-tables.ts';
import { contributionKinds, ofPeople, storedCounters } from '../../model/kinds.ts';
import { contributionsIn } from './column-store.ts';
import { type Days, peopleInSql } from './expected-totals-store.ts';
import { type LargeDay, readLargeDay, streamDay } from './large-day-store.ts';

/**
 * The repair of the totals of people and languages of a repository, of which a check found that their sums differ. Each
 * part is one of the people or addresses in the order of their ids, so that no sum has to follow changes from one part to
 * the next: a part is exact when its transaction, which holds the totals, ends, and each later change adds to it.
 */

/** The place before all people, and before all addresses. */
export const beforePeople = '00000000-0000-0000-0000-000000000000';
export const beforeAddresses = 0;

/** Returns the next part of the repair of a repository; null: nothing has to be repaired. */
export async function findRepair(connection: Connection, repositoryId: string): Promise<Repair | null> {
  const row = await connection
    .selectFrom('repository_totals')
    .select('repair')
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return row?.repair ?? null;
}

/** Moves a repair, unless it is at another place meanwhile. Null: none. */
export async function moveRepair(
  connection: Connection,
  repositoryId: string,
  { from, to }: { from: Repair | null; to: Repair | null },
): Promise<void> {
  const [before, after] = [from, to].map((repair) => repair && JSON.stringify(repair));
  await sql`
    update repository_totals set repair = ${after}::jsonb
    where repository_id = ${repositoryId} and repair is not distinct from ${before}::jsonb`.execute(connection);
}

/** Finds people of some days of a repository without totals, of whom none are expected. */
export async function findLostPeople(
  connection: Connection,
  repositoryId: string,
  days: Days,
  limit: number,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select account_id as id from (${sql.join(
      peopleInSql(repositoryId, ofPeople(storedCounters), days).map((people) => sql`select account_id from ${people}`),
      sql` union `,
    )}) f
    where not exists (
      select from contributor_totals k where k.repository_id = ${repositoryId} and k.account_id = f.account_id)
    order by account_id limit ${limit}`.execute(connection);
  return rows.map(({ id }) => id);
}

/**
 * Finds the same on a large day.
 * @throws the reason of its signal.
 */
export function findLostPeopleOfDay(connection: Connection, day: LargeDay, limit: number): Promise<string[]> {
  return readLargeDay(connection, async (transaction) => {
    const lost = new Set<string>();
    let some = new Set<string>();
    for await (const id of streamPeople(transaction, day)) {
      some.add(id);
      if (some.size < limit) continue;
      for (const found of await findWithoutTotals(transaction, day.repositoryId, some)) lost.add(found);
      some = new Set();
      if (lost.size >= limit) break;
    }
    for (const found of await findWithoutTotals(transaction, day.repositoryId, some)) lost.add(found);
    return [...lost].slice(0, limit);
  });
}

/** Yields the people of a day, most of them several times, of its stored days and of the contributions that these do not contain. */
async function* streamPeople(transaction: Connection, day: LargeDay): AsyncGenerator<string, void, undefined> {
  for (const people of peopleInSql(day.repositoryId, ofPeople(storedCounters), day.days)) {
    for await (const [id] of streamDay(transaction, day, [sql`account_id`], people)) if (id !== undefined) yield id;
  }
}

async function findWithoutTotals(
  transaction: Connection,
  repositoryId: string,
  ids: ReadonlySet<string>,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${[...ids]}::uuid[]) as f (id)
    where not exists (
      select from contributor_totals k where k.repository_id = ${repositoryId} and k.account_id = f.id)`.execute(
    transaction,
  );
  return rows.map(({ id }) => id);
}

/**
 * Finds the next people of a repository that one statement compares, in the order of their ids.
 * @param after the last of those before.
 * @param limits the most people, and the contributions to the repository after which the part ends.
 */
export async function findNextPeople(
  connection: Connection,
  repositoryId: string,
  after: string,
  limits: { people: number; rows: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select account_id as id from (
      select account_id, sum(contributions) over (order by account_id) - contributions as before from (
        select account_id, ${contributionsIn(contributionKinds, 'k')}::bigint as contributions from contributor_totals k
        where repository_id = ${repositoryId} and account_id > ${after}::uuid
        order by account_id limit ${limits.people}) k) k
    where before < ${limits.rows} order by account_id`.execute(connection);
  return rows.map(({ id }) => id);
}
