import { after } from 'node:test';
import type { Database } from '../src/database/connections/connection.ts';
import { openTestDatabase } from './database.ts';

type Opened = Awaited<ReturnType<typeof openTestDatabase>>;

interface Reusable {
  opened: Opened;
  /** The numbers of tables, functions and triggers before the first test. */
  objects: string;
  /** True when the user of the tests may delete rows without running triggers. */
  canEmpty: boolean;
  /** The statements that store again what the tables have before the first test. */
  firstRows: string;
}

/** Databases that the next tests of this process can use. */
const free: Reusable[] = [];
/** These tables change with migrations only. */
const bookkeeping = new Set([
  'applied_migrations',
  'migration_parts',
  'applied_definitions',
  'graphile_worker.migrations',
]);

after(async () => {
  for (const { opened } of free.splice(0)) await opened[Symbol.asyncDispose]();
});

/**
 * Opens a database with all tables and the rows of a new one, which earlier tests of this process may have used. Its
 * connections have read the catalog and compiled the functions of triggers, which takes most of PostgreSQL's time in a
 * short test. Tests of plans, statistics, settings and sessions open a database of their own.
 */
export async function reuseTestDatabase(): Promise<Opened> {
  const reusable = process.env['TEST_CITUS_URLS'] === undefined ? (free.pop() ?? (await openReusable())) : undefined;
  if (reusable === undefined) return openTestDatabase();
  const { database } = reusable.opened;
  return { database, [Symbol.asyncDispose]: () => giveBack(reusable) };
}

async function openReusable(): Promise<Reusable> {
  const opened = await openTestDatabase();
  const { pool } = opened.database;
  // A connection that waits for the next test must not keep the process running.
  pool.options.allowExitOnIdle = true;
  const tables = await findTables(opened.database);
  const stored = await Promise.all(
    tables.map(async (table) => {
      const { rows } = await pool.query<{ statement: string }>(
        `select format('insert into ${table} select * from json_populate_recordset(null::${table}, %L)',
           coalesce(json_agg(t), '[]')) as statement from ${table} t`,
      );
      return rows[0]?.statement ?? '';
    }),
  );
  const { rows } = await pool.query<{ is: boolean }>("select current_setting('is_superuser')::boolean as is");
  const canEmpty = rows[0]?.is ?? false;
  return { opened, objects: await countObjects(opened.database), canEmpty, firstRows: stored.join(';') };
}

/** Lets the next test use a database, or drops it when its test changed more than rows. */
async function giveBack(reusable: Reusable): Promise<void> {
  const { opened, objects, canEmpty, firstRows } = reusable;
  const { pool } = opened.database;
  const isFree = canEmpty && !pool.ending && pool.idleCount === pool.totalCount;
  if (!isFree || (await countObjects(opened.database)) !== objects) {
    await opened[Symbol.asyncDispose]();
    return;
  }
  const deletions = (await findTables(opened.database)).map((table) => `delete from ${table}`);
  try {
    await pool.query(`
      begin; set local session_replication_role = replica; set local lock_timeout = '10s';
      ${[...deletions, firstRows].join(';')};
      select setval(seqrelid, seqstart, false) from pg_sequence where pg_sequence_last_value(seqrelid) is not null;
      commit`);
  } catch (error) {
    await opened[Symbol.asyncDispose]();
    throw error;
  }
  free.push(reusable);
}

/** Returns the tables that have or had rows, except for those of migrations. */
async function findTables({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(`
    select oid::regclass::text as name from pg_class
    where relkind = 'r' and oid >= 16384 and pg_relation_size(oid) > 0 order by oid`);
  return rows.map(({ name }) => name).filter((name) => !bookkeeping.has(name));
}

async function countObjects({ pool }: Database): Promise<string> {
  const counts = ['pg_class', 'pg_proc', 'pg_trigger'].map((catalog) => `(select count(*) from ${catalog})`);
  const { rows } = await pool.query<{ counts: string }>(`select concat_ws(' ', ${counts.join(', ')}) as counts`);
  return rows[0]?.counts ?? '';
}
