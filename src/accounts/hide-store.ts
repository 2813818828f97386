import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';

/** Accounts that their provider does not show to everybody, or does not have any more. */

/** Hides an account, where it is stored, that its provider has and does not show to everybody. */
export async function markHidden(
  connection: Connection,
  { provider, externalId }: { provider: string; externalId: string },
  now: Date,
): Promise<void> {
  await connection
    .updateTable('accounts')
    .set({ hidden_by_host: true, gone_at: null, checked_at: now })
    .where('provider', '=', provider)
    .where('external_id', '=', externalId)
    .execute();
}

/**
 * Hides an account that its provider does not show any more. One that the host hides looks the same to a reader without
 * rights, so that it stays as it is: its owner may still use it.
 */
export async function markGone(connection: Connection, id: string, now: Date): Promise<void> {
  await sql`
    update accounts set checked_at = ${now}, asked_at = case when asked_at is not null then ${now}::timestamptz end,
      gone_at = case when hidden_by_host then gone_at else coalesce(gone_at, ${now}) end,
      updated_at = case when hidden_by_host then updated_at else ${now} end
    where id = ${id}`.execute(connection);
}
