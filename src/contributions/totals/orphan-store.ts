import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { accountColumns, type DividedTable, dividedNames } from '../../database/tables/divided-tables.ts';
import { removeFromSomeRows } from '../items/erase-store.ts';

/** Rows that name a repository or an account that is not stored: foreign keys would refuse them. */

/** A column that names repositories or accounts. */
export interface NamingColumn {
  table: DividedTable;
  column: string;
  of: 'repositories' | 'accounts';
}

/** All columns without a foreign key. */
export const namingColumns: readonly NamingColumn[] = [
  ...dividedNames.map((table) => ({ table, column: 'repository_id', of: 'repositories' as const })),
  ...accountColumns.map(({ table, column }) => ({ table, column, of: 'accounts' as const })),
];

/** The lowest position in the order of ids: no id is as low. */
const start = '00000000-0000-0000-0000-000000000000';

/**
 * Compares the next ids in a column with the stored repositories or accounts. Records an unknown repository as erased,
 * so that `removeErasedRows` removes its rows, and removes an unknown account from all rows.
 * @returns the number of unknown ids, and the position of the next batch; undefined at the end.
 */
export async function repairOrphans(
  connection: Connection,
  { table, column, of }: NamingColumn,
  { after = start, limit }: { after?: string | undefined; limit: number },
): Promise<{ found: number; last: string | undefined }> {
  const { rows } = await sql<{ unknown: string[]; last: string | null; size: number }>`
    with named as materialized (select next_ids(${table}, ${column}, ${after}::uuid, ${limit}::integer) as ids)
    select ids[cardinality(ids)] as last, cardinality(ids) as size, array(
      select u.id from unnest(ids) as u (id)
      where not exists (select from ${sql.table(of)} known where known.id = u.id)
        and not exists (select from erased_repositories e where e.repository_id = u.id)) as unknown
    from named`.execute(connection);
  const { unknown = [], last = null, size = 0 } = rows[0] ?? {};
  if (of === 'repositories') await recordErased(connection, unknown);
  else for (const id of unknown) while ((await removeFromSomeRows(connection, id)) > 0);
  return { found: unknown.length, last: size < limit ? undefined : (last ?? undefined) };
}

async function recordErased(connection: Connection, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await connection
    .insertInto('erased_repositories')
    .values(ids.map((id) => ({ repository_id: id })))
    .onConflict((on) => on.doNothing())
    .execute();
}
