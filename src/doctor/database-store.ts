import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { livingNodes } from '../database/listener.ts';

/** Reads the clock of the database. */
export async function readClock(connection: Connection): Promise<Date> {
  const { rows } = await sql<{ clock: Date }>`select clock_timestamp() as clock`.execute(connection);
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no time');
  return row.clock;
}

/** Counts the nodes of the service that are connected to the database. */
export async function readLivingNodes(connection: Connection): Promise<number> {
  const { rows } = await sql<{ nodes: number }>`
    select count(distinct node) as nodes from (${livingNodes}) as living (node)`.execute(connection);
  return rows[0]?.nodes ?? 0;
}
