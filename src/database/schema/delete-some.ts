import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../connections/connection.ts';
import type { Tables } from '../tables/tables.ts';

/** The rows that one statement deletes. */
export interface Deletion {
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
