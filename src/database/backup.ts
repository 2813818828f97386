import { sql } from 'kysely';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { AppError } from '../errors.ts';
import type { Connection, Database } from './connection.ts';
import { distrustStoredTimes } from './future-store.ts';
import { appliedMigration, migrate, newestMigration } from './migrate.ts';
import { migrations } from './migrations/index.ts';
import { atOneMoment, streamRows } from './stream-rows.ts';
import { inOneTransaction } from './transaction.ts';

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
/** Names of tables in exports from before migration 0023. */
const formerTables = ['seen_totals', 'lacking_details', 'achievement_work'] as const;
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

const Header = Type.Object({ plaudit: Type.Literal('backup'), migration: Type.String() });
const TableLine = Type.Object({ table: Type.Enum([...tables, ...formerTables, ...sampleTables]) });

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
 * @returns the migration of its tables.
 * @throws AppError `invalid_input` when the line does not begin an export that this release knows.
 */
export function readHeader(line: string | undefined): string {
  const header = parseLine(line ?? '');
  if (!Value.Check(Header, header)) throw notAnExport();
  if (!(header.migration in migrations)) {
    throw new AppError('invalid_input', 'The file was written by a newer release of this service; use that one.');
  }
  return header.migration;
}

/**
 * Fills an empty database from the lines after the first, all or nothing, and migrates it to the newest tables.
 * @param migration the migration of the file's tables, which the database must have too.
 * @throws AppError `conflict` when the database is not empty or has another migration, `invalid_input` when the lines
 * are not an export.
 */
export async function importLines(database: Database, migration: string, lines: AsyncIterable<string>): Promise<void> {
  const { connection } = database;
  const occupied = await connection.selectFrom('accounts').select('id').limit(1).executeTakeFirst();
  if (occupied !== undefined || (await appliedMigration(database)) !== migration) {
    throw new AppError('conflict', 'Import needs a new database, in which nothing was ever stored.');
  }
  await inOneTransaction(connection, (transaction) => importTables(transaction, lines));
  await migrate(database);
  await distrustStoredTimes(connection);
}

async function importTables(connection: Connection, lines: AsyncIterable<string>): Promise<void> {
  // The file contains the totals and the changed contributors that the triggers would write.
  await switchTriggers(connection, 'disable');
  let table: string | undefined;
  let rows: string[] = [];
  const flush = async (): Promise<void> => {
    if (table !== undefined && rows.length > 0) await importRows(connection, table, rows);
    rows = [];
  };
  for await (const line of lines) {
    const parsed = line.startsWith('{"table":') ? parseLine(line) : undefined;
    if (Value.Check(TableLine, parsed)) {
      await flush();
      table = parsed.table;
      continue;
    }
    rows.push(table === 'board_seasons' ? withRule(line) : line);
    if (rows.length >= rowsAtOnce) await flush();
  }
  await flush();
  await switchTriggers(connection, 'enable');
  await sql`
    select setval(pg_get_serial_sequence('identities', 'id'), greatest(1, (select max(id) from identities)))`.execute(
    connection,
  );
}

const RuleOfSeason = Type.Object({ definition: Type.Object({ slug: Type.String() }) });
const SignedSeason = Type.Object({ statement: Type.String() });
const Claims = Type.Object({ board: Type.Object({ rule: Type.Object({ slug: Type.String() }) }) });

/** Returns the row of a season with its rule: the stored one, otherwise that of its statement, otherwise an empty one. */
function withRule(line: string): string {
  const row = parseLine(line);
  if (typeof row !== 'object' || row === null || Value.Check(RuleOfSeason, row)) return line;
  const [, payload = ''] = Value.Check(SignedSeason, row) ? row.statement.split('.') : [];
  let claims: unknown;
  try {
    claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  } catch {
    // The season stays without a rule.
  }
  const definition = Value.Check(Claims, claims) ? claims.board.rule : {};
  return JSON.stringify({ ...row, definition });
}

/**
 * Switches the triggers of these tables. Skips tables that do not exist or have none: an export of an older release is
 * imported into that release's tables, and a Citus cluster refuses the statement for tables that are divided.
 */
async function switchTriggers(connection: Connection, state: 'enable' | 'disable'): Promise<void> {
  for (const table of tablesWithTriggers) {
    const { rows } = await sql`
      select from pg_trigger where tgrelid = to_regclass(${table}) and not tgisinternal limit 1`.execute(connection);
    if (rows.length === 0) continue;
    await sql`alter table ${sql.table(table)} ${sql.raw(state)} trigger user`.execute(connection);
  }
}

async function importRows(connection: Connection, table: string, rows: readonly string[]): Promise<void> {
  try {
    const { rows: columns } = await sql<{ name: string }>`
      select attname as name from pg_attribute
      where attrelid = to_regclass(${table}) and attnum > 0 and not attisdropped and attgenerated = ''
      order by attnum`.execute(connection);
    const stored = sql.join(columns.map(({ name }) => sql.id(name)));
    await sql`
      insert into ${sql.table(table)} (${stored}) overriding system value
      select ${stored} from json_populate_recordset(null::${sql.table(table)}, ${`[${rows.join(',')}]`}::json)`.execute(
      connection,
    );
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
