import { createReadStream, readFileSync } from 'node:fs';
import { addAbortSignal, Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import manifest from '../../../package.json' with { type: 'json' };
import { openDatabase, openUnchanged, readServerVersion } from '../../database/connections/open.ts';
import { backUp } from '../../database/copy/backup.ts';
import { BackupReader } from '../../database/copy/format.ts';
import { checkMigration, restore } from '../../database/copy/restore.ts';
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
  const path = named('backup', file);
  if (path === standard && io.isOutputTerminal === true) {
    throw new UsageError('A backup is not written to a terminal: name a file, or a program after "|".');
  }
  const database = await openUnchanged({ ...settings(io), log: io.warn });
  try {
    await readServerVersion(database.pool);
    const bytes = Readable.from(backUp(database, { release: manifest.version, signal: io.signal }));
    if (path === standard) await pipeline(bytes, requireOutput(io), { signal: io.signal, end: false });
    else await writeNewFile([bytes], path, io.signal);
  } catch (error) {
    throw explainFileError(error, path);
  } finally {
    await database.close();
  }
  if (path !== standard) io.print(`backed up to ${path}`);
}

/** `plaudit restore FILE|-`: fills a new database from a backup. */
export async function restoreFrom(io: Io, file: string | undefined): Promise<void> {
  const path = named('restore', file);
  const input: AsyncIterable<unknown> =
    path === standard ? (io.input ?? Readable.from([])) : createReadStream(path, { highWaterMark: readBytes });
  if (input instanceof Readable) addAbortSignal(io.signal, input);
  const reader = new BackupReader(input);
  try {
    checkMigration(await reader.readHeader());
    const database = await openDatabase({ ...settings(io), log: io.warn });
    try {
      const rows = await restore(database.sessionConfig, reader, io.signal);
      io.print(`restored ${rows.toLocaleString('en')} rows`);
    } finally {
      await database.close();
    }
  } catch (error) {
    throw explainFileError(error, path);
  } finally {
    if (input instanceof Readable) input.destroy();
  }
}

function requireOutput(io: Io): Writable {
  if (io.output === undefined) throw new AppError('invalid_input', 'There is no standard output; name a file.');
  return io.output;
}

function settings(io: Io): Config {
  return readConfig(io.environment, (path) => readFileSync(path, 'utf8'));
}

function named(command: string, file: string | undefined): string {
  if (file === undefined) {
    throw new UsageError(`${command} needs the path of a file, or - for the standard streams`);
  }
  return file;
}
