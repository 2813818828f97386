import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { explainDirectoryError } from './database/embedded/failure.ts';

/** The histories of private repositories, which no other user of the machine may read. */
export const historiesOf = (dataDir: string): string => join(dataDir, 'histories');

/**
 * Creates DATA_DIR and the directory of histories where they do not exist, and makes the histories unreadable for other
 * users of the machine.
 * @throws AppError `misconfigured` with one line for a person.
 */
export function prepareDataDirectory(dataDir: string): void {
  const histories = historiesOf(dataDir);
  try {
    makeDirectory(histories);
    chmodSync(histories, 0o700);
  } catch (error) {
    throw explainDirectoryError(error, dataDir);
  }
}

/**
 * Creates a directory and those around it, for this user alone. Node's own `recursive` never ends where a file system refuses a
 * new directory with ENOENT, as /proc does.
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}
