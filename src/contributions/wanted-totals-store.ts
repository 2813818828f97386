import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';

/**
 * A change of visibility changes a user's numbers of all years. Counts of the service follow at once. Numbers
 * of the host are fetched again, those of earlier years too, and the account's numbers are incomplete until then.
 */

/** Notes that the totals of a user have to be fetched again. The transaction must have locked the account. */
export async function wantTotals(transaction: Connection, accountId: string, now: Date): Promise<void> {
  await sql`
    update accounts set totals_wanted_at = ${now}, provider_memory = null where id = ${accountId}`.execute(transaction);
  await sql`update reported_totals set provider_memory = null where account_id = ${accountId}`.execute(transaction);
}

/**
 * Stores that the totals of a user were fetched by requests that began at `startedAt`, and removes windows and the
 * calendar that the host reported before. Totals that were wanted later are fetched again, because these may be older.
 */
export async function settleTotals(transaction: Connection, accountId: string, startedAt: Date): Promise<void> {
  const { rows } = await sql<{ wantedAt: Date }>`
    select totals_wanted_at as "wantedAt" from accounts where id = ${accountId} and totals_wanted_at is not null`.execute(
    transaction,
  );
  const [wanted] = rows;
  if (wanted === undefined) return;
  if (wanted.wantedAt > startedAt) return wantTotals(transaction, accountId, wanted.wantedAt);
  await sql`update accounts set totals_wanted_at = null where id = ${accountId}`.execute(transaction);
  for (const table of ['reported_windows', 'calendars']) {
    await sql`
      delete from ${sql.table(table)} where account_id = ${accountId} and fetched_at <= ${startedAt}`.execute(
      transaction,
    );
  }
}
