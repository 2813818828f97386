import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type ClientBase, type ClientConfig, Pool, type PoolConfig } from 'pg';
import { AppError } from '../../model/errors.ts';
import { transportSettings } from '../connections/session-settings.ts';
import { advisoryLocks } from '../schema/advisory-locks.ts';

/**
 * The longest wait of a statement for a lock, in ms. While a statement waits for a table, all later ones of other
 * sessions wait behind it, so it gives up soon and is tried again.
 */
const longestLockMs = 2000;
const maxAttempts = 60;
const maxDelayMs = 5000;
const lockPollMs = 250;
/** Ends the limits that an operator may have set for the role or database. PostgreSQL 15 and 16 do not know all of them. */
export const noTimeLimits = `select set_config(name, '0', false) from pg_settings
  where name in ('statement_timeout', 'transaction_timeout', 'idle_session_timeout', 'idle_in_transaction_session_timeout')`;
/** Lock timeout, deadlock, serialization failure: the transaction did nothing (PostgreSQL manual, appendix A). */
const transient = new Set(['55P03', '40P01', '40001']);

export interface Reporting {
  log: (line: string) => void;
  /** The interval, in ms, at which long work is reported. */
  logEveryMs: number;
}

/** The connections of a migration. */
export interface MigratingConnections {
  /** Holds the lock that keeps other nodes from migrating; it ends with the connection. */
  session: Kysely<unknown>;
  pool: Pool;
}

/** Runs work on connections without time limits, and closes them afterwards. */
export async function withMigratingConnections<Result>(
  clientConfig: ClientConfig,
  work: (connections: MigratingConnections) => Promise<Result>,
  lockTimeoutMs = longestLockMs,
): Promise<Result> {
  // The pool waits for this promise before it hands out a connection (pg-pool, `newClient`).
  const options: PoolConfig & { onConnect: (client: ClientBase) => Promise<unknown> } = {
    ...clientConfig,
    statement_timeout: 0,
    query_timeout: 0,
    max: 2,
    onConnect: (client) => client.query(`set lock_timeout = ${lockTimeoutMs}; ${transportSettings}; ${noTimeLimits}`),
  };
  const pool = new Pool(options);
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const connection = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await connection.connection().execute((session) => work({ session, pool }));
  } finally {
    await connection.destroy();
  }
}

/**
 * Waits until no other node migrates. The wait has no end, because a large database takes hours. The waiting session
 * holds no snapshot: an index that is built concurrently waits for all sessions that hold one.
 */
export async function waitForOtherNodes(session: Kysely<unknown>, { log, logEveryMs }: Reporting): Promise<void> {
  let reportAt = performance.now();
  for (;;) {
    const { rows } = await sql<{ taken: boolean }>`
      select pg_try_advisory_lock(${sql.lit(advisoryLocks.migrations)}) as taken`.execute(session);
    if (rows[0]?.taken === true) return;
    if (performance.now() >= reportAt) {
      log('another node is migrating the database; waiting');
      reportAt += logEveryMs;
    }
    await wait(Math.min(lockPollMs, logEveryMs));
  }
}

/**
 * Runs work again when other sessions held its locks, a bounded number of times.
 * @throws AppError `misconfigured` when they held them each time.
 */
export async function retrying(name: string, log: (line: string) => void, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (attempt >= maxAttempts) {
        throw new AppError(
          'misconfigured',
          `${name} found its tables locked ${maxAttempts} times: stop nodes of older releases, end long transactions, and start again`,
          { cause: error },
        );
      }
      log(`${name} waits for locks of other sessions and is tried again`);
      await wait(Math.min(maxDelayMs, attempt * lockPollMs));
    }
  }
}

function isTransient(error: unknown): boolean {
  return error instanceof Error && 'code' in error && transient.has(String(error.code));
}

/** Runs work without a limit for its waits: it holds no lock on which others wait. */
export async function withoutLockTimeout(session: Kysely<unknown>, work: () => Promise<void>): Promise<void> {
  const { rows } = await sql<{ limit: string }>`select current_setting('lock_timeout') as limit`.execute(session);
  await sql`set lock_timeout = 0`.execute(session);
  try {
    await work();
  } finally {
    // The connection may be broken; then this fails as well, and the cause is the first error.
    await sql`select set_config('lock_timeout', ${rows[0]?.limit}, false)`.execute(session).catch(() => {});
  }
}

/** Reports work that takes long, until it ends. */
export async function reporting(
  { log, logEveryMs }: Reporting,
  describe: () => string,
  work: () => Promise<void>,
): Promise<void> {
  const startedAt = performance.now();
  const timer = setInterval(() => {
    log(`${describe()}: running for ${Math.round((performance.now() - startedAt) / 1000)} s`);
  }, logEveryMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
}
