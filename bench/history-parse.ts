import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildRepository } from '../simulators/git/build-repository.ts';
import { readHistory } from '../simulators/git/histories.ts';
import { commitFormat } from '../src/history/commit-parser.ts';
import { fetchHistory } from '../src/history/fetch-history.ts';
import { gitEnvironment } from '../src/history/git-environment.ts';
import { readCommits } from '../src/history/read-commits.ts';
import { startRemote } from '../test/integration/history/remote.ts';
import type { BenchResult } from './bench-result.ts';

const rounds = 9;
const { signal } = new AbortController();

/**
 * Measures the commits of the rails history that are parsed in a second, against `git log` of the same format with
 * discarded output.
 */
export async function run(): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), 'plaudit-bench-'));
  try {
    const copy = join(directory, 'copy');
    const tip = await fetchRails(join(directory, 'rails.git'), copy);
    return [await measure(copy, tip)];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function fetchRails(repository: string, copy: string): Promise<string> {
  await buildRepository(repository, { commits: await readHistory('rails'), branch: 'main' });
  await using remote = await startRemote(repository);
  const options = { signal, timeoutMs: 120_000, maxBytes: 1024 ** 3, now: () => new Date() };
  const tip = await fetchHistory({ url: `${remote.url}/rails.git`, branch: null }, copy, options);
  if (tip === null) throw new Error('the rails history has no commits');
  return tip;
}

/** Runs both in turn, so that other load on the machine affects both. */
async function measure(copy: string, tip: string): Promise<BenchResult> {
  const ratios: number[] = [];
  let fastest = 0;
  for (let round = 0; round < rounds; round += 1) {
    const ours = await commitsPerSecond(() => countParsed(copy, tip));
    const theirs = await commitsPerSecond(() => countLogged(copy, tip));
    ratios.push(ours / theirs);
    fastest = Math.max(fastest, ours);
  }
  return {
    name: 'history-parse',
    ratio: median(ratios),
    goal: '>=0.8',
    baseline: 'git log of the same format to /dev/null, rails history, 99,429 commits',
    detail: `${Math.round(fastest).toLocaleString('en')} commits/s parsed at best, ${rounds} rounds`,
  };
}

async function commitsPerSecond(count: () => Promise<number>): Promise<number> {
  const start = performance.now();
  const commits = await count();
  return (commits / (performance.now() - start)) * 1000;
}

async function countParsed(copy: string, tip: string): Promise<number> {
  let commits = 0;
  for await (const batch of readCommits(copy, { from: null, to: tip }, { signal, batchSize: 1000 })) {
    commits += batch.length;
  }
  return commits;
}

async function countLogged(copy: string, tip: string): Promise<number> {
  const parameters = ['log', '--no-mailmap', '-z', `--format=tformat:${commitFormat}`, tip, '--'];
  const child = spawn('git', parameters, { env: gitEnvironment(copy, undefined), stdio: 'ignore' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error('git log failed');
  return 99_429;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
