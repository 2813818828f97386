import { sql } from 'kysely';
import { AppError } from '../../model/errors.ts';
import type { Database } from '../connections/connection.ts';
import { countPartitions, transact } from '../migrations/apply-migrations.ts';
import { type Reporting, waitForOtherNodes, withMigratingConnections } from '../migrations/migrating-session.ts';
import type { MigratingTransaction } from '../migrations/migration.ts';
import type { DividedTable } from '../tables/divided-tables.ts';

/** The divided tables that make up nearly all stored data. */
export const partitionedNames: readonly DividedTable[] = [
  'repository_totals',
  'contributor_totals',
  'contribution_days',
  'contributions',
  'commits',
  'language_days',
];
/** A statement about a person looks into each partition. */
export const maxPartitions = 256;

/**
 * Writes the large tables again, as partitions by the hash of the repository; 1: as plain tables. Each table is a
 * transaction, which keeps all others from it, so no node should run. After a stop, the next run continues with the
 * other tables.
 * @returns the tables that were written.
 * @throws AppError `invalid_input` when the number is out of range.
 */
export async function partition(
  { sessionConfig }: Pick<Database, 'sessionConfig'>,
  count: number,
  report: Reporting,
): Promise<string[]> {
  if (!Number.isSafeInteger(count) || count < 1 || count > maxPartitions) {
    throw new AppError('invalid_input', `The number of partitions is between 1 and ${maxPartitions}.`);
  }
  const written: string[] = [];
  await withMigratingConnections(sessionConfig, async ({ session }) => {
    await waitForOtherNodes(session, report);
    for (const table of partitionedNames) {
      if ((await countPartitions(session, table)) === count) continue;
      report.log(`${table}: ${count === 1 ? 'becomes one table' : `becomes ${count} partitions`}`);
      await transact(session, table, report, (transaction) => rewrite(transaction, table, count));
      await sql`analyze ${sql.table(table)}`.execute(session);
      written.push(table);
    }
  });
  return written;
}

/** Copies a table with its rows, keys and indexes, and replaces it by the copy. */
async function rewrite(transaction: MigratingTransaction, table: DividedTable, count: number): Promise<void> {
  const copy = `${table}_copy`;
  await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(transaction);
  const { keys, indexes } = await readIndexes(transaction, table);
  const like = sql`create table ${sql.table(copy)} (like ${sql.table(table)} including all excluding indexes)`;
  await sql`${like} ${count === 1 ? sql`` : sql`partition by hash (repository_id)`}`.execute(transaction);
  for (const place of Array.from({ length: count === 1 ? 0 : count }).keys()) {
    await sql`
      create table ${sql.table(`${table}_of_${count}_${place}`)} partition of ${sql.table(copy)}
      for values with (modulus ${sql.lit(count)}, remainder ${sql.lit(place)})`.execute(transaction);
  }
  const { numAffectedRows } = await sql`
    insert into ${sql.table(copy)} select * from ${sql.table(table)}`.execute(transaction);
  const { rows } = await sql<{ count: string }>`
    select count(*)::text as count from ${sql.table(table)}`.execute(transaction);
  if (rows[0]?.count !== String(numAffectedRows)) throw new Error(`${table}: some rows were not copied`);
  await sql`drop table ${sql.table(table)}`.execute(transaction);
  await sql`alter table ${sql.table(copy)} rename to ${sql.id(table)}`.execute(transaction);
  for (const { name, definition } of keys) {
    await sql`
      alter table ${sql.table(table)} add constraint ${sql.id(name)} ${sql.raw(definition)}`.execute(transaction);
  }
  for (const { definition } of indexes) await sql.raw(definition.replace(' ON ONLY ', ' ON ')).execute(transaction);
}

interface Named {
  name: string;
  definition: string;
}

async function readIndexes(
  transaction: MigratingTransaction,
  table: DividedTable,
): Promise<{ keys: Named[]; indexes: Named[] }> {
  const keys = await sql<Named>`
    select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = ${table}::regclass and contype in ('p', 'u') order by conname`.execute(transaction);
  const indexes = await sql<Named>`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
    where indrelid = ${table}::regclass and indisvalid
      and not exists (select from pg_constraint where conindid = indexrelid and conrelid = ${table}::regclass)
    order by 1`.execute(transaction);
  return { keys: keys.rows, indexes: indexes.rows };
}
