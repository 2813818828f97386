import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requestOutdatedBoards } from '../boards/ranking/request-store.ts';
import { type Config, readConfig } from '../config/config.ts';
import { openDatabase } from '../database/open.ts';
import { importFile } from './backup.ts';
import type { Io } from './io.ts';
import { runService } from './serve.ts';

/** An export that comes with the service. Its accounts are invented, so that every address works without a network. */
const sampleFile = fileURLToPath(new URL('../../sample/sample.ndjson.gz', import.meta.url));
/** The time of the sample, with which the demo begins, so that its year has not passed. */
export const sampleTime = Date.parse('2026-11-14T18:00:00Z');
const examples = [
  '/github/sample-garden',
  '/v1/github/entities/sample-ada/contributions',
  '/v1/github/entities/sample-garden/contributors?limit=5',
];

/** `plaudit sample`: fills a new database with the sample. */
export async function sample(io: Io): Promise<void> {
  const config = readConfig(io.environment, (path) => readFileSync(path, 'utf8'));
  await importSample(config, io);
  io.print(`The sample is stored. Run "npm start", then open ${examples.join(' or ')} at its address.`);
}

/** Imports the sample, and requests the rankings of its boards, which are not exported, before a visitor waits for one. */
async function importSample(config: Config, io: Io): Promise<void> {
  await importFile(config, io, sampleFile);
  // The sample may be older than the present tables.
  const database = await openDatabase({ ...config, log: io.warn });
  try {
    await requestOutdatedBoards(database.connection, new Date());
  } finally {
    await database.close();
  }
}

/** `plaudit demo`: serves the sample from a data directory that is removed afterwards. */
export async function demo(io: Io): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'plaudit-demo-'));
  try {
    const embedded = {
      DATA_DIR: dataDir,
      WORKERS: '1',
      DATABASE_URL: undefined,
      DATABASE_URL_FILE: undefined,
      DATABASE_DIRECT_URL: undefined,
      DATABASE_DIRECT_URL_FILE: undefined,
      DATABASE_REPLICA_URL: undefined,
      DATABASE_REPLICA_URL_FILE: undefined,
    };
    const environment = { SITE_EXAMPLE: 'github/sample-ada', ...io.environment, ...embedded };
    const config = readConfig(environment, (path) => readFileSync(path, 'utf8'));
    await importSample(config, io);
    const offset = sampleTime - Date.now();
    await runService(config, io, { environment, examples, now: () => new Date(Date.now() + offset) });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
