import { type Kysely, sql } from 'kysely';

/** Returns the number of partitions of a table; 1: the table has none, or does not exist. */
export async function countPartitions<Tables>(connection: Kysely<Tables>, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from pg_inherits i join pg_class c on c.oid = i.inhparent
    where i.inhparent = to_regclass(${table}) and c.relkind = 'p'`.execute(connection);
  return rows[0]?.count || 1;
}
