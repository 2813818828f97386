import { setTimeout as wait } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import { type Client, Pool } from 'pg';
import type { Connection, Database } from '../../src/database/connections/connection.ts';

/** A client, with the socket of its connection and the process of the server, which the types leave out. */
type ClientWithSocket = Client & { connection: { stream: { destroy: () => void } }; processID: number };

/** The longest time, in ms, in which the server rolls back. */
const rollsBackWithinMs = 60_000;

/**
 * Runs work whose connection to the database is lost just before a statement, as when its process is killed: the server
 * rolls back the open transaction, and no later statement runs.
 * @param at the number of that statement, from 1 on.
 * @returns whether the work ended before.
 * @throws every other error of the work.
 */
export async function loseConnection(
  database: Pick<Database, 'clientConfig' | 'pool'>,
  at: number,
  work: (connection: Connection) => Promise<unknown>,
): Promise<boolean> {
  let statements = 0;
  const processes: number[] = [];
  const pool = new Pool({ ...database.clientConfig, max: 4 });
  pool.on('error', () => {});
  pool.on('connect', (connected) => {
    const client = connected as unknown as ClientWithSocket;
    client.on('error', () => {});
    processes.push(client.processID);
    const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
    client.query = ((...parameters: unknown[]) => {
      statements += 1;
      if (statements >= at) client.connection.stream.destroy();
      return query(...parameters);
    }) as typeof client.query;
  });
  const connection: Connection = new Kysely({ dialect: new PostgresDialect({ pool }) });
  try {
    await work(connection);
    return true;
  } catch (error) {
    if (statements < at) throw error;
    return false;
  } finally {
    await connection.destroy();
    await waitForEnd(database, processes);
  }
}

/** Waits until the server has ended processes, which may hold locks until then. */
async function waitForEnd({ pool }: Pick<Database, 'pool'>, processes: readonly number[]): Promise<void> {
  const deadline = performance.now() + rollsBackWithinMs;
  while (performance.now() < deadline) {
    const { rows } = await pool.query('select from pg_stat_activity where pid = any($1) limit 1', [processes]);
    if (rows.length === 0) return;
    await wait(1);
  }
  throw new Error('the server did not end the lost connections');
}

/**
 * Repeats work whose connection is lost before its first statement, then before a later one, until it ends.
 * @param every the number of statements from one loss to the next.
 * @returns the number of losses.
 */
export async function loseConnectionAtStatements(
  database: Pick<Database, 'clientConfig' | 'pool'>,
  work: (connection: Connection) => Promise<unknown>,
  every = 1,
): Promise<number> {
  let losses = 0;
  while (!(await loseConnection(database, 1 + losses * every, work))) losses += 1;
  return losses;
}
