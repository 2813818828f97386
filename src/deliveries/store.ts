import { sql } from 'kysely';
import { advisoryLocks } from '../database/advisory-locks.ts';
import type { Connection } from '../database/connection.ts';
import { addJob, type Job } from '../database/queue.ts';
import type { Change, Delivery } from '../providers/provider.ts';

/** A delivery as it arrived. */
export interface Received extends Delivery {
  provider: string;
  receivedAt: Date;
}

/** A stored delivery that is not yet applied. */
export interface Unapplied {
  provider: string;
  id: string;
  changes: readonly Change[];
}

/** The number of attempts after which a delivery is not tried again. */
export const maxAttempts = 20;

export const applyJob: Job = {
  task: 'apply_deliveries',
  payload: {},
  key: 'apply_deliveries',
  priority: 5,
  keepsRunAt: true,
};

/**
 * Stores deliveries and adds the job that applies them.
 * @returns the keys (`PROVIDER ID`) of those that were not stored before.
 */
export async function saveDeliveries(connection: Connection, received: readonly Received[]): Promise<Set<string>> {
  const rows = received.map(({ provider, id, event, changes, receivedAt }) => ({
    provider,
    id,
    event,
    changes,
    received_at: receivedAt,
  }));
  return connection.transaction().execute(async (transaction) => {
    const saved = await sql<{ provider: string; id: string }>`
      insert into deliveries (provider, id, event, changes, received_at)
      select provider, id, event, changes, received_at
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as r (provider text, id text, event text, changes jsonb, received_at timestamptz)
      order by provider, id
      on conflict do nothing
      returning provider, id`.execute(transaction);
    if (saved.rows.length > 0) await addJob(transaction, applyJob);
    return new Set(saved.rows.map(({ provider, id }) => `${provider} ${id}`));
  });
}

/**
 * Tries to make this transaction the only one that applies deliveries, because several would wait for the same rows.
 * @returns false when another transaction has the lock.
 */
export async function tryApplierLock(transaction: Connection): Promise<boolean> {
  const { rows } = await sql<{ alone: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(advisoryLocks.applyingDeliveries)}) as alone`.execute(transaction);
  return rows[0]?.alone ?? false;
}

/**
 * Locks the next deliveries to apply, those with the fewest attempts and then the oldest first, for the transaction.
 */
export async function takeUnapplied(transaction: Connection, limit: number): Promise<Unapplied[]> {
  return transaction
    .selectFrom('deliveries')
    .select(['provider', 'id', 'changes'])
    .where('applied_at', 'is', null)
    .where('attempts', '<', maxAttempts)
    .orderBy('attempts')
    .orderBy('received_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute();
}

export async function markApplied(transaction: Connection, applied: readonly Unapplied[], now: Date): Promise<void> {
  await sql`
    update deliveries d set applied_at = ${now}, changes = '[]'
    from json_to_recordset(${JSON.stringify(applied.map(({ provider, id }) => ({ provider, id })))}::json)
      as a (provider text, id text)
    where d.provider = a.provider and d.id = a.id`.execute(transaction);
}

/** Counts a failed attempt, which moves the delivery behind the others. */
export async function countFailure(connection: Connection, { provider, id }: Unapplied): Promise<void> {
  await sql`update deliveries set attempts = attempts + 1 where provider = ${provider} and id = ${id}`.execute(
    connection,
  );
}

/**
 * Deletes applied deliveries from before a time. If one of them arrives again, it is applied again, which does no harm.
 */
export async function forgetDeliveries(connection: Connection, before: Date): Promise<void> {
  await connection
    .deleteFrom('deliveries')
    .where('received_at', '<', before)
    .where('applied_at', 'is not', null)
    .execute();
}
