import { createHash } from 'node:crypto';
import { escapeIdentifier } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { AppError } from '../../model/errors.ts';
import type { Database } from '../connections/connection.ts';
import { newestMigration, readMigrationState } from '../migrations/migrate.ts';
import { endOfRows, toFrames, toLine } from './format.ts';
import { openSession } from './session.ts';
import { type CopiedRows, inSql, jobs, listStoredTables, storedNames } from './stored-tables.ts';

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
