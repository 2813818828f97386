import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { Client, type ClientConfig, DatabaseError, escapeIdentifier } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { Value } from 'typebox/value';
import { AppError } from '../../model/errors.ts';
import type { Database } from '../connections/connection.ts';
import { breakOff, endConnection } from '../connections/pool.ts';
import { transportSettings } from '../connections/session-settings.ts';
import { newestMigration, readMigrationState } from '../migrations/migrate.ts';
import { noTimeLimits } from '../migrations/migrating-session.ts';
import { type BackupReader, damaged, EndLine, endOfRows, type Header, toFrames, toLine } from './format.ts';
import { type CopiedRows, inSql, jobs, listStoredTables, storedNames } from './stored-tables.ts';

/** Settings of the text format of COPY, which replace those of a role or database. */
const textFormat = `set client_encoding = 'UTF8'; set datestyle = 'ISO'`;

/** A connection of its own for COPY. */
interface CopySession extends AsyncDisposable {
  client: Client;
}

/**
 * A COPY ends after the frame that reaches this number of bytes. The server holds an entry in memory for each row and foreign key
 * until the end of the statement (PostgreSQL, src/backend/commands/trigger.c).
 */
const statementBytes = 64 * 1024 * 1024;
/** The longest wait for other sessions, in ms. */
const lockTimeoutMs = 10_000;
const lockNotAvailable = '55P03';

const jobTable = 'restored_jobs';

/**
 * Backs up all data as of one moment, also while other processes write, no faster than the caller takes the bytes.
 * @param options.release the release of this process, which a restore names when it does not fit.
 * @throws AppError `misconfigured` when the tables are not those of this release.
 */
export async function* backUp(
  database: Database,
  { release, signal }: { release: string; signal: AbortSignal },
): AsyncGenerator<Buffer, void, undefined> {
  await checkMigrations(database);
  await using session = await openSession(database.sessionConfig, signal);
  const { client } = session;
  await client.query('begin isolation level repeatable read read only');
  // The lock begins no snapshot yet. While it is held, no other process can migrate.
  await client.query(`lock table ${inSql(storedNames)} in access share mode`);
  await checkMigrations(database);
  const hash = createHash('sha256');
  const hashed = (bytes: Buffer): Buffer => {
    hash.update(bytes);
    return bytes;
  };
  yield hashed(toLine({ plaudit: 'copy', format: 1, release, migration: newestMigration() }));
  const counts: Record<string, number> = {};
  for (const table of [...(await listStoredTables(client)), jobs]) {
    const { name, columns } = table;
    yield hashed(toLine({ table: name, columns: [...columns] }));
    const rows = client.query(copyTo(`copy ${selectSource(table)} to stdout`));
    for await (const bytes of toFrames(rows)) yield hashed(bytes);
    yield hashed(endOfRows);
    // The number of rows arrives after the last one, with the end of the statement.
    await client.query('select');
    counts[name] = rows.rowCount;
  }
  // Sequences are read after the rows, because a transaction does not keep their state.
  const { rows: sequences } = await client.query<{ name: string; value: number }>(
    `select sequencename::text as name, last_value as value from pg_sequences
     where schemaname = current_schema() and last_value is not null`,
  );
  yield toLine({
    isEnd: true,
    rows: counts,
    sequences: Object.fromEntries(sequences.map(({ name, value }) => [name, value])),
    sha256: hash.digest('hex'),
  });
}

function selectSource({ name, columns, isPartitioned }: CopiedRows): string {
  if (name === jobs.name) return `(${jobs.query})`;
  const [table, list] = [escapeIdentifier(name), inSql(columns)];
  return isPartitioned === true ? `(select ${list} from ${table})` : `${table} (${list})`;
}

async function checkMigrations(database: Database): Promise<void> {
  const { pending, unknown } = await readMigrationState(database);
  if (pending.length === 0 && unknown.length === 0) return;
  throw new AppError(
    'misconfigured',
    'The tables of the database are not those of this release: back it up with the release that runs on it.',
  );
}

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

/**
 * Opens a connection without time limits, outside of the pool. Closing it rolls back an open transaction.
 * @param signal breaks the connection off.
 */
export async function openSession(clientConfig: ClientConfig, signal: AbortSignal): Promise<CopySession> {
  signal.throwIfAborted();
  const client = new Client({ ...clientConfig, statement_timeout: 0, query_timeout: 0 });
  client.on('error', () => {});
  await client.connect();
  const end = (): void => breakOff(client);
  signal.addEventListener('abort', end);
  const dispose = async (): Promise<void> => {
    signal.removeEventListener('abort', end);
    await endConnection(client);
  };
  try {
    // The signal may have been aborted while the connection was opened.
    signal.throwIfAborted();
    await client.query(`${noTimeLimits}; ${transportSettings}; ${textFormat}`);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { client, [Symbol.asyncDispose]: dispose };
}
