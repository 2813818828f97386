import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { livingNodes } from '../database/listener.ts';

/** Returns whether a `statement_timeout` is set for this session. */
export async function limitsStatements(connection: Connection): Promise<boolean> {
  const { rows } = await sql<{ isLimited: boolean }>`
    select current_setting('statement_timeout') <> '0' as "isLimited"`.execute(connection);
  return rows[0]?.isLimited === true;
}

/** Counts the nodes of the service that are connected to the database. */
export async function readLivingNodes(connection: Connection): Promise<number> {
  const { rows } = await sql<{ nodes: number }>`
    select count(distinct node) as nodes from (${livingNodes}) as living (node)`.execute(connection);
  return rows[0]?.nodes ?? 0;
}
