import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { livingNodes } from '../database/listener.ts';

/** Counts the nodes of the service that are connected to the database. */
export async function readLivingNodes(connection: Connection): Promise<number> {
  const { rows } = await sql<{ nodes: number }>`
    select count(distinct node) as nodes from (${livingNodes}) as living (node)`.execute(connection);
  return rows[0]?.nodes ?? 0;
}
