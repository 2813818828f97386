import { sql } from 'kysely';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Connection } from './connection.ts';
import { announce } from './listener.ts';
import { addJob, type Job } from './queue.ts';

/**
 * Lookups at a provider. Each is a job and runs once, for any number of callers on any number of nodes; its key is the
 * job's. A response is stored where it belongs. The table `lookups` holds only that a lookup is running, or why it
 * failed, so that it is not repeated too soon.
 */

/** The time for which a lookup is taken to be running, in ms; after that it may be started again. */
const claimForMs = 60_000;

/** The outcome of a lookup that found nothing. */
export type Outcome = { state: 'absent' } | { state: 'failed'; error: AppError };

/**
 * Adds the job of a lookup, unless the lookup is running or its last outcome still stands.
 * @returns true when this call started the lookup.
 */
export async function claimLookup(connection: Connection, job: Job, now: Date): Promise<boolean> {
  return connection.transaction().execute((transaction) => claimLookupWithin(transaction, job, now));
}

/** Does the same as part of the surrounding transaction. */
export async function claimLookupWithin(transaction: Connection, job: Job, now: Date): Promise<boolean> {
  const claimed = await sql`
    insert into lookups as q (key, state, retry_at)
    values (${job.key}, 'running', ${new Date(now.getTime() + claimForMs)})
    on conflict (key) do update
      set state = 'running', error_code = null, error_message = null, retry_at = excluded.retry_at
      where q.retry_at <= ${now}
    returning 1`.execute(transaction);
  if (claimed.rows.length > 0) await addJob(transaction, job);
  return claimed.rows.length > 0;
}

/** Extends the claim of a running lookup, so that a long one is not started twice. */
export async function renewLookup(connection: Connection, key: string, now: Date): Promise<void> {
  await connection
    .updateTable('lookups')
    .set({ retry_at: new Date(now.getTime() + claimForMs) })
    .where('key', '=', key)
    .where('state', '=', 'running')
    .execute();
}

/** Finds how a lookup last ended without a response to store, as long as that stands. */
export async function findOutcome(connection: Connection, key: string, now: Date): Promise<Outcome | undefined> {
  const row = await connection
    .selectFrom('lookups')
    .selectAll()
    .where('key', '=', key)
    .where('retry_at', '>', now)
    .executeTakeFirst();
  if (row === undefined || row.state === 'running') return undefined;
  if (row.state === 'absent') return { state: 'absent' };
  const code = providerErrorCodes.find((known) => known === row.error_code) ?? 'provider_unavailable';
  return {
    state: 'failed',
    error: new AppError(code, row.error_message ?? 'The provider could not be reached.', { retryAt: row.retry_at }),
  };
}

/** Completes a lookup whose response is stored; waiting callers find it there. */
export async function completeLookup(connection: Connection, key: string): Promise<void> {
  await connection.deleteFrom('lookups').where('key', '=', key).execute();
  await announce(connection, { kind: 'question', key });
}

/** Completes a lookup without a response to store; it is not started again before `until`. */
export async function failLookup(connection: Connection, key: string, outcome: Outcome, until: Date): Promise<void> {
  const error = outcome.state === 'failed' ? outcome.error : undefined;
  const row = {
    state: outcome.state,
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
    retry_at: until,
  };
  await connection
    .insertInto('lookups')
    .values({ key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
  await announce(connection, { kind: 'question', key });
}

/** Deletes failures for lack of quota, also those that would still stand. */
export async function forgetRefusals(connection: Connection): Promise<void> {
  const refusal: ErrorCode = 'provider_rate_limited';
  await connection.deleteFrom('lookups').where('state', '=', 'failed').where('error_code', '=', refusal).execute();
}

/** Deletes outcomes that no longer stand, so that invented names do not pile up. */
export async function forgetOutcomes(connection: Connection, before: Date): Promise<void> {
  await connection.deleteFrom('lookups').where('retry_at', '<', before).execute();
}

const providerErrorCodes: readonly ErrorCode[] = [
  'provider_rate_limited',
  'provider_unavailable',
  'provider_denied',
  'provider_invalid_response',
];
