import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import type { Connection, Database } from '../../src/database/connections/connection.ts';

/** A place in some work: the text of the next statement, after how many others, and whether a transaction is open. */
export interface Place {
  text: string;
  number: number;
  isInTransaction: boolean;
}

/**
 * Runs work on one connection, and something else, to its end, before each of its statements.
 * @returns the number of statements.
 */
export async function interleave(
  { clientConfig }: Pick<Database, 'clientConfig'>,
  work: (connection: Connection) => Promise<unknown>,
  before: (place: Place) => Promise<void>,
): Promise<number> {
  let number = 0;
  let isInTransaction = false;
  const pool = new Pool({ ...clientConfig, max: 1 });
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    const query = client.query.bind(client) as (...parameters: unknown[]) => Promise<unknown>;
    client.query = (async (...parameters: unknown[]) => {
      const text = String(parameters[0]);
      number += 1;
      await before({ text, number, isInTransaction });
      if (text === 'begin') isInTransaction = true;
      if (text === 'commit' || text === 'rollback') isInTransaction = false;
      return query(...parameters);
    }) as typeof client.query;
  });
  const connection: Connection = new Kysely({ dialect: new PostgresDialect({ pool }) });
  try {
    await work(connection);
  } finally {
    await connection.destroy();
  }
  return number;
}
