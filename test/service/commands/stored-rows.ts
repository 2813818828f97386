import { Client } from 'pg';
import { storedNames } from '../../../src/database/copy/stored-tables.ts';

/** The tables that a backup leaves out. */
export const leftOut = new Set([
  'announcements',
  // A restored log is complete from the restore on.
  'changes_kept',
  'unlisted_contributors',
  'unsummed_repositories',
  // The times of restored rows are those of another clock.
  'latest_time',
  'applied_migrations',
  'migration_parts',
  'applied_definitions',
  'board_repositories',
  'board_changes',
  'rankings',
  'ranks',
  'rate_limits',
  'workers',
  // People sign in again after a restore.
  'sessions',
  'sign_ins',
]);

/** Runs one statement on a database. */
export async function query<Row extends object>(databaseUrl: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Lists the tables of a database. */
export async function listTables(databaseUrl: string): Promise<string[]> {
  const rows = await query<{ name: string }>(
    databaseUrl,
    `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  return rows.map(({ name }) => name).toSorted();
}

/** Reads all rows that a backup contains, the waiting jobs, and the sequences, as text. */
export async function readAll(databaseUrl: string): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  const read = async (name: string, text: string): Promise<void> => {
    const rows = await query<{ row: string }>(databaseUrl, `select to_jsonb(t)::text as row from (${text}) t`);
    all[name] = rows.map(({ row }) => row).toSorted();
  };
  for (const name of await listTables(databaseUrl)) {
    if (!leftOut.has(name)) await read(name, `select * from ${name}`);
  }
  await read('sequences', `select sequencename, last_value from pg_sequences where schemaname = 'public'`);
  await read('jobs', 'select task_identifier, key, run_at, priority from graphile_worker.jobs where locked_at is null');
  await read(
    'triggers',
    `select relname, tgname, tgenabled from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not tgisinternal and c.relnamespace = 'public'::regnamespace`,
  );
  return all;
}

/** Counts all rows that a backup contains. */
export async function countRows(databaseUrl: string): Promise<number> {
  const counts = storedNames.map((name) => `(select count(*) from ${name})`).join(' + ');
  const rows = await query<{ count: string }>(databaseUrl, `select ${counts} as count`);
  return Number(rows[0]?.count);
}
