import type { Pool, PoolClient } from 'pg';

/** Settings of a server that is filled: it writes its tables late, and nothing reads them meanwhile. */
const settingsOfServer = ["max_wal_size = '16GB'", "checkpoint_timeout = '1h'", 'autovacuum = off'];
const settingsOfSession = [
  'session_replication_role = replica',
  'statement_timeout = 0',
  'synchronous_commit = off',
  "work_mem = '512MB'",
  "maintenance_work_mem = '1GB'",
];

/** Runs work while the embedded server is set up for storing much at once. */
export async function whileFilling(pool: Pool, work: () => Promise<void>): Promise<void> {
  for (const setting of settingsOfServer) await pool.query(`alter system set ${setting}`);
  await pool.query('select pg_reload_conf()');
  try {
    await work();
  } finally {
    for (const setting of settingsOfServer) await pool.query(`alter system reset ${setting.split(' ')[0]}`);
    await pool.query('select pg_reload_conf()');
  }
}

/** Runs statements on a session without a time limit and without triggers. */
export async function onFillingSession(pool: Pool, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    for (const setting of settingsOfSession) await client.query(`set ${setting}`);
    await work(client);
  } finally {
    // The session keeps its settings.
    client.release(true);
  }
}

/** Stores rows of an empty table before its indexes are made, which is several times faster than adding to them. */
export async function withoutIndexes(client: PoolClient, table: string, work: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string; constraint: string | null }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition,
       (select pg_get_constraintdef(c.oid) from pg_constraint c where c.conindid = i.indexrelid) as "constraint"
     from pg_index i where i.indrelid = $1::regclass order by 1`,
    [table],
  );
  for (const { name, constraint } of rows) {
    await client.query(constraint === null ? `drop index ${name}` : `alter table ${table} drop constraint ${name}`);
  }
  await work();
  for (const { name, definition, constraint } of rows) {
    await client.query(constraint === null ? definition : `alter table ${table} add constraint ${name} ${constraint}`);
  }
}
