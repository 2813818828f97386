import type { BenchResult } from './bench-result.ts';
import { makeDataDir, startBareServer, startService } from './bench-service.ts';
import { fillAccounts } from './cold.ts';
import { median } from './load.ts';

const rounds = 5;

/**
 * Measures the time from the start of the process to its first response, with a database that holds 100,000 accounts
 * and has to be started too.
 */
export async function run(): Promise<BenchResult[]> {
  const place = await makeDataDir();
  await fillAccounts(place.database, 100_000);
  await place.database.close();
  const settings = { DATA_DIR: place.dataDir, FRESH_FOR_S: '31536000' };
  const path = '/v1/github/entities/bench-1/contributions';
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    await using service = await startService(settings);
    await (await fetch(`${service.url}${path}`)).arrayBuffer();
    ours.push(performance.now() - begun);
    const bareBegun = performance.now();
    await using bare = await startBareServer(`${service.url}${path}`);
    await (await fetch(bare.url)).arrayBuffer();
    theirs.push(performance.now() - bareBegun);
  }
  await place[Symbol.asyncDispose]();
  return [
    {
      name: 'start',
      ratio: median(theirs) / median(ours),
      goal: '>=0',
      baseline: 'start and first answer of a bare node:http server',
      detail: `${Math.round(median(ours))} ms to the first answer, PostgreSQL included`,
    },
  ];
}
