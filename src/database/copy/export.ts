import { sql } from 'kysely';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { AppError } from '../../model/errors.ts';
import type { Connection, Database } from '../connections/connection.ts';
import { openPool } from '../connections/pool.ts';
import { inOneTransaction } from '../connections/transaction.ts';
import { newestMigration } from '../migrations/migrate.ts';
import { isBaseline, migrations } from '../migrations/migration.ts';
import { atOneMoment, streamRows, withoutTransactionTimeout } from '../reads/stream-rows.ts';
import { distrustStoredTimes } from '../schema/future-store.ts';
import { completeFormer, isFormer, isTooOld, type Row, refuseNewer, type Target, toTarget } from './former-exports.ts';

/**
 * Exports and imports all stored data as lines of JSON: first a header, then for each table its name and its rows. An
 * export leaves out data that only running processes need, keys, and listings, which are made again.
 */

/** In an order in which each table comes after those that it refers to. */
const tables = [
  'accounts',
  'former_names',
  'counters',
  'repositories',
  'former_repository_names',
  'streams',
  'skipped_items',
  'contributions',
  'scan_pages',
  'identities',
  'commits',
  'repository_totals',
  'contributor_totals',
  'contribution_days',
  'language_days',
  'language_sums',
  'owner_sums',
  'summed_repositories',
  'calendars',
  'reported_windows',
  'repository_identities',
  'uncounted_commits',
  'changed_contributors',
  'changed_repositories',
  'pending_details',
  'reported_totals',
  'administrators',
  'owner_keys',
  'revoked_tokens',
  'embeds',
  'audit_entries',
  'opt_outs',
  'installations',
  'covered_repositories',
  'achievement_files',
  'achievements',
  'awards',
  'repository_webhooks',
  'notifications',
  'credential_keys',
  'credential_statuses',
  'pending_evaluations',
  'board_files',
  'boards',
  'board_leaders',
  'board_seasons',
  'board_season_ranks',
  'next_season_ranks',
  'withdrawn_names',
  'pending_withdrawals',
] as const;
/**
 * Tables that only the sample contains, because a service fetches or counts their rows again: images, and rankings with
 * the ranks of a former day.
 */
export const sampleTables = ['images', 'board_rankings', 'board_ranks'] as const;

/** Tables whose triggers maintain other tables. */
const tablesWithTriggers = [
  'repositories',
  'streams',
  'skipped_items',
  'contributions',
  'contributor_totals',
  'contribution_days',
] as const;

const rowsAtOnce = 2000;
const longestImportMs = 86_400_000;

const Header = Type.Object({ plaudit: Type.Literal('backup'), migration: Type.String() });
const TableLine = Type.Object({ table: Type.String() });
const ImportedRow = Type.Record(Type.String(), Type.Unknown());

/** Exports all tables as of one moment, also while other processes write. */
export function exportLines(connection: Connection): AsyncGenerator<string, void, undefined> {
  return atOneMoment(connection, async function* (transaction) {
    yield JSON.stringify({ plaudit: 'backup', migration: newestMigration() });
    for (const table of tables) {
      yield JSON.stringify({ table });
      yield* streamRows(transaction, sql`select to_jsonb(t)::text as row from ${sql.table(table)} t`);
    }
  });
}

/**
 * Reads the first line of an export.
 * @returns the name of its tables: of this baseline or another one, or of a migration.
 * @throws AppError `invalid_input` when the line does not begin an export that this release knows.
 */
export function readHeader(line: string | undefined): string {
  const header = parseLine(line ?? '');
  if (!Value.Check(Header, header)) throw notAnExport();
  const { migration } = header;
  if (isBaseline(migration) || isFormer(migration) || migration in migrations) return migration;
  if (!isTooOld(migration)) refuseNewer();
  const text = 'The file was written before release 0.3: import it with that release, and import an export of that.';
  throw new AppError('invalid_input', text);
}

/**
 * Fills an empty database from the lines after the first, all or nothing.
 * @param migration the name of the tables in the file.
 * @param count counts what follows from contributions and commits, for a file with other tables than those of this release.
 * @throws AppError `conflict` when the database is not empty, `invalid_input` when the lines are not an export.
 */
export async function importLines(
  database: Database,
  { migration, lines }: { migration: string; lines: AsyncIterable<string> },
  count: (transaction: Connection) => Promise<void>,
): Promise<void> {
  const { connection } = database;
  const occupied = await connection.selectFrom('accounts').select('id').limit(1).executeTakeFirst();
  if (occupied !== undefined) {
    throw new AppError('conflict', 'Import needs a new database, in which nothing was ever stored.');
  }
  const isOther = migration !== newestMigration();
  // A large file takes longer than transactions of other connections may.
  const limits = { maxConnections: 1, statementTimeoutMs: longestImportMs, transactionTimeoutMs: longestImportMs };
  const importing = openPool(database.sessionConfig, limits);
  try {
    await inOneTransaction(importing.connection, async (transaction) => {
      await withoutTransactionTimeout(transaction);
      await importTables(transaction, lines, isOther ? toTarget : (table) => ({ table }));
      if (isOther) await completeFormer(transaction, migration, count);
    });
  } finally {
    await importing.close();
  }
  await distrustStoredTimes(connection);
}

async function importTables(
  connection: Connection,
  lines: AsyncIterable<string>,
  findTarget: (table: string) => Target | undefined,
): Promise<void> {
  // Rows that triggers would write are in the file, or are counted later.
  await switchTriggers(connection, 'disable');
  let target: Target | undefined;
  let rows: string[] = [];
  const flush = async (): Promise<void> => {
    if (target !== undefined && rows.length > 0) await importRows(connection, target.table, rows);
    rows = [];
  };
  for await (const line of lines) {
    const parsed = line.startsWith('{"table":') ? parseLine(line) : undefined;
    if (Value.Check(TableLine, parsed)) {
      await flush();
      target = findTarget(parsed.table);
      if (target !== undefined && !knownTables.has(target.table)) refuseNewer();
    } else if (target !== undefined) {
      rows.push(toPresent(line, target));
      if (rows.length >= rowsAtOnce) await flush();
    }
  }
  await flush();
  await switchTriggers(connection, 'enable');
  await sql`
    select setval(
      pg_get_serial_sequence('identities', 'id'), greatest(1, (select max(id) from identities)))`.execute(connection);
}

const knownTables: ReadonlySet<string> = new Set([...tables, ...sampleTables]);

/** Returns a row of a file as the table of today has it. Most stay the same text. */
function toPresent(line: string, { table, toRow }: Target): string {
  if (table !== 'board_seasons' && toRow === undefined) return line;
  const row = parseRow(line);
  return JSON.stringify(table === 'board_seasons' ? withRule(row) : toRow?.(row));
}

function parseRow(line: string): Row {
  const row = parseLine(line);
  if (!Value.Check(ImportedRow, row)) throw notAnExport();
  return row;
}
const RuleOfSeason = Type.Object({ definition: Type.Object({ slug: Type.String() }) });
const SignedSeason = Type.Object({ statement: Type.String() });
const Claims = Type.Object({ board: Type.Object({ rule: Type.Object({ slug: Type.String() }) }) });

/** Returns the row of a season with its rule: the stored one, otherwise that of its statement, otherwise an empty one. */
function withRule(row: Row): Row {
  if (Value.Check(RuleOfSeason, row)) return row;
  const [, payload = ''] = Value.Check(SignedSeason, row) ? row.statement.split('.') : [];
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  } catch {
    // The season stays without a rule.
  }
  const definition = Value.Check(Claims, claims) ? claims.board.rule : {};
  return { ...row, definition };
}

/**
 * Switches the triggers of these tables. Skips tables that have none: a Citus cluster refuses the statement for tables
 * that are divided.
 */
async function switchTriggers(connection: Connection, state: 'enable' | 'disable'): Promise<void> {
  for (const table of tablesWithTriggers) {
    const { rows } = await sql`
      select from pg_trigger where tgrelid = to_regclass(${table}) and not tgisinternal limit 1`.execute(connection);
    if (rows.length === 0) continue;
    await sql`alter table ${sql.table(table)} ${sql.raw(state)} trigger user`.execute(connection);
  }
}

/** @throws AppError `invalid_input` when they have a column that the table lacks, or cannot be stored. */
async function importRows(connection: Connection, table: string, rows: readonly string[]): Promise<void> {
  const { rows: columns } = await sql<{ name: string; isGenerated: boolean }>`
    select attname as name, attgenerated <> '' as "isGenerated" from pg_attribute
    where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped order by attnum`.execute(connection);
  // All rows of a table have the same columns. Those that the file lacks take the default of the table.
  const given = new Set(Object.keys(parseRow(rows[0] ?? '{}')));
  for (const name of given) if (!columns.some((column) => column.name === name)) refuseNewer();
  const stored = columns.filter(({ name, isGenerated }) => given.has(name) && !isGenerated);
  const names = sql.join(stored.map(({ name }) => sql.id(name)));
  try {
    await sql`
      insert into ${sql.table(table)} (${names}) overriding system value
      select ${names}
      from json_populate_recordset(null::${sql.table(table)}, ${`[${rows.join(',')}]`}::json)`.execute(connection);
  } catch (cause) {
    throw new AppError('invalid_input', `The rows of ${table} in the file cannot be stored.`, { cause });
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw notAnExport();
  }
}

function notAnExport(): AppError {
  return new AppError('invalid_input', 'The file is not an export of this service.');
}
