import { fileURLToPath } from 'node:url';
import type { Connection } from '../../database/connections/connection.ts';
import { openDatabase } from '../../database/connections/open.ts';
import { requestOutdatedBoards } from '../../recognition/boards/ranking/request-store.ts';
import { type Config, readConfig } from '../config/config.ts';
import { importFile } from './copy.ts';
import type { Io } from './io.ts';

/** An export that comes with the service. Its accounts are invented, so that every address works without a network. */
const sampleFile = fileURLToPath(new URL('../../../sample/sample.ndjson.gz', import.meta.url));
/**
 * The time at which the sample was made. The clock of the demo begins here, so that the sample's contributions are
 * recent.
 */
export const sampleTime = Date.parse('2026-11-14T18:00:00Z');
const examples = [
  '/github/sample-garden',
  '/v1/github/entities/sample-ada/contributions',
  '/v1/github/entities/sample-garden/contributors?limit=5',
];

/** `plaudit sample`: fills a new database with the sample. */
export async function sample(io: Io): Promise<void> {
  const config = readConfig(io.environment);
  await importSample(config, io, async () => undefined);
  io.print(`The sample is stored. Run "npm start", then open ${examples.join(' or ')} at its address.`);
}

/**
 * Imports the sample, and requests the rankings of its boards, because an export does not contain them.
 * @param read reads from the imported database; its result is returned.
 */
export async function importSample<Result>(
  config: Config,
  io: Pick<Io, 'warn'>,
  read: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  await importFile(config, io, sampleFile);
  // Opening the database migrates it, because the sample may be older than the present tables.
  await using database = await openDatabase({ ...config, log: io.warn });
  await requestOutdatedBoards(database.connection, new Date());
  return await read(database.connection);
}
