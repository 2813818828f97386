import { sql } from 'kysely';
import { AppError, type ErrorCode } from '../errors.ts';
import type { Connection } from './connection.ts';
import { announce } from './listener.ts';
import { addJob, type Job } from './queue.ts';

/**
 * Questions to a provider, asked once however many want the answer on however many nodes. The question is a job; its
 * key is the question's. An answer is stored where it belongs; what is kept here is that somebody is asking, or why
 * there was no answer, so that nobody asks again too soon.
 */

/** How long a question is taken to be under way; after that it may be asked again. */
const claimForMs = 60_000;

/** How a question without an answer ended. */
export type Outcome = { state: 'absent' } | { state: 'failed'; error: AppError };

/**
 * Adds the job that asks, unless it was asked already and that still stands.
 * @returns whether it is being asked because of this call.
 */
export async function ask(connection: Connection, job: Job, now: Date): Promise<boolean> {
  return connection.transaction().execute((transaction) => askWithin(transaction, job, now));
}

/** The same as part of the surrounding transaction. */
export async function askWithin(transaction: Connection, job: Job, now: Date): Promise<boolean> {
  const claimed = await sql`
    insert into questions as q (key, state, retry_at)
    values (${job.key}, 'asked', ${new Date(now.getTime() + claimForMs)})
    on conflict (key) do update
      set state = 'asked', error_code = null, error_message = null, retry_at = excluded.retry_at
      where q.retry_at <= ${now}
    returning 1`.execute(transaction);
  if (claimed.rows.length > 0) await addJob(transaction, job);
  return claimed.rows.length > 0;
}

/** Says that the question is still under way, so that a long one is not asked twice. */
export async function keepAsking(connection: Connection, key: string, now: Date): Promise<void> {
  await connection
    .updateTable('questions')
    .set({ retry_at: new Date(now.getTime() + claimForMs) })
    .where('key', '=', key)
    .where('state', '=', 'asked')
    .execute();
}

/** How the question last ended without an answer, as long as that stands. */
export async function findOutcome(connection: Connection, key: string, now: Date): Promise<Outcome | undefined> {
  const row = await connection
    .selectFrom('questions')
    .selectAll()
    .where('key', '=', key)
    .where('retry_at', '>', now)
    .executeTakeFirst();
  if (row === undefined || row.state === 'asked') return undefined;
  if (row.state === 'absent') return { state: 'absent' };
  const code = providerErrorCodes.find((known) => known === row.error_code) ?? 'provider_unavailable';
  return {
    state: 'failed',
    error: new AppError(code, row.error_message ?? 'The provider could not be asked.', { retryAt: row.retry_at }),
  };
}

/** Ends a question whose answer is stored; those who wait find it. */
export async function settleAnswered(connection: Connection, key: string): Promise<void> {
  await connection.deleteFrom('questions').where('key', '=', key).execute();
  await announce(connection, { kind: 'question', key });
}

/** Ends a question that has no answer; it is not asked again before `until`. */
export async function settleUnanswered(
  connection: Connection,
  key: string,
  outcome: Outcome,
  until: Date,
): Promise<void> {
  const error = outcome.state === 'failed' ? outcome.error : undefined;
  const row = {
    state: outcome.state,
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
    retry_at: until,
  };
  await connection
    .insertInto('questions')
    .values({ key, ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
  await announce(connection, { kind: 'question', key });
}

/** Forgets refusals for lack of quota, however long they were to stand. */
export async function forgetRefusals(connection: Connection): Promise<void> {
  const refusal: ErrorCode = 'provider_rate_limited';
  await connection.deleteFrom('questions').where('state', '=', 'failed').where('error_code', '=', refusal).execute();
}

/** Forgets outcomes that no longer stand, so that names that somebody made up do not pile up. */
export async function forgetOutcomes(connection: Connection, before: Date): Promise<void> {
  await connection.deleteFrom('questions').where('retry_at', '<', before).execute();
}

const providerErrorCodes: readonly ErrorCode[] = [
  'provider_rate_limited',
  'provider_unavailable',
  'provider_denied',
  'provider_invalid_response',
];
