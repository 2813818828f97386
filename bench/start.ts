import assert from 'node:assert/strict';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir, startBareServer, startService } from './bench-service.ts';
import { fillAccounts } from './cold.ts';
import { median } from './load.ts';
import { sized } from './size.ts';

const accounts = sized(100_000, 100);
const rounds = sized(5, 1);

/**
 * Measures the time from the start of the process to its first response, with a database that holds 100,000 accounts
 * and has to be started too.
 */
export async function run(): Promise<BenchResult[]> {
  await using place = await makeDataDir();
  await fillAccounts(place.database, accounts);
  await place.database.close();
  const settings = { DATA_DIR: place.dataDir, FRESH_FOR_S: '31536000' };
  const path = '/v1/github/entities/bench-1/contributions';
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    await using service = await startService(settings);
    await read(`${service.url}${path}`);
    ours.push(performance.now() - begun);
    const bareBegun = performance.now();
    await using bare = await startBareServer(`${service.url}${path}`);
    await read(bare.url);
    theirs.push(performance.now() - bareBegun);
  }
  return [
    {
      name: 'start',
      ratio: median(theirs) / median(ours),
      goal: 'none',
      baseline: 'start and first response of a bare node:http server',
      detail: `${Math.round(median(ours))} ms to the first response, PostgreSQL included`,
    },
  ];
}

async function read(url: string): Promise<void> {
  const response = await fetch(url);
  await response.arrayBuffer();
  assert.equal(response.status, 200);
}
