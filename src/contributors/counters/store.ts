import { sql } from 'kysely';
import { columnsOf } from '../../contributions/column-store.ts';
import { type CounterName, counterNames, lifetimeOfPeople } from '../../contributions/kinds.ts';
import type { Connection } from '../../database/connection.ts';

/** The counters of a repository: those of an account without the number of repositories; forks have no stars of their own. */
export type RepositoryCounters = Partial<Record<CounterName, number>>;

/** Finds the counters of a repository; none is known before its contributions are read. */
export async function findRepositoryCounters(
  connection: Connection,
  repositoryId: string,
): Promise<RepositoryCounters> {
  const { rows } = await sql<Record<string, number | null>>`
    with totals as (select ${columnsOf(lifetimeOfPeople)} from repository_totals where repository_id = ${repositoryId})
    select t.*, case when not r.is_fork then r.stars end as stars
    from repositories r left join totals t on true where r.id = ${repositoryId}`.execute(connection);
  const [row = {}] = rows;
  const isOfFork = row['stars'] === null;
  return Object.fromEntries(
    counterNames
      .filter((name) => name !== 'contributed_to' && !(isOfFork && name === 'stars'))
      .map((name) => [name, row[name] ?? 0]),
  );
}
