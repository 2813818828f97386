import { sql } from 'kysely';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import type { Connection } from '../../database/connections/connection.ts';

interface DayQuery {
  accountId: string;
  /** The first day; `to` is the last day. Both are included. */
  from: string;
  to: string;
  withPrivate: boolean;
}

/**
 * Returns whether a repository to which the account contributed on these days is still being read for the first time.
 */
export async function isCollectingDays(
  connection: Connection,
  { accountId, from, to, withPrivate }: DayQuery,
): Promise<boolean> {
  const { rows } = await sql`
    with days as (
      select repository_id from contribution_days where account_id = ${accountId} and day between ${from}::date and ${to}::date
    )
    select d.repository_id from days d join repositories r on r.id = d.repository_id
    join streams s on s.repository_id = r.id
    where (${withPrivate}::boolean or not r.is_private) and ${isPresentInSql('r')}
      and s.completed_at is null and is_read_again(s.failure) limit 1`.execute(connection);
  return rows.length > 0;
}
