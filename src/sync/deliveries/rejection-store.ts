import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';

/** The number of deliveries to a provider's address that were rejected for one reason, and the first and last time. */
export interface RejectionCount {
  provider: string;
  reason: string;
  count: number;
  firstAt: Date;
  lastAt: Date;
}

/** Adds counts to those that are stored. */
export async function addRejections(connection: Connection, counts: readonly RejectionCount[]): Promise<void> {
  const rows = counts.map(({ provider, reason, count, firstAt, lastAt }) => ({
    provider,
    reason,
    count,
    first_at: firstAt,
    last_at: lastAt,
  }));
  await sql`
    insert into rejected_deliveries as r (provider, reason, count, first_at, last_at)
    select provider, reason, count, first_at, last_at
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as c (provider text, reason text, count bigint, first_at timestamptz, last_at timestamptz)
    order by provider, reason
    on conflict (provider, reason) do update set
      count = r.count + excluded.count, last_at = greatest(r.last_at, excluded.last_at)`.execute(connection);
}

export async function findRejections(connection: Connection): Promise<RejectionCount[]> {
  const rows = await connection.selectFrom('rejected_deliveries').selectAll().orderBy('last_at', 'desc').execute();
  return rows.map(({ provider, reason, count, first_at, last_at }) => ({
    provider,
    reason,
    count,
    firstAt: first_at,
    lastAt: last_at,
  }));
}

/** Deletes counts of rejections that have not occurred since a time: one for each host and reason, so never many. */
export async function deleteRejections(connection: Connection, before: Date): Promise<void> {
  await connection.deleteFrom('rejected_deliveries').where('last_at', '<', before).execute();
}
