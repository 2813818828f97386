import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { livingNodeNames } from '../../database/queue/listener.ts';

/** Returns whether a `statement_timeout` is set for this session. */
export async function limitsStatements(connection: Connection): Promise<boolean> {
  const { rows } = await sql<{ isLimited: boolean }>`
    select current_setting('statement_timeout') <> '0' as "isLimited"`.execute(connection);
  return rows[0]?.isLimited === true;
}

/** Counts the nodes of the service that are connected to the database. A node may consist of several processes. */
export async function readLivingNodes(connection: Connection): Promise<number> {
  const { rows } = await sql<{ nodes: number }>`
    select count(*) as nodes from (${livingNodeNames}) as living`.execute(connection);
  return rows[0]?.nodes ?? 0;
}
