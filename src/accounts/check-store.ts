import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import type { AccountType } from './account.ts';

/** An account for which a check is due whether its host still shows it. */
export interface CheckedAccount {
  id: string;
  externalId: string;
  handle: string;
  type: AccountType;
  name: string;
  memory: null;
}

/**
 * Finds up to `limit` accounts in lists of contributors for which the host was last checked before `before`, whether it
 * still shows them. Accounts that were never checked come first.
 */
export async function findDueChecks(
  connection: Connection,
  provider: string,
  before: Date,
  limit: number,
): Promise<CheckedAccount[]> {
  const { rows } = await sql<CheckedAccount>`
    select id, external_id as "externalId", handle, type, name, null as memory from accounts
    where provider = ${provider} and not pinned and erased_at is null and (checked_at is null or checked_at < ${before})
      and id in (select account_id from contributor_totals)
    order by checked_at nulls first limit ${limit}`.execute(connection);
  return rows;
}

/** Records that accounts were checked at `now`, with any outcome, so that the next check is not due for a while. */
export async function markChecked(connection: Connection, ids: readonly string[], now: Date): Promise<void> {
  await sql`update accounts set checked_at = ${now} where id = any(${ids}::uuid[])`.execute(connection);
}
