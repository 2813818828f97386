import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { addJob, type Job } from '../database/queue.ts';
import type { Change, Delivery } from '../providers/provider.ts';

/** A delivery that is to be stored. */
export interface Received extends Delivery {
  provider: string;
  receivedAt: Date;
}

/** A delivery that is stored and not applied yet. */
export interface Unapplied {
  provider: string;
  id: string;
  changes: readonly Change[];
}

/** Attempts at a delivery that cannot be applied. */
export const maxAttempts = 20;

export const applyJob: Job = {
  task: 'apply_deliveries',
  payload: {},
  key: 'apply_deliveries',
  priority: 5,
  keepsRunAt: true,
};

/**
 * Stores deliveries, with the job that applies them.
 * @returns the keys (`PROVIDER ID`) of those that did not come before.
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

/** Any number that nothing else locks. */
const applyingLock = 7_033_130;

/** Makes this transaction the only one that applies deliveries; false while another is. Several would wait for the same rows. */
export async function isAlone(transaction: Connection): Promise<boolean> {
  const { rows } = await sql<{ alone: boolean }>`
    select pg_try_advisory_xact_lock(${sql.lit(applyingLock)}) as alone`.execute(transaction);
  return rows[0]?.alone ?? false;
}

/** The oldest deliveries that are not applied; nobody else applies them before the transaction ends. */
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

/** Lets others go first after a failure. */
export async function countFailure(connection: Connection, { provider, id }: Unapplied): Promise<void> {
  await sql`update deliveries set attempts = attempts + 1 where provider = ${provider} and id = ${id}`.execute(
    connection,
  );
}

/** Forgets deliveries that were applied; a repetition after so long is applied again, which changes nothing. */
export async function forgetDeliveries(connection: Connection, before: Date): Promise<void> {
  await connection
    .deleteFrom('deliveries')
    .where('received_at', '<', before)
    .where('applied_at', 'is not', null)
    .execute();
}
