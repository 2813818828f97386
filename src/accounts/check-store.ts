import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import type { AccountType } from './account.ts';

/** An account of which it is to be found out whether its host still shows it. */
export interface CheckedAccount {
  id: string;
  externalId: string;
  handle: string;
  type: AccountType;
  name: string;
  memory: null;
}

/**
 * Finds accounts that are in lists of contributors and of which their host has not said since `before` whether it shows them;
 * those that were never checked come first.
 */
export async function findDueChecks(
  connection: Connection,
  provider: string,
  before: Date,
  limit: number,
): Promise<CheckedAccount[]> {
  const { rows } = await sql<CheckedAccount>`
    select id, external_id as "externalId", handle, type, name, null as memory from accounts a
    where provider = ${provider} and not pinned and (checked_at is null or checked_at < ${before})
      and exists (select from contributor_totals t where t.account_id = a.id)
    order by checked_at nulls first limit ${limit}`.execute(connection);
  return rows;
}

/** Leaves accounts alone for a while, whatever was learnt of them. */
export async function markChecked(connection: Connection, ids: readonly string[], now: Date): Promise<void> {
  await sql`update accounts set checked_at = ${now} where id = any(${ids}::uuid[])`.execute(connection);
}
