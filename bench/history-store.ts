import assert from 'node:assert/strict';
import { saveAllCommits } from '../src/contributions/items/commit-store.ts';
import type { Database } from '../src/database/connections/connection.ts';
import { readCommits } from '../src/hosts/history/read-commits.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir } from './bench-service.ts';
import { fetchCopy, type HistoryCopy, history, log, logBaseline } from './history.ts';
import { median } from './load.ts';
import { sized } from './size.ts';

const rounds = sized(5, 1);
const batchSize = 2000;
const { signal } = new AbortController();

/** Measures the commits of a real history that are stored in a second, as collecting stores them. */
export async function run(): Promise<BenchResult[]> {
  await using place = await makeDataDir();
  const copy = await fetchCopy(place.dataDir);
  const ratios: number[] = [];
  let best = 0;
  for (let round = 0; round < rounds; round += 1) {
    await place.database.pool.query('truncate accounts, repositories, identities, commits cascade');
    const id = await addRepository(place.database);
    const ours = await commitsPerSecond(() => store(place.database, id, copy));
    const { rows } = await place.database.pool.query('select count(*) as commits from commits');
    assert.deepEqual(rows, [{ commits: history.commits }]);
    ratios.push(ours / (await commitsPerSecond(() => log(copy))));
    best = Math.max(best, ours);
  }
  return [
    {
      name: 'history-store',
      ratio: median(ratios),
      goal: '>=0.25',
      baseline: logBaseline,
      detail: `${Math.round(best).toLocaleString('en')} commits/s stored at best, ${rounds} rounds`,
    },
  ];
}

async function commitsPerSecond(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (history.commits * 1000) / (performance.now() - begun);
}

async function addRepository({ pool }: Database): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `with owner as (
       insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
       values (gen_random_uuid(), 'github', '1', 'O_1', 'organization', 'bench', now(), now(), now()) returning id)
     insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
       created_at, updated_at)
     select gen_random_uuid(), 'github', '1', 'R_1', id, 'rails', false, false, now(), now(), now(), now() from owner
     returning id`,
  );
  return rows[0]?.id ?? '';
}

async function store({ connection }: Database, id: string, { path, tip }: HistoryCopy): Promise<void> {
  const batches = readCommits(path, { from: null, to: tip }, { signal, batchSize });
  await saveAllCommits(connection, batches, { provider: 'github', repositoryId: id, scanNumber: 1, isCounted: false });
}
