import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setInterval } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startSimulator } from '../simulators/github/simulator.ts';
import { namedAccounts } from '../simulators/world/cast.ts';
import { generateWorld } from '../simulators/world/generate.ts';
import { Random } from '../simulators/world/random.ts';
import { addHistory } from '../simulators/world/real-history.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir, residentMib, startService } from './bench-service.ts';
import { fillAccounts } from './cold.ts';
import { history } from './history.ts';
import { sized } from './size.ts';

const program = fileURLToPath(new URL('../bin/plaudit.js', import.meta.url));

const accounts = sized(10_000, 100);
const requests = sized({ early: 20_000, late: 80_000 }, { early: 200, late: 400 });

/** Measures the memory of the process: after many requests, and while a long history is stored. */
export async function run(): Promise<BenchResult[]> {
  return [await afterManyRequests(), await whileStoringAHistory()];
}

async function afterManyRequests(): Promise<BenchResult> {
  await using place = await makeDataDir();
  await fillAccounts(place.database, accounts);
  await using service = await startService({ DATA_DIR: place.dataDir, FRESH_FOR_S: '31536000' });
  const sendRequests = async (count: number): Promise<void> => {
    let left = count;
    const client = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        const name = `bench-${1 + Math.floor(Math.random() * accounts)}`;
        const response = await fetch(`${service.url}/v1/github/entities/${name}/contributions`);
        await response.arrayBuffer();
        assert.equal(response.status, 200);
      }
    };
    await Promise.all(Array.from({ length: 16 }, client));
  };
  await sendRequests(requests.early);
  const early = await service.residentMib();
  await sendRequests(requests.late);
  const late = await service.residentMib();
  return {
    name: 'memory-requests',
    ratio: late / early,
    goal: '<=1.3',
    baseline: `resident memory after the first ${toText(requests.early)} of ${toText(requests.early + requests.late)} requests over ${toText(accounts)} accounts`,
    detail: `${Math.round(early)} MiB, then ${Math.round(late)} MiB`,
  };
}

async function whileStoringAHistory(): Promise<BenchResult> {
  const world = await generateWorld({ seed: 1, size: 'small', now: () => new Date(), repositories: 1 });
  const owner = world.accountByLogin(namedAccounts.organization);
  if (owner === undefined) throw new Error('the world has no organization');
  await addHistory(world, new Random(1), owner, history.name, []);
  await using simulator = await startSimulator({ world });
  await using place = await makeDataDir();
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const sync = async (repository: string): Promise<number> => {
    const child = spawn(process.execPath, [program, 'sync', `github/${owner.login}/${repository}`], {
      stdio: 'ignore',
      env: {
        PATH,
        NODE_COMPILE_CACHE,
        DATA_DIR: place.dataDir,
        GITHUB_URL: simulator.url,
        GITHUB_API_URL: simulator.apiUrl,
        GITHUB_TOKEN: simulator.tokens.public_only,
      },
    });
    const end = new AbortController();
    const code = once(child, 'exit').then(([status]) => {
      end.abort();
      return status as number;
    });
    const peak = await peakMib(child.pid ?? 0, end.signal);
    if ((await code) !== 0) throw new Error('sync failed');
    return peak;
  };
  const small = await sync('engine-1');
  const large = await sync(history.name);
  return {
    name: 'memory-history',
    ratio: large / small,
    goal: '<=2',
    baseline: 'peak resident memory of `plaudit sync` of a repository with 25 commits',
    detail: `${Math.round(small)} MiB, ${Math.round(large)} MiB for ${toText(history.commits)} commits`,
  };
}

async function peakMib(pid: number, end: AbortSignal): Promise<number> {
  let peak = 0;
  try {
    for await (const _ of setInterval(20, undefined, { signal: end }))
      peak = Math.max(peak, (await residentMib(pid)) || 0);
  } catch {
    // The process has ended.
  }
  return peak;
}

function toText(count: number): string {
  return count.toLocaleString('en');
}
