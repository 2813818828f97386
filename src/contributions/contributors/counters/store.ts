import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { type CounterName, counterNames, lifetimeOfPeople } from '../../../model/kinds.ts';
import { columnsInSql } from '../../totals/column-store.ts';

/** The lifetime counters of a repository, without `contributed_to`; forks have no `stars`. */
export type RepositoryCounters = Partial<Record<CounterName, number>>;

/** Finds the counters of a repository; all but the stars are 0 before its contributions are read. */
export async function findRepositoryCounters(
  connection: Connection,
  repositoryId: string,
): Promise<RepositoryCounters> {
  const { rows } = await sql<Record<string, number | null>>`
    with totals as (select ${columnsInSql(lifetimeOfPeople)} from repository_totals where repository_id = ${repositoryId})
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
