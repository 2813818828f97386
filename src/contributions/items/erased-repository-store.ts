import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { type DividedTable, dividedNames, keysInRepository } from '../../database/tables/divided-tables.ts';

/** The most rows that one transaction removes. */
const atOnce = 5000;

/**
 * Removes the rows of erased repositories, in several transactions; totals come first, because reads sum them up. No
 * rows are added meanwhile, because writers lock the row of the repository itself, which is deleted.
 * @param limit the number of rows after which the function stops.
 * @returns `more` when rows may be left.
 */
export async function removeErasedRows(connection: Connection, limit: number): Promise<'done' | 'more'> {
  for (let removed = 0; removed < limit; ) {
    const size = Math.min(atOnce, limit - removed);
    const batch = await inTransaction(connection, (transaction) => removeBatch(transaction, size));
    if (batch === 0) return 'done';
    removed += batch;
  }
  return 'more';
}

/**
 * @returns the number of removed rows; 1 when the repository has none left; 0 when no erased repository is left.
 */
async function removeBatch(transaction: Connection, limit: number): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select repository_id as id from erased_repositories order by repository_id
    limit 1 for update skip locked`.execute(transaction);
  const [erased] = rows;
  if (erased === undefined) return 0;
  for (const table of dividedNames) {
    const removed = await removeRows(transaction, table, erased.id, limit);
    // One table in each transaction: others lock addresses before totals, and reads need totals to be removed first.
    if (removed > 0) return removed;
  }
  await deleteRecord(transaction, erased.id);
  return 1;
}

/**
 * Removes the record of an erased repository, if it has no rows left. Rows may be left, because a row that another
 * transaction updated has a new ctid, and the deletion that waited for that transaction missed it.
 */
async function deleteRecord(transaction: Connection, repositoryId: string): Promise<void> {
  const isLeft = dividedNames.map(
    (table) => sql`exists (select 1 from ${sql.table(table)} where repository_id = ${repositoryId})`,
  );
  await sql`
    delete from erased_repositories where repository_id = ${repositoryId} and not (${sql.join(isLeft, sql` or `)})`.execute(
    transaction,
  );
}

async function removeRows(
  transaction: Connection,
  table: DividedTable,
  repositoryId: string,
  limit: number,
): Promise<number> {
  const isOfRepository: RawBuilder<boolean> = sql`repository_id = ${repositoryId}`;
  // Locked in the order of the key, because a change of addresses locks rows of many repositories in that order.
  const key = sql.join(['repository_id', ...keysInRepository[table]].map((column) => sql.ref(column)));
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where ${isOfRepository} and ctid = any(array(
      select ctid from ${sql.table(table)} where ${isOfRepository}
      order by ${key} limit ${limit} for update))`.execute(transaction);
  return Number(numAffectedRows);
}
