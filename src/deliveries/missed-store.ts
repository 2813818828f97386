import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';

/** The progress of the check of a provider's record of its deliveries. */
export interface DeliveryCheck {
  /** Every attempt before this time was checked. */
  checkedUntil: Date;
  /** The position of the running check; null: no check runs. */
  cursor: string | null;
  /** The time of the newest attempt that the running check has seen. */
  newestAt: Date | null;
}

export async function findCheck(connection: Connection, provider: string): Promise<DeliveryCheck | undefined> {
  const row = await connection
    .selectFrom('delivery_checks')
    .selectAll()
    .where('provider', '=', provider)
    .executeTakeFirst();
  return row && { checkedUntil: row.checked_until, cursor: row.cursor, newestAt: row.newest_at };
}

export async function saveCheck(connection: Connection, provider: string, check: DeliveryCheck): Promise<void> {
  const row = { checked_until: check.checkedUntil, cursor: check.cursor, newest_at: check.newestAt };
  await connection
    .insertInto('delivery_checks')
    .values({ provider, ...row })
    .onConflict((conflict) => conflict.column('provider').doUpdateSet(row))
    .execute();
}

/** Finds the deliveries that are stored. @returns their ids. */
export async function findArrived(
  connection: Connection,
  provider: string,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await connection
    .selectFrom('deliveries')
    .select('id')
    .where('provider', '=', provider)
    .where('id', 'in', ids)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** Finds the last failed attempt for which a redelivery was requested, and the number of requests; undefined: none. */
export async function findRedelivery(
  connection: Connection,
  provider: string,
  delivery: string,
): Promise<{ attempt: string; requests: number } | undefined> {
  const row = await connection
    .selectFrom('redeliveries')
    .selectAll()
    .where('provider', '=', provider)
    .where('delivery_id', '=', delivery)
    .executeTakeFirst();
  return row && { attempt: row.attempt_id, requests: row.requests };
}

/** Stores that a redelivery was requested because of a failed attempt. */
export async function saveRedelivery(
  connection: Connection,
  { provider, delivery, attempt }: { provider: string; delivery: string; attempt: string },
  now: Date,
): Promise<void> {
  await sql`
    insert into redeliveries as r (provider, delivery_id, attempt_id, requests, found_at)
    values (${provider}, ${delivery}, ${attempt}, 1, ${now})
    on conflict (provider, delivery_id)
      do update set attempt_id = excluded.attempt_id, requests = r.requests + 1`.execute(connection);
}

/** Deletes redeliveries from before a time, of which no provider has a record any more. */
export async function forgetRedeliveries(connection: Connection, before: Date): Promise<void> {
  await connection.deleteFrom('redeliveries').where('found_at', '<', before).execute();
}
