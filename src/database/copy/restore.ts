import { pipeline } from 'node:stream/promises';
import { type Client, type ClientConfig, DatabaseError, escapeIdentifier } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { Value } from 'typebox/value';
import { AppError } from '../../model/errors.ts';
import { newestMigration } from '../migrations/migrate.ts';
import { type BackupReader, damaged, EndLine, type Header } from './format.ts';
import { openSession } from './session.ts';
import { type CopiedRows, inSql, jobs, listStoredTables } from './stored-tables.ts';

/**
 * A COPY ends after the frame that reaches this number of bytes. The server holds an entry in memory for each row and foreign key
 * until the end of the statement (PostgreSQL, src/backend/commands/trigger.c).
 */
const statementBytes = 64 * 1024 * 1024;
/** The longest wait for other sessions, in ms. */
const lockTimeoutMs = 10_000;
const lockNotAvailable = '55P03';

/** @throws AppError `conflict` when the backup belongs to another release. */
export function checkMigration({ migration, release }: Header): void {
  if (migration === newestMigration()) return;
  throw new AppError(
    'conflict',
    `The backup has the tables of release ${release} (${migration}), and this release has others (${newestMigration()}): restore it with that release, then upgrade.`,
  );
}

/**
 * Fills an empty database that has the tables of this release from a backup, all or nothing.
 * @param reader of a backup whose header was read.
 * @returns the number of rows.
 * @throws AppError `conflict` when the database is not empty or in use, `invalid_input` when the backup is cut short
 * or damaged.
 */
export async function restore(clientConfig: ClientConfig, reader: BackupReader, signal: AbortSignal): Promise<number> {
  await using session = await openSession(clientConfig, signal);
  const { client } = session;
  await client.query('begin');
  const tables = await listStoredTables(client);
  await lockEmpty(client, tables);
  // The backup contains the totals and the changed contributors that the triggers would write.
  const withTriggers = await listTablesWithTriggers(client);
  await switchTriggers(client, withTriggers, 'disable');
  await makeJobTable(client);
  const end = await copyAll(client, reader, [...tables, jobs]);
  for (const [name, value] of Object.entries(end.sequences)) {
    await client.query(
      `select setval(format('%I.%I', schemaname, sequencename)::regclass, $2) from pg_sequences
       where schemaname = current_schema() and sequencename = $1`,
      [name, value],
    );
  }
  await addJobs(client);
  await switchTriggers(client, withTriggers, 'enable');
  // The rows have the times of another clock: the next start reads them all.
  await client.query(`update latest_time set until = 'infinity'`);
  await client.query('commit');
  // Without statistics, PostgreSQL plans for empty tables until its first automatic run.
  await client.query(`analyze ${inSql(tables.map(({ name }) => name))}`);
  return Object.values(end.rows).reduce((sum, rows) => sum + rows, 0);
}

/**
 * Keeps other sessions from writing, and checks that nothing is stored.
 * @throws AppError `conflict` when other sessions hold locks, or something is stored.
 */
async function lockEmpty(client: Client, tables: readonly CopiedRows[]): Promise<void> {
  await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
  const names = tables.map(({ name }) => name);
  try {
    await client.query(`lock table ${inSql(names)} in share row exclusive mode`);
  } catch (cause) {
    if (!(cause instanceof DatabaseError) || cause.code !== lockNotAvailable) throw cause;
    throw new AppError('conflict', 'Other sessions use the database: stop all nodes on it.', { cause });
  }
  const exists = names.map((name) => `exists (select from ${escapeIdentifier(name)})`).join(' or ');
  const { rows } = await client.query<{ isOccupied: boolean }>(`select ${exists} as "isOccupied"`);
  if (rows[0]?.isOccupied === false) return;
  throw new AppError('conflict', 'Restore needs a new database, in which nothing was ever stored.');
}

async function listTablesWithTriggers(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct c.relname::text as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
     where not t.tgisinternal and c.relnamespace = current_schema()::regnamespace`,
  );
  return rows.map(({ name }) => name);
}

/** Switches triggers as the owner of the tables may; `session_replication_role` needs a superuser. */
async function switchTriggers(client: Client, tables: readonly string[], state: 'enable' | 'disable'): Promise<void> {
  for (const table of tables) await client.query(`alter table ${escapeIdentifier(table)} ${state} trigger user`);
}

/** Copies all rows of a backup. @returns its last line. */
async function copyAll(client: Client, reader: BackupReader, expected: readonly CopiedRows[]): Promise<EndLine> {
  const counts: Record<string, number> = {};
  for (;;) {
    const line = await reader.readNext();
    if (Value.Check(EndLine, line)) {
      const isWhole = expected.every(({ name }) => counts[name] !== undefined && counts[name] === line.rows[name]);
      if (!isWhole) throw damaged();
      return line;
    }
    const { table, columns } = line;
    const known = expected.find(({ name }) => name === table);
    const hasAll =
      known?.columns.length === columns.length && columns.every((column) => known.columns.includes(column));
    if (!hasAll || counts[table] !== undefined) throw damaged();
    counts[table] = await copyRows(client, reader, { name: table, columns });
  }
}

/** Copies the rows of a table. @returns their number. */
async function copyRows(client: Client, reader: BackupReader, { name, columns }: CopiedRows): Promise<number> {
  let count = 0;
  const target = escapeIdentifier(name === jobs.name ? jobTable : name);
  const frame = { length: await reader.readLength() };
  async function* framesOfStatement(): AsyncGenerator<Buffer, void, undefined> {
    for (let bytes = 0; frame.length > 0 && bytes < statementBytes; frame.length = await reader.readLength()) {
      yield* reader.readFrame(frame.length);
      bytes += frame.length;
    }
  }
  while (frame.length > 0) {
    const rows = client.query(copyFrom(`copy ${target} (${inSql(columns)}) from stdin`));
    try {
      await pipeline(framesOfStatement, rows);
    } catch (cause) {
      // Messages of the server may quote rows.
      if (!(cause instanceof DatabaseError)) throw cause;
      const text = `The rows of ${name} in the backup cannot be stored (PostgreSQL's error ${cause.code ?? 'unknown'}).`;
      throw new AppError('invalid_input', text, { cause });
    }
    count += rows.rowCount;
  }
  return count;
}

const jobTable = 'restored_jobs';

async function makeJobTable(client: Client): Promise<void> {
  await client.query(
    `create temporary table ${jobTable} (
       identifier text, payload json, job_key text, run_at timestamptz, priority integer) on commit drop`,
  );
}

/** Adds the waiting jobs, because some of them cannot be derived from tables: those of applied deliveries, for example. */
async function addJobs(client: Client): Promise<void> {
  await client.query(
    `do $$ begin
       perform graphile_worker.add_job(
         identifier, payload, run_at => run_at, job_key => job_key, priority => priority) from ${jobTable};
     end $$`,
  );
}
