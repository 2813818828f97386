import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';

/** Hides a stored account that its provider has but does not show to the public. */
export async function markHidden(
  connection: Connection,
  { provider, externalId }: { provider: string; externalId: string },
  now: Date,
): Promise<void> {
  await connection
    .updateTable('accounts')
    .set({ hidden_by_host: true, deleted_at: null, checked_at: now })
    .where('provider', '=', provider)
    .where('external_id', '=', externalId)
    .execute();
}

/**
 * Marks an account that its provider does not show any more as deleted. An account that its host hides stays hidden:
 * without rights, the service cannot distinguish it from a deleted one, and its owner may still use it.
 */
export async function markDeleted(connection: Connection, id: string, now: Date): Promise<void> {
  await sql`
    update accounts set checked_at = ${now}, fetched_at = case when fetched_at is not null then ${now}::timestamptz end,
      deleted_at = case when hidden_by_host then deleted_at else coalesce(deleted_at, ${now}) end,
      updated_at = case when hidden_by_host then updated_at else ${now} end
    where id = ${id}`.execute(connection);
}
