import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, parseArgs } from 'node:util';
import { UndescribedResponses } from '../described/undescribed-responses.ts';
import { soak } from './soak.ts';

/**
 * Runs three nodes for some minutes, with kills, irregular deliveries, a database that stops, freezes and moves, and a
 * failing host: `npm run soak -- --minutes 10 --seed 1`. Fails when the end differs from the world, when a read of a
 * known account failed while the database was available, when a response is not described, or when a job is stuck.
 */

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string', default: '1' } },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error('--minutes must be a number above 0, --seed a whole number');
  process.exit(1);
}

using responses = new UndescribedResponses();
process.env['NODE_OPTIONS'] = responses.nodeOptions(process.env['NODE_OPTIONS']);
const directory = await mkdtemp(join(tmpdir(), 'plaudit-soak-'));
try {
  const startedAt = Date.now();
  const log = (line: string): void =>
    console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const ended = await soak({ directory, durationMs: minutes * 60_000, seed, log }).catch((error) => [inspect(error)]);
  const faults = [...ended, ...responses.take()];
  for (const fault of faults) console.error(`✖ ${fault}`);
  if (faults.length === 0) {
    console.log(
      '✔ totals are those of the world, no read failed while the database was available, all responses are described, no job is stuck',
    );
  }
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  await rm(directory, { recursive: true, force: true });
}
