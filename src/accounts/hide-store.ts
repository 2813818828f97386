import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';

/** Hides accounts that their provider hides or no longer has. */

/** Hides a stored account that its provider has but does not show to the public. */
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
 * Hides an account that its provider does not show any more. An account that its host hides keeps that state, because
 * to a reader without rights it looks the same as a deleted one, and its owner may still use it.
 */
export async function markGone(connection: Connection, id: string, now: Date): Promise<void> {
  await sql`
    update accounts set checked_at = ${now}, asked_at = case when asked_at is not null then ${now}::timestamptz end,
      gone_at = case when hidden_by_host then gone_at else coalesce(gone_at, ${now}) end,
      updated_at = case when hidden_by_host then updated_at else ${now} end
    where id = ${id}`.execute(connection);
}
