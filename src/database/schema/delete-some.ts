import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../connections/connection.ts';
import type { Tables } from '../tables/tables.ts';

interface DeletionOptions {
  /** The most rows that one call deletes. */
  limit: number;
  /** Tables whose rows stay. */
  except?: readonly string[];
}

interface Reference {
  table: string;
  to: string;
  columns: string[];
  /** The columns of the other table that they refer to. */
  referred: string[];
}

interface Rows {
  table: string;
  where: RawBuilder<boolean>;
}

/** The rows that one statement deletes. */
interface Deletion {
  where: RawBuilder<unknown>;
  /** The columns of an index that finds the rows, so that the cost follows the deleted rows and not the stored ones. */
  orderBy: RawBuilder<unknown>;
  limit: number;
  /** Waits for rows that other transactions hold, which are left out otherwise and stay until a later call. */
  waits?: boolean;
}

/** Deletes up to `limit` rows, those at the front of an index. @returns how many were deleted. */
export async function deleteSome(
  connection: Connection,
  table: keyof Tables,
  { where, orderBy, limit, waits = false }: Deletion,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${where} order by ${orderBy} limit ${limit}
      for update ${waits ? sql`` : sql`skip locked`}))`.execute(connection);
  return Number(numAffectedRows);
}

/**
 * Deletes some rows that would be deleted with the rows of a table that meet a condition, those without further rows first: a
 * statement that deletes a row deletes no others by cascade. The catalog names the tables, so that none is forgotten. Rows
 * that other transactions hold stay.
 * @returns how many; 0 when none are left, or others hold them.
 */
export async function deleteReferring(
  connection: Connection,
  table: string,
  where: RawBuilder<boolean>,
  options: DeletionOptions,
): Promise<number> {
  const references = await findReferences(connection);
  return deleteReferringTo(connection, { table, where }, { ...options, references });
}

async function deleteReferringTo(
  connection: Connection,
  { table, where }: Rows,
  options: DeletionOptions & { references: readonly Reference[] },
): Promise<number> {
  let deleted = 0;
  for (const reference of options.references) {
    if (reference.to !== table || options.except?.includes(reference.table) === true) continue;
    const [columns, referred] = [reference.columns, reference.referred].map((names) =>
      sql.join(names.map((name) => sql.ref(name))),
    );
    const isReferring = sql<boolean>`(${columns}) in (select ${referred} from ${sql.table(table)} where ${where})`;
    const rows = { table: reference.table, where: isReferring };
    deleted += await deleteReferringTo(connection, rows, { ...options, limit: options.limit - deleted });
    if (deleted < options.limit) deleted += await deleteAny(connection, rows, options.limit - deleted);
    if (deleted >= options.limit) break;
  }
  return deleted;
}

async function deleteAny(connection: Connection, { table, where }: Rows, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${where} limit ${limit} for update skip locked))`.execute(connection);
  return Number(numAffectedRows);
}

async function findReferences(connection: Connection): Promise<Reference[]> {
  const { rows } = await sql<Reference>`
    select c.conrelid::regclass::text as table, c.confrelid::regclass::text as to,
      ${columnsIn('c.conkey', 'c.conrelid')} as columns, ${columnsIn('c.confkey', 'c.confrelid')} as referred
    from pg_constraint c
    where c.contype = 'f' and c.confdeltype = 'c' and c.conrelid <> c.confrelid
      and c.connamespace = current_schema()::regnamespace
    order by 1, 2`.execute(connection);
  return rows;
}

/** Returns SQL for the names of the columns whose numbers are in a column of the catalog. */
function columnsIn(key: string, relation: string): RawBuilder<unknown> {
  return sql`array(
    select a.attname::text from unnest(${sql.ref(key)}) with ordinality as k (number, place)
    join pg_attribute a on a.attrelid = ${sql.ref(relation)} and a.attnum = k.number order by k.place)`;
}
