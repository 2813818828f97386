import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { inOneTransaction } from '../../database/connections/transaction.ts';
import { addJob, type Job } from '../../database/queue/added-jobs.ts';
import { advisoryLocks } from '../../database/schema/advisory-locks.ts';
import { deleteSome } from '../../database/schema/delete-some.ts';
import type { Change, Delivery } from '../../hosts/interface/provider.ts';

/** The length at which keys are cut. An index entry holds a limited number of bytes, and names have no limit. */
const maxLength = 200;

/**
 * Stores deliveries until they are applied. Deliveries about the same things share a key: they are
 * applied one after another, oldest first, while those of other keys are applied at the same time.
 */

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

/** Applies the deliveries of keys that wait. This work is a job of its own, so that it never delays new deliveries. */
export const applyAgainJob: Job = { ...applyJob, key: 'apply_deliveries again', delayMs: 500 };

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
    order_key: toOrderKey({ provider, changes }),
  }));
  return inOneTransaction(connection, async (transaction) => {
    const saved = await sql<{ provider: string; id: string }>`
      insert into deliveries (provider, id, event, changes, received_at, order_key)
      select provider, id, event, changes, received_at, order_key
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as r (provider text, id text, event text, changes jsonb, received_at timestamptz, order_key text)
      order by provider, id
      on conflict do nothing
      returning provider, id`.execute(transaction);
    if (saved.rows.length > 0) await addJob(transaction, applyJob);
    return new Set(saved.rows.map(({ provider, id }) => `${provider} ${id}`));
  });
}

/** The limits of one try to apply deliveries, in ms. */
export interface TryLimits {
  /** The longest wait for a lock. */
  lockMs: number;
  /** The longest time of a statement; null: that of the connection. */
  statementMs: number | null;
}

/**
 * Finds the next key of which deliveries can be applied, and locks it for the transaction. Keys that other transactions
 * have locked are left out. The limits hold until `endLimits`.
 * @param which `new`: by the oldest delivery that was not tried yet, of keys in which none waits for another try;
 * `retried`: by the delivery whose next try is due for the longest time.
 */
export async function lockNextKey(
  transaction: Connection,
  which: 'new' | 'retried',
  { lockMs, statementMs }: TryLimits,
): Promise<string | undefined> {
  // `offset 0` has the rows sorted before the first of them is locked.
  const { rows } = await sql<{ key: string }>`
    select order_key as key, set_config('lock_timeout', ${String(lockMs)}, true),
      set_config('statement_timeout', coalesce(${statementMs}::text, current_setting('statement_timeout')), true)
    from (
      select order_key from deliveries where ${isUnapplied} and ${which === 'new' ? isNew : isDue}
      order by ${which === 'new' ? sql`attempts, received_at` : sql`retry_at`} offset 0) next
    where ${locksKey(sql.ref('order_key'))}
    limit 1`.execute(transaction);
  return rows[0]?.key;
}

/** Locks a key for the transaction. @returns false when another transaction has locked it. */
export async function tryLockKey(transaction: Connection, key: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`select ${locksKey(sql.val(key))} as locked`.execute(transaction);
  return rows[0]?.locked === true;
}

const locksKey = (key: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`pg_try_advisory_xact_lock(${sql.lit(advisoryLocks.applyingDeliveries)}, hashtext(${key}))`;

/** Ends the limits of a try. A commit waits for the locks of announcements, and must not fail because of them. */
export async function endLimits(transaction: Connection): Promise<void> {
  await sql`set local lock_timeout to default; set local statement_timeout to default`.execute(transaction);
}

const isUnapplied = sql<boolean>`applied_at is null and attempts < ${sql.lit(maxAttempts)}`;
/** SQL that is true when the others of the key of a delivery wait for it. A failed one holds up no others. */
const holdsUpKey = sql<boolean>`applied_at is null and attempts = 0 and retry_at is not null`;
const isNew = sql<boolean>`
  retry_at is null and order_key <> all(array(select order_key from deliveries where ${holdsUpKey}))`;
const isDue = sql<boolean>`
  retry_at <= now() and order_key <> all(array(select order_key from deliveries where ${holdsUpKey} and retry_at > now()))`;

/**
 * Finds the next deliveries of a key to apply, those with the fewest attempts and then the oldest first, and locks them
 * for the transaction, which must hold the lock of the key.
 * @returns none when the key waits, or when a node of the former release is applying them.
 */
export async function takeUnapplied(transaction: Connection, key: string, limit: number): Promise<Unapplied[]> {
  return transaction
    .selectFrom('deliveries')
    .select(['provider', 'id', 'changes'])
    .where('order_key', '=', key)
    .where(isUnapplied)
    .where((is) => is.or([is('retry_at', 'is', null), sql<boolean>`retry_at <= now()`]))
    .where(sql<boolean>`not exists (
      select from deliveries w where w.order_key = ${key} and ${holdsUpKey} and retry_at > now())`)
    .orderBy('attempts')
    .orderBy('received_at')
    .limit(limit)
    .forNoKeyUpdate()
    .skipLocked()
    .execute();
}

export async function markApplied(transaction: Connection, applied: readonly Unapplied[], now: Date): Promise<void> {
  await sql`
    update deliveries d set applied_at = ${now}, changes = '[]', order_key = '', retry_at = null,
      waiting_since = null
    from json_to_recordset(${JSON.stringify(applied.map(({ provider, id }) => ({ provider, id })))}::json)
      as a (provider text, id text)
    where d.provider = a.provider and d.id = a.id`.execute(transaction);
}

/** Counts a failed attempt, which moves the delivery behind the others. */
export async function countFailure(transaction: Connection, { provider, id }: Unapplied): Promise<void> {
  await sql`
    update deliveries set attempts = attempts + 1, retry_at = now() + ${sql.lit(delays.afterFailure)}::interval
    where provider = ${provider} and id = ${id}`.execute(transaction);
}

/**
 * Lets the key of a delivery wait that could not be applied yet, the longer the more it has waited, so that any number
 * of such keys leaves time for others. The transaction must hold the lock of the key: another one would leave out this
 * delivery, whose row is locked, and apply the later ones first.
 */
export async function delayKey(transaction: Connection, { provider, id }: Unapplied): Promise<void> {
  await sql`
    update deliveries set waiting_since = coalesce(waiting_since, now()),
      retry_at = now() + greatest(${sql.lit(delays.shortest)}::interval,
        least(${sql.lit(delays.longest)}::interval, (now() - coalesce(waiting_since, now())) / ${sql.lit(delays.partOfWait)}))
    where provider = ${provider} and id = ${id} and applied_at is null`.execute(transaction);
}

/** The delays before another try, as intervals. */
const delays = { afterFailure: '30 seconds', shortest: '0.5 seconds', longest: '30 seconds', partOfWait: 4 };

/** Returns whether any key waits. */
export async function haveWaitingKeys(connection: Connection): Promise<boolean> {
  const { rows } = await sql`select from deliveries where ${holdsUpKey} limit 1`.execute(connection);
  return rows.length > 0;
}

/**
 * Deletes some applied deliveries from before a time. If one of them arrives again, it is applied again, which does no
 * harm.
 * @returns how many.
 */
export function deleteDeliveries(connection: Connection, before: Date, limit: number): Promise<number> {
  const where = sql`received_at < ${before} and applied_at is not null`;
  return deleteSome(connection, 'deliveries', { where, orderBy: sql`received_at`, limit });
}

/**
 * Returns the key of order of a delivery: deliveries with one key are applied in the order in which they arrived, those
 * with different keys at the same time. The key is the installation that the delivery is about, otherwise its
 * repository, otherwise its account.
 */
function toOrderKey({ provider, changes }: { provider: string; changes: readonly Change[] }): string {
  const subjects = changes.map(toSubject).toSorted(({ rank: one }, { rank: other }) => one - other);
  return `${provider} ${subjects[0]?.subject ?? ''}`.slice(0, maxLength);
}

function toSubject(change: Change): { rank: number; subject: string } {
  if (change.type === 'installation') return { rank: 0, subject: `installation ${change.credentialName}` };
  if ('repository' in change) return { rank: 1, subject: `repository ${change.repository}` };
  if (change.type === 'administrator') return { rank: 3, subject: `account ${change.person}` };
  return { rank: 2, subject: `account ${change.account ?? change.name}` };
}
