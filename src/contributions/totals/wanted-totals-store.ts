import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import type { Account } from '../../model/account.ts';

/**
 * A change of visibility changes a user's numbers of all years. Counts of the service follow at once. Numbers
 * of the host are fetched again, those of earlier years too, and the account's numbers are incomplete until then.
 */

/** The most repositories of which the people are looked for; while more have changed, any account may be among them. */
const maxChanged = 10_000;

/**
 * Returns whether a change of visibility may have changed the totals of an account since they were stored. The people of a
 * repository may be thousands, so the transaction of the change records the repository alone, and jobs record them later.
 */
export async function areTotalsWanted(
  connection: Connection,
  { id, type, totalsWantedAt }: Pick<Account, 'id' | 'type' | 'totalsWantedAt'>,
): Promise<boolean> {
  if (totalsWantedAt !== null) return true;
  if (type === 'organization') return false;
  const { rows: recorded } = await sql`
    select from changed_contributors where account_id = ${id} and is_visibility limit 1`.execute(connection);
  if (recorded.length > 0) return true;
  const { rows: changed } = await sql<{ id: string }>`
    select repository_id as id from changed_repositories limit ${maxChanged}`.execute(connection);
  if (changed.length === 0) return false;
  if (changed.length === maxChanged) return true;
  const ids = changed.map(({ id: repositoryId }) => repositoryId);
  const { rows } = await sql`
    select from contributor_totals where account_id = ${id} and repository_id = any(${ids}::uuid[]) limit 1`.execute(
    connection,
  );
  return rows.length > 0;
}

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
