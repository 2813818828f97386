import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { deleteReferring } from '../../database/schema/delete-some.ts';

/**
 * Repositories that are being erased: hidden rows without a name, which no listing finds, until all rows that refer to them
 * are deleted. The tables that are divided by repository follow later (`contributions/items/erase-store.ts`).
 */

/** The most that one step changes. */
export interface ErasedAtOnce {
  repositories: number;
  /** Rows that refer to them. */
  rows: number;
}

/** Begins the erasure of some repositories that were hidden before `before`. @returns how many. */
export function eraseHidden(connection: Connection, before: Date, limit: number): Promise<number> {
  return beginErasing(connection, sql`deleted_at < ${before} order by deleted_at limit ${limit}`);
}

/** Begins the erasure of some repositories of an account. @returns how many. */
export function eraseSomeRepositories(connection: Connection, ownerId: string, limit: number): Promise<number> {
  return beginErasing(connection, sql`owner_id = ${ownerId} order by id limit ${limit}`);
}

async function beginErasing(connection: Connection, which: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update repositories set erased_at = now(), deleted_at = coalesce(deleted_at, now()), external_id = 'erased ' || id,
      handle = '', name = 'erased ' || id, description = ''
    where id = any(array(
      select id from repositories where erased_at is null and ${which} for update skip locked))`.execute(connection);
  return Number(numAffectedRows);
}

/**
 * Removes some rows that refer to repositories that are being erased; those of the repositories themselves come last. A
 * process that is killed between any two statements leaves the rest to the next call.
 * @param options.onErased called in the transaction that removes repositories.
 * @returns how many rows; 0 when no repository is left, or others hold the rest.
 */
export async function eraseNextRepositories(
  connection: Connection,
  { repositories, rows }: ErasedAtOnce,
  { ownerId, onErased }: { ownerId?: string; onErased?: (transaction: Connection) => Promise<void> } = {},
): Promise<number> {
  const isOfOwner = ownerId === undefined ? sql`true` : sql`owner_id = ${ownerId}`;
  const found = await sql<{ id: string }>`
    select id from repositories where erased_at is not null and ${isOfOwner}
    order by erased_at, id limit ${repositories}`.execute(connection);
  if (found.rows.length === 0) return 0;
  const isErased = sql<boolean>`id = any(${found.rows.map(({ id }) => id)}::uuid[])`;
  const removed = await deleteReferring(connection, 'repositories', isErased, { limit: rows });
  if (removed > 0) return removed;
  return inTransaction(connection, async (transaction) => {
    const { numAffectedRows = 0n } = await sql`
      delete from repositories where id = any(array(
        select id from repositories where ${isErased} order by id for update skip locked))`.execute(transaction);
    if (numAffectedRows > 0n) await onErased?.(transaction);
    return Number(numAffectedRows);
  });
}
