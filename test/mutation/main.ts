import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { withTestServer } from '../database-server.ts';
import type { Verdict } from './experiment.ts';
import { hosts } from './hosts.ts';
import { formatReport } from './report.ts';

/**
 * Tries every mutation: `npm run verify:mutations`, or `-- --host github --only pageInfo --stage first --shard 1/4`.
 * The exit code is 0 when no mutation does harm.
 */

const { values } = parseArgs({
  options: {
    host: { type: 'string', multiple: true, default: hosts.map(({ name }) => name) },
    /** A part of the ids of mutations. */
    only: { type: 'string', multiple: true, default: [''] },
    stage: { type: 'string', multiple: true, default: ['first', 'again'] },
    shard: { type: 'string', default: '1/1' },
    seed: { type: 'string', default: '1' },
    processes: { type: 'string', default: '2' },
    /** The number of mutations to try out of each hundred. */
    percent: { type: 'string', default: '100' },
  },
});
const worker = fileURLToPath(new URL('worker.ts', import.meta.url));
const verdicts: Verdict[] = [];
const startedAt = performance.now();

process.exitCode = await withTestServer(async (server) => {
  const processes = Number(values.processes);
  const codes = await Promise.all(
    Array.from({ length: processes }, (_, index) => runWorker(server, `${index}/${processes}`)),
  );
  console.log(formatReport(verdicts));
  console.log(`${Math.round((performance.now() - startedAt) / 1000)} s`);
  return codes.every((code) => code === 0) && verdicts.every(({ failures }) => failures.length === 0) ? 0 : 1;
});

/**
 * Runs a process that tries a part of the mutations, and collects its verdicts.
 * @param part the number of the part and the number of parts, such as `0/2`.
 * @returns the exit code of the process.
 */
async function runWorker(server: Record<string, string>, part: string): Promise<number> {
  const child = spawn(process.execPath, [worker, JSON.stringify({ ...values, part })], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DATABASE_URL: undefined, ...server },
  });
  const ended = new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
  for await (const line of createInterface({ input: child.stdout })) {
    const verdict = JSON.parse(line) as Verdict;
    verdicts.push(verdict);
    // Failures are shown at once, because a whole run takes more than an hour.
    for (const { rule, detail } of verdict.failures) console.error(`${verdict.id}: ${rule}: ${detail}`);
    if (verdicts.length % 100 === 0) {
      const failed = verdicts.filter(({ failures }) => failures.length > 0).length;
      console.error(`${verdicts.length} tried, ${failed} do harm`);
    }
  }
  return ended;
}
