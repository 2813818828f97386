import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { createGunzip, createGzip } from 'node:zlib';
import { countImported } from '../../contributions/count-imported-store.ts';
import { openDatabase } from '../../database/connections/open.ts';
import { exportLines, importLines, readHeader } from '../../database/copy/export.ts';
import { AppError } from '../../model/errors.ts';
import { type Config, readConfig } from '../config/config.ts';
import { explainFileError, writeNewFile } from './files.ts';
import { type Io, UsageError } from './io.ts';

/** `plaudit export FILE`: writes all stored data to a file, also while the service runs. */
export async function exportTo(io: Io, file: string | undefined): Promise<void> {
  const path = named('export', file);
  const database = await openDatabase({ ...settings(io), log: io.warn });
  try {
    const lines = Readable.from(withLineEnds(exportLines(database.connection)));
    await writeNewFile([lines, createGzip()], path, io.signal);
  } catch (error) {
    throw explainFileError(error, path);
  } finally {
    await database.close();
  }
  io.print(`exported to ${path}`);
}

/** `plaudit import FILE`: fills a new database from an export. */
export async function importFrom(io: Io, file: string | undefined): Promise<void> {
  const path = named('import', file);
  await importFile(settings(io), io, path);
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
    const database = await openDatabase({ ...config, log: warn });
    try {
      await importLines(database, { migration, lines: { [Symbol.asyncIterator]: () => lines } }, countImported);
    } finally {
      await database.close();
    }
  } catch (error) {
    throw error instanceof AppError ? error : unreadable(error, path);
  } finally {
    input.destroy();
  }
}

function settings(io: Io): Config {
  return readConfig(io.environment, (path) => readFileSync(path, 'utf8'));
}

function named(command: string, file: string | undefined): string {
  if (file === undefined) throw new UsageError(`${command} needs the path of a file`);
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
