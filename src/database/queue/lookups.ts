import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import { AppError, type ErrorCode } from '../../model/errors.ts';
import type { Connection } from '../connections/connection.ts';
import { type Allowance, maxAllowanceWaitMs, permitNow, useAllowances } from '../connections/counts.ts';
import { inOneTransaction } from '../connections/transaction.ts';
import { deleteSome } from '../schema/delete-some.ts';
import { addJob, type Job } from './added-jobs.ts';
import { announce } from './announcements.ts';

/** Callers in this process that wait until a lookup has an outcome, which any node may bring. */
export class Outcomes {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #now: () => Date;

  constructor(now: () => Date) {
    this.#now = now;
  }

  /** Resolves when the outcome of the lookup `key` is announced, at `deadline`, or when the signal aborts. */
  wait(key: string, deadline: Date, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(resolve));
    signal?.addEventListener('abort', () => resolve(), { once: true });
    const timer = setTimeout(resolve, Math.max(0, deadline.getTime() - this.#now().getTime()));
    return promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(resolve);
      if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
    });
  }

  wake(key: string): void {
    for (const resolve of this.#waiting.get(key) ?? []) resolve();
  }

  /** Wakes all callers to check for themselves, because announcements may have been missed. */
  wakeAll(): void {
    for (const key of this.#waiting.keys()) this.wake(key);
  }
}

/** The reasons for a delay: the allowance of a visitor, or the quota of a host. */
export const delayReasons = ['allowance', 'quota'] as const;
type DelayReason = (typeof delayReasons)[number];

/** Lookups that are delayed for the same reason. */
export interface DelayedLookups {
  reason: DelayReason;
  count: number;
  /** The time at which the last of them runs, up to a minute early or late. */
  lastAt: Date;
}

/**
 * Lookups at a provider. Each is a job and runs once, for any number of callers on any number of nodes; its key is the
 * job's. A response is stored where it belongs. The table `lookups` holds only that a lookup is running, that it is
 * delayed, or why it failed, so that it is not repeated too soon.
 */

/** The time for which a lookup is taken to be running, in ms; after that it may be started again. */
const claimForMs = 60_000;
/**
 * The most delayed lookups. Claims that run at the same moment may exceed it by one for each connection to the
 * database.
 */
export const maxDelayed = 1000;

/** The outcome of a lookup that found nothing. */
export type Outcome = { state: 'absent' } | { state: 'failed'; error: AppError; failedAt?: Date };

/** The party that a lookup is for. */
export interface LookupParty {
  isOwner: boolean;
  /** The allowances that the lookup counts against. */
  allowances: readonly Allowance[];
  /** The longest time, in ms, for which the lookup waits for them; absent: an hour. */
  maxWaitMs?: number;
}

/** The service itself, whose lookups count against no allowance. */
const noParty: LookupParty = { isOwner: false, allowances: [] };

/**
 * The result of a claim. `claimed`: this call started the lookup. `standing`: it is running, or its last outcome still
 * stands. `delayed`: it waits in the queue, or there was no place for it; a retry can help from `until`.
 */
export type Claim = { state: 'claimed' | 'standing' } | ({ state: 'delayed' } & Delay);

/** The time at which a delayed lookup runs, and the limit that delays it. */
export interface Delay {
  until: Date;
  reason: DelayReason;
}

/**
 * Adds the job of a lookup, unless the lookup is running, delayed, or its last outcome still stands. The lookup counts
 * against the allowances of the party only when this call adds the job. When they are used up, the job runs later; when
 * too many lookups are delayed already, nothing is stored. A lookup that waits for the allowance of another party runs
 * at once, if that of this party has a place, so that no party delays names for others.
 */
export async function claimLookup(
  connection: Connection,
  job: Job,
  now: Date,
  party?: LookupParty,
  isStored: IsStored = () => Promise.resolve(false),
): Promise<Claim> {
  try {
    return await inOneTransaction(connection, async (transaction) => {
      const claim = await claimLookupWithin(transaction, job, now, party);
      if (claim.state !== 'standing' && (await isStored(transaction))) throw new AlreadyStored();
      return claim;
    });
  } catch (error) {
    if (error instanceof NoPlace) return { state: 'delayed', until: error.until, reason: 'allowance' };
    if (error instanceof AlreadyStored) return { state: 'standing' };
    throw error;
  }
}

/**
 * Returns whether the result of a lookup is stored. A caller may have read the database just before another lookup stored
 * its result; the claim undoes itself then, so that nothing is fetched twice.
 */
export type IsStored = (transaction: Connection) => Promise<boolean>;

/** Rolls back the transaction of a claim whose result is stored already. */
class AlreadyStored extends Error {}

/**
 * Does the same as part of the surrounding transaction.
 * @throws NoPlace when an allowance is used up and there is no place for the lookup; the transaction has to be undone.
 */
export async function claimLookupWithin(
  transaction: Connection,
  job: Job,
  now: Date,
  { isOwner, allowances, maxWaitMs = maxAllowanceWaitMs }: LookupParty = noParty,
): Promise<Claim> {
  const claimed = await sql`
    insert into lookups as q (key, state, for_owner, retry_at)
    values (${job.key}, 'running', ${isOwner}, ${leaseFrom(now)})
    on conflict (key) do update
      set state = 'running', for_owner = excluded.for_owner, retry_at = excluded.retry_at
      where q.retry_at <= ${now}
        or (q.state = 'delayed_by_allowance' and ${permitNow(allowances, now)})
        or (q.state = 'delayed_by_quota' and ${isOwner} and not q.for_owner)
    returning 1`.execute(transaction);
  if (claimed.rows.length === 0) {
    const delay = await findDelay(transaction, job.key);
    return delay === undefined ? { state: 'standing' } : { state: 'delayed', ...delay };
  }
  const runAt = allowances.length === 0 ? now : await useAllowances(transaction, allowances, now);
  if (runAt <= now) {
    await addJob(transaction, job);
    return { state: 'claimed' };
  }
  const firstPlaceAt = new Date(runAt.getTime() - maxWaitMs);
  if (firstPlaceAt > now) throw new NoPlace(firstPlaceAt);
  if (!(await hasPlace(transaction, now))) throw new NoPlace(runAt);
  await delay(transaction, job, { state: 'delayed_by_allowance', until: runAt, now });
  return { state: 'delayed', until: runAt, reason: 'allowance' };
}

/** Rolls back the transaction of a claim for which the queue has no place. */
class NoPlace extends Error {
  readonly until: Date;

  constructor(until: Date) {
    super('no place for a delayed lookup');
    this.until = until;
  }
}

/**
 * Extends the claim of a running lookup, so that a long one is not started twice.
 * @param options.isFailing true when its host still fails; otherwise the failures before are over.
 */
export async function renewLookup(
  connection: Connection,
  key: string,
  now: Date,
  { isFailing = false } = {},
): Promise<void> {
  await connection
    .updateTable('lookups')
    .set({ state: 'running', retry_at: leaseFrom(now), ...(!isFailing && { failing_since: null }) })
    .where('key', '=', key)
    .where((is) => is.or([is('state', '=', 'running'), isDelayed(is.ref('state'))]))
    .execute();
}

/** Finds how a lookup last ended without a response to store, as long as that stands. */
export async function findOutcome(connection: Connection, key: string, now: Date): Promise<Outcome | undefined> {
  const row = await connection
    .selectFrom('lookups')
    .selectAll()
    .where('key', '=', key)
    .where('state', 'in', ['absent', 'failed'])
    .where('retry_at', '>', now)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.state === 'absent') return { state: 'absent' };
  const code = providerErrorCodes.find((known) => known === row.error_code) ?? 'provider_unavailable';
  return {
    state: 'failed',
    error: new AppError(code, row.error_message ?? 'The provider could not be reached.', { retryAt: row.retry_at }),
  };
}

/**
 * Finds when a delayed lookup runs. For a lookup that is not stored while the queue has no place: when the first of the
 * delayed ones runs.
 */
export async function findRetryTime(connection: Connection, key: string, now: Date): Promise<Delay | undefined> {
  const delay = await findDelay(connection, key);
  if (delay !== undefined || (await hasPlace(connection, now))) return delay;
  const first = await connection
    .selectFrom('lookups')
    .select(['state', 'retry_at'])
    .where((is) => isDelayed(is.ref('state')))
    .where('retry_at', '>', now)
    .orderBy('retry_at')
    .limit(1)
    .executeTakeFirst();
  return first && toDelay(first);
}

/** A lookup that runs, is delayed or failed. */
export interface StoredLookup {
  key: string;
  state: 'running' | 'failed' | 'delayed_by_allowance' | 'delayed_by_quota';
  /** The last failure; meaningless where it is not failing. */
  errorCode: string | null;
  /** The time of its first failure since it last brought something; null: it does not fail. */
  failingSince: Date | null;
  /** The time at which a delayed or failed lookup goes on. */
  until: Date;
}

/** The most lookups with a common beginning of their keys that are read. */
const maxOfPrefix = 20;

/** Finds lookups by their keys, and some whose keys begin with `prefix`. */
export async function findLookupsByKey(
  connection: Connection,
  keys: readonly string[],
  prefix: string,
): Promise<StoredLookup[]> {
  const { rows } = await sql<StoredLookup>`
    with wanted as (
      select * from lookups where key = any(${[...keys]}::text[])
      union all (
        select * from lookups
        where substring(key from ' ([0-9a-f]{8}-[0-9a-f-]{27})') = substring(${prefix}::text from ' ([0-9a-f]{8}-[0-9a-f-]{27})')
          and starts_with(key, ${prefix}) limit ${sql.lit(maxOfPrefix)})
    )
    select key, state, error_code as "errorCode", failing_since as "failingSince", 
      case when state in ('running', 'failed') then retry_at else retry_at - ${claimForMs} * interval '1 millisecond' end as until
    from wanted where state <> 'absent'`.execute(connection);
  return rows;
}

/** Completes a lookup whose response is stored; waiting callers find it there. */
export async function completeLookup(connection: Connection, key: string): Promise<void> {
  await connection.deleteFrom('lookups').where('key', '=', key).execute();
  await announce(connection, { kind: 'lookup', key });
}

/**
 * Completes a lookup without a response to store; it is not started again before `until`. Failures that follow each
 * other keep the time of the first one.
 */
export async function failLookup(connection: Connection, key: string, outcome: Outcome, until: Date): Promise<void> {
  const { error, failedAt = null } = outcome.state === 'failed' ? outcome : {};
  const row = {
    state: outcome.state,
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
    retry_at: until,
  };
  await connection
    .insertInto('lookups')
    .values({ key, ...row, failing_since: failedAt })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({
        ...row,
        failing_since: sql`case when ${failedAt}::timestamptz is not null then coalesce(lookups.failing_since, ${failedAt}) end`,
      }),
    )
    .execute();
  await announce(connection, { kind: 'lookup', key });
}

/**
 * Delays a running lookup until a limit of the host ends. When too many are delayed already, nothing stays stored, and
 * the next request starts it again. Must run in a transaction.
 */
export async function delayLookup(transaction: Connection, job: Job, until: Date, now: Date): Promise<void> {
  if (await hasPlace(transaction, now)) await delay(transaction, job, { state: 'delayed_by_quota', until, now });
  else await transaction.deleteFrom('lookups').where('key', '=', job.key).execute();
  await announce(transaction, { kind: 'lookup', key: job.key });
}

/** The condition of the index `lookups_refused`. */
const isRefused = sql<SqlBool>`(
  state = 'delayed_by_quota' or (state = 'failed' and error_code = 'provider_rate_limited'))`;

/**
 * Deletes some delays by quotas and failures for lack of quota, also those that would still stand.
 * @returns how many.
 */
export function deleteRefusals(connection: Connection, limit: number): Promise<number> {
  return deleteSome(connection, 'lookups', { where: isRefused, orderBy: sql`key`, limit, waits: true });
}

/** Finds the keys of the jobs that are delayed because an allowance is used up. */
export async function findDelayedByAllowance(connection: Connection): Promise<string[]> {
  const delayed = await connection
    .selectFrom('lookups')
    .select('key')
    .where('state', '=', 'delayed_by_allowance')
    .execute();
  return delayed.map(({ key }) => key);
}

/**
 * Deletes some outcomes that no longer stand, so that invented names do not pile up.
 * @returns how many.
 */
export async function deleteOutcomes(connection: Connection, before: Date, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from lookups where key = any(array(
      select key from lookups where retry_at < ${before} order by retry_at limit ${limit} for update skip locked))
    returning 1`.execute(connection);
  return rows.length;
}

/** Stores that a lookup is delayed. A job of the same key that runs earlier, such as one of a delivery, stays early. */
async function delay(
  transaction: Connection,
  job: Job,
  { state, until, now }: { state: 'delayed_by_allowance' | 'delayed_by_quota'; until: Date; now: Date },
): Promise<void> {
  const row = { state, error_code: null, error_message: null, failing_since: null, retry_at: leaseFrom(until) };
  await transaction
    .insertInto('lookups')
    .values({ key: job.key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
  await addJob(transaction, { ...job, delayMs: until.getTime() - now.getTime(), keepsRunAt: true });
}

async function findDelay(connection: Connection, key: string): Promise<Delay | undefined> {
  const row = await connection
    .selectFrom('lookups')
    .select(['state', 'retry_at'])
    .where('key', '=', key)
    .where((is) => isDelayed(is.ref('state')))
    .executeTakeFirst();
  return row && toDelay(row);
}

async function hasPlace(connection: Connection, now: Date): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (
      select from lookups where ${isDelayed(sql.ref('state'))} and retry_at > ${now} limit ${sql.lit(maxDelayed)})
        as delayed`.execute(connection);
  return (rows[0]?.count ?? 0) < maxDelayed;
}

/** The condition of the index `lookups_delayed`. */
function isDelayed(state: Expression<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`${state} in ('delayed_by_allowance', 'delayed_by_quota')`;
}

/** Returns the end of a claim that begins, or of a delayed lookup that runs, at a time. */
function leaseFrom(time: Date): Date {
  return new Date(time.getTime() + claimForMs);
}

function toDelay({ state, retry_at: leaseEnd }: { state: string; retry_at: Date }): Delay {
  return {
    until: new Date(leaseEnd.getTime() - claimForMs),
    reason: state === 'delayed_by_quota' ? 'quota' : 'allowance',
  };
}

const providerErrorCodes: readonly ErrorCode[] = [
  'provider_rate_limited',
  'provider_unavailable',
  'provider_denied',
  'provider_invalid_response',
];

/** Counts the delayed lookups by reason; a reason without any is left out. */
export async function countDelayedLookups(connection: Connection, now: Date): Promise<DelayedLookups[]> {
  const { rows } = await sql<DelayedLookups>`
    select case state when 'delayed_by_quota' then 'quota' else 'allowance' end as reason, count(*) as count,
      max(retry_at) as "lastAt"
    from lookups where state in ('delayed_by_allowance', 'delayed_by_quota') and retry_at > ${now}
    group by state order by state`.execute(connection);
  return rows;
}
