import type { PoolClient } from 'pg';
import type { Database } from '../src/database/connections/connection.ts';
import { openDatabase } from '../src/database/connections/open.ts';
import { openEmbedded } from '../src/database/embedded/embedded.ts';

/** Settings of a server that writes little more than its tables. A filling that is stopped starts again from an empty directory. */
const settings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
  shared_buffers: '512MB',
  work_mem: '512MB',
  maintenance_work_mem: '1GB',
  // Items are stored in the order of most groups.
  enable_hashagg: 'off',
  // Rows are read in the order in which they were stored, also by two sessions at once.
  synchronize_seqscans: 'off',
};

/** Runs work on the database of a data directory while its server is set up for storing much at once, and stops the server. */
export async function whileFilling(dataDir: string, work: (database: Database) => Promise<void>): Promise<void> {
  const log = (): void => {};
  const server = await openEmbedded({ dataDir, settings, log });
  try {
    const database = await openDatabase({ databaseUrl: undefined, dataDir, log });
    try {
      await work(database);
    } finally {
      await database.close();
    }
  } finally {
    await server.release();
  }
}

/** Runs statements on a session without a time limit and without triggers. */
export async function onFillingSession({ pool }: Database, work: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('set session_replication_role = replica; set statement_timeout = 0');
    await work(client);
  } finally {
    // The session keeps its settings.
    client.release(true);
  }
}

/**
 * Stores the rows of an empty table and makes its indexes afterwards, which is several times faster than adding to them.
 * Tables that refer to it must be empty too.
 * @param insert a statement that stores the rows.
 */
export async function fillTable(client: PoolClient, table: string, insert: string): Promise<void> {
  await client.query('begin');
  // PostgreSQL does not log the rows of a table that its transaction has emptied, with this `wal_level`.
  await client.query(`truncate ${table} cascade`);
  // An index that is not ready gets no rows until it is made again.
  await client.query(`update pg_index set indisready = false where indrelid = '${table}'::regclass`);
  await client.query(insert);
  await client.query(`reindex table ${table}`);
  await client.query('commit');
}
