import { sql } from 'kysely';
import { markJobs, withJobsLast } from '../queue/added-jobs.ts';
import type { Connection } from './connection.ts';

/** The most statements of each kind in one run of a job, after which it lets other jobs run. */
const maxBatches = 50;

const maxAttempts = 5;
/** Serialization failure and deadlock: the transaction did nothing and may be run again (PostgreSQL manual, appendix A). */
const repeatableErrors = new Set(['40001', '40P01']);

/** Runs `work` in one transaction, which stores its jobs before it commits. */
export function inOneTransaction<Result>(
  connection: Connection,
  work: (transaction: Connection) => Promise<Result>,
): Promise<Result> {
  return connection.transaction().execute((transaction) => withJobsLast(transaction, work));
}

/** Runs `work` in one transaction, and again when PostgreSQL reports that it only lost a race. */
export async function inTransaction<Result>(
  connection: Connection,
  work: (transaction: Connection) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inOneTransaction(connection, work);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (attempt >= maxAttempts || !repeatableErrors.has(code)) throw error;
    }
  }
}

/**
 * Runs `work` in the surrounding transaction, and undoes it alone when it fails. Locks that the transaction had before
 * stay.
 * @returns the failure.
 * @throws the error of a connection that has ended.
 */
export async function catchFailure(transaction: Connection, work: () => Promise<void>): Promise<Error | undefined> {
  await sql`savepoint work`.execute(transaction);
  const takeBackJobs = markJobs(transaction);
  try {
    await work();
    return undefined;
  } catch (error) {
    await sql`rollback to savepoint work`.execute(transaction);
    takeBackJobs();
    return error instanceof Error ? error : new Error(String(error));
  }
}

const lockTimeout = '55P03';
const statementTimeout = '57014';

/** Returns whether a failure only means that a lock was not free in time, or that the transaction lost a race. */
export function isLockWait(error: Error): boolean {
  const code = 'code' in error ? String(error.code) : '';
  return code === lockTimeout || repeatableErrors.has(code);
}

/** Returns whether a statement failed because it took too long. */
export function isTooSlow(error: Error): boolean {
  return 'code' in error && error.code === statementTimeout;
}

/**
 * Repeats a statement that does a part of some work, each in a transaction of its own, until it finds nothing more.
 * @returns `more` when some may be left for the next run.
 */
export async function inBatches(doSome: () => Promise<number>, limit = maxBatches): Promise<'done' | 'more'> {
  for (let batch = 0; batch < limit; batch += 1) if ((await doSome()) === 0) return 'done';
  return 'more';
}
