import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { soak } from './soak.ts';

/**
 * Runs three nodes for some minutes, with kills, irregular deliveries, a database that stops, freezes and moves, and a
 * failing host: `npm run soak -- --minutes 10 --seed 1`. Fails when the end differs from the world, when a read of a
 * known account failed while the database was available, or when a job is stuck.
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

const directory = await mkdtemp(join(tmpdir(), 'plaudit-soak-'));
try {
  const startedAt = Date.now();
  const log = (line: string): void =>
    console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const faults = await soak({ directory, durationMs: minutes * 60_000, seed, log });
  for (const fault of faults) console.error(`✖ ${fault}`);
  if (faults.length === 0) console.log('✔ totals are those of the world, no read failed, no job is stuck');
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  await rm(directory, { recursive: true, force: true });
}
