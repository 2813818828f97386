import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { addAbortSignal, Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import manifest from '../../../package.json' with { type: 'json' };
import { countImported } from '../../contributions/count-imported-store.ts';
import { openDatabase, openUnchanged, readServerVersion } from '../../database/connections/open.ts';
import { backUp, checkMigration, restore } from '../../database/copy/backup.ts';
import { exportLines, importLines, readHeader } from '../../database/copy/export.ts';
import { BackupReader } from '../../database/copy/format.ts';
import { AppError } from '../../model/errors.ts';
import { type Config, readConfig } from '../config/config.ts';
import { explainFileError, writeNewFile } from './files.ts';
import { type Io, UsageError } from './io.ts';

/** The argument for standard input or output. */
const standard = '-';
/** The most bytes of a file that are read at once. */
const readBytes = 256 * 1024;

/** `plaudit backup FILE|-`: writes all stored data by COPY, also while the service runs. */
export async function backUpTo(io: Io, file: string | undefined): Promise<void> {
  const path = named('backup', file, ', or - for the standard streams');
  if (path === standard && io.isOutputTerminal === true) {
    throw new UsageError('A backup is not written to a terminal: name a file, or a program after "|".');
  }
  await using database = await openUnchanged({ ...readConfig(io.environment), log: io.warn });
  try {
    await readServerVersion(database.pool);
    const bytes = Readable.from(backUp(database, { release: manifest.version, signal: io.signal }));
    if (path === standard) await pipeline(bytes, requireOutput(io), { signal: io.signal, end: false });
    else await writeNewFile([bytes], path, io.signal);
  } catch (error) {
    throw explainFileError(error, path);
  }
  if (path !== standard) io.print(`backed up to ${path}`);
}

/** `plaudit restore FILE|-`: fills a new database from a backup. */
export async function restoreFrom(io: Io, file: string | undefined): Promise<void> {
  const path = named('restore', file, ', or - for the standard streams');
  const input: AsyncIterable<unknown> =
    path === standard ? (io.input ?? Readable.from([])) : createReadStream(path, { highWaterMark: readBytes });
  if (input instanceof Readable) addAbortSignal(io.signal, input);
  const reader = new BackupReader(input);
  try {
    checkMigration(await reader.readHeader());
    await using database = await openDatabase({ ...readConfig(io.environment), log: io.warn });
    const rows = await restore(database.sessionConfig, reader, io.signal);
    io.print(`restored ${rows.toLocaleString('en')} rows`);
  } catch (error) {
    throw explainFileError(error, path);
  } finally {
    if (input instanceof Readable) input.destroy();
  }
}

/** `plaudit export FILE`: writes all stored data to a file, also while the service runs. */
export async function exportTo(io: Io, file: string | undefined): Promise<void> {
  const path = named('export', file);
  await using database = await openDatabase({ ...readConfig(io.environment), log: io.warn });
  try {
    const lines = Readable.from(withLineEnds(exportLines(database.connection)));
    await writeNewFile([lines, createGzip()], path, io.signal);
  } catch (error) {
    throw explainFileError(error, path);
  }
  io.print(`exported to ${path}`);
}

/** `plaudit import FILE`: fills a new database from an export. */
export async function importFrom(io: Io, file: string | undefined): Promise<void> {
  const path = named('import', file);
  await importFile(readConfig(io.environment), io, path);
  io.print(`imported ${path}`);
}

/** Fills a new database from an exported file. */
export async function importFile(config: Config, { warn }: Pick<Io, 'warn'>, path: string): Promise<void> {
  const input = createReadStream(path);
  const unzipped = input.pipe(createGunzip());
  input.on('error', (error) => unzipped.destroy(error));
  const lines = createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]();
  try {
    const first = await lines.next();
    const migration = readHeader(first.done ? undefined : first.value);
    await using database = await openDatabase({ ...config, log: warn });
    await importLines(database, { migration, lines: { [Symbol.asyncIterator]: () => lines } }, countImported);
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(error, path);
  } finally {
    input.destroy();
  }
}

function requireOutput(io: Io): Writable {
  if (io.output === undefined) throw new AppError('invalid_input', 'There is no standard output; name a file.');
  return io.output;
}

/** @param others what may be named in the place of a file. */
function named(command: string, file: string | undefined, others = ''): string {
  if (file === undefined) throw new UsageError(`${command} needs the path of a file${others}`);
  return file;
}

async function* withLineEnds(lines: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  for await (const line of lines) yield `${line}\n`;
}

function unreadable(cause: unknown, path: string): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code.startsWith('Z_'))
    return new AppError('invalid_input', 'The file is not an export of this service.', { cause });
  return explainFileError(cause, path);
}
