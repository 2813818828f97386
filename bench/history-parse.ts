import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCommits } from '../src/hosts/history/read-commits.ts';
import type { BenchResult } from './bench-result.ts';
import { fetchCopy, type HistoryCopy, history, log, logBaseline } from './history.ts';
import { median } from './load.ts';
import { sized } from './size.ts';

const rounds = sized(9, 1);
const { signal } = new AbortController();

/**
 * Measures the commits of a real history that are parsed in a second, against `git log` of the same format with
 * discarded output.
 */
export async function run(): Promise<BenchResult[]> {
  const directory = await mkdtemp(join(tmpdir(), 'plaudit-bench-'));
  try {
    return [await measure(await fetchCopy(directory))];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Runs the parser and `git log` in turn, so that other load on the machine affects both. */
async function measure(copy: HistoryCopy): Promise<BenchResult> {
  const ratios: number[] = [];
  let fastest = 0;
  for (let round = 0; round < rounds; round += 1) {
    const parserSpeed = await commitsPerSecond(() => parse(copy));
    const gitSpeed = await commitsPerSecond(() => log(copy));
    ratios.push(parserSpeed / gitSpeed);
    fastest = Math.max(fastest, parserSpeed);
  }
  return {
    name: 'history-parse',
    ratio: median(ratios),
    goal: '>=0.8',
    baseline: logBaseline,
    detail: `${Math.round(fastest).toLocaleString('en')} commits/s parsed at best, ${rounds} rounds`,
  };
}

async function commitsPerSecond(read: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await read();
  return (history.commits / (performance.now() - start)) * 1000;
}

async function parse({ path, tip }: HistoryCopy): Promise<void> {
  let commits = 0;
  for await (const batch of readCommits(path, { from: null, to: tip }, { signal, batchSize: 1000 })) {
    commits += batch.length;
  }
  assert.equal(commits, history.commits);
}
