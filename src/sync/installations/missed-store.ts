import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { deleteSome } from '../../database/schema/delete-some.ts';

/** The progress of the check of a provider's record of its deliveries. */
interface DeliveryCheck {
  /** Every attempt before this time was checked. */
  checkedUntil: Date;
  /** The position of the running check; null: no check runs. */
  cursor: string | null;
  /** The time of the newest attempt that the running check has seen. */
  newestAt: Date | null;
}

export async function findCheck(connection: Connection, provider: string): Promise<DeliveryCheck | undefined> {
  return connection
    .selectFrom('delivery_checks')
    .select(['checked_until as checkedUntil', 'cursor', 'newest_at as newestAt'])
    .where('provider', '=', provider)
    .executeTakeFirst();
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

/** Finds the deliveries of which a redelivery was requested. @returns their ids. */
export async function findRequested(
  connection: Connection,
  provider: string,
  deliveries: readonly string[],
): Promise<Set<string>> {
  if (deliveries.length === 0) return new Set();
  const rows = await connection
    .selectFrom('redeliveries')
    .select('delivery_id')
    .where('provider', '=', provider)
    .where('delivery_id', 'in', deliveries)
    .execute();
  return new Set(rows.map((row) => row.delivery_id));
}

/** Stores that a redelivery was requested because of a failed attempt. */
export async function saveRedelivery(
  connection: Connection,
  { provider, delivery, attempt }: { provider: string; delivery: string; attempt: string },
  now: Date,
): Promise<void> {
  await sql`
    insert into redeliveries (provider, delivery_id, attempt_id, requests, found_at)
    values (${provider}, ${delivery}, ${attempt}, 1, ${now})
    on conflict do nothing`.execute(connection);
}

/**
 * Finds deliveries that are due for another request, because they did not arrive; those with the fewest requests come
 * first. Each delay is twice the one before.
 * @param schedule.firstDelayMs the delay between the first and the second request, in ms.
 */
export async function findDueRedeliveries(
  connection: Connection,
  provider: string,
  { most, firstDelayMs, now, limit }: { most: number; firstDelayMs: number; now: Date; limit: number },
): Promise<{ delivery: string; attempt: string }[]> {
  const { rows } = await sql<{ delivery: string; attempt: string }>`
    select delivery_id as delivery, attempt_id as attempt from redeliveries r
    where provider = ${provider} and requests < ${most}
      and found_at + (2 ^ requests - 1) * ${firstDelayMs}::float8 * interval '1 ms' <= ${now}
      and not exists (select from deliveries d where d.provider = r.provider and d.id = r.delivery_id)
    order by requests, found_at, delivery_id limit ${limit}`.execute(connection);
  return rows;
}

/** Counts another request for a delivery. */
export async function countRedelivery(connection: Connection, provider: string, delivery: string): Promise<void> {
  await sql`
    update redeliveries set requests = requests + 1
    where provider = ${provider} and delivery_id = ${delivery}`.execute(connection);
}

/** Stores that deliveries need no further request; one that says nothing of use arrives without being stored. */
export async function endRedeliveries(
  connection: Connection,
  provider: string,
  deliveries: readonly string[],
  most: number,
): Promise<void> {
  if (deliveries.length === 0) return;
  await connection
    .updateTable('redeliveries')
    .set({ requests: most })
    .where('provider', '=', provider)
    .where('delivery_id', 'in', deliveries)
    .execute();
}

/** Deletes some redeliveries from before a time, of which no provider has a record any more. @returns how many. */
export function deleteRedeliveries(connection: Connection, before: Date, limit: number): Promise<number> {
  return deleteSome(connection, 'redeliveries', { where: sql`found_at < ${before}`, orderBy: sql`found_at`, limit });
}
