import { sql } from 'kysely';
import { namingColumns } from '../../../src/contributions/totals/orphan-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';

/**
 * Lists the columns, lists of ids included, that name a repository or an account that is not stored, except those of
 * repositories whose rows are still to be removed.
 */
export async function findOrphans(connection: Connection): Promise<string[]> {
  const found: string[] = [];
  for (const { table, column, of } of namingColumns) {
    const { rows } = await sql`
      select from ${sql.table(table)} where ${sql.ref(column)} is not null
        and ${sql.ref(column)} not in (select id from ${sql.table(of)})
        and repository_id not in (select repository_id from erased_repositories)`.execute(connection);
    if (rows.length > 0) found.push(`${table}.${column}`);
  }
  const { rows } = await sql`
    select from contributions cross join unnest(assignees || reviewers || reactors) as id
    where id not in (select id from accounts)
      and repository_id not in (select repository_id from erased_repositories)`.execute(connection);
  return rows.length > 0 ? [...found, 'contributions: lists'] : found;
}
