import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buildRepository } from '../simulators/git/build-repository.ts';
import { readHistory } from '../simulators/git/histories.ts';
import { saveAllCommits } from '../src/contributions/commit-store.ts';
import type { Database } from '../src/database/connection.ts';
import { commitFormat } from '../src/history/commit-parser.ts';
import { fetchHistory } from '../src/history/fetch-history.ts';
import { gitEnvironment } from '../src/history/git-environment.ts';
import { readCommits } from '../src/history/read-commits.ts';
import { startRemote } from '../test/integration/history/remote.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir } from './bench-service.ts';
import { median } from './load.ts';

const rounds = 5;
const batchSize = 2000;
const { signal } = new AbortController();

/** Measures the commits of the rails history that are stored in a second, as collecting stores them. */
export async function run(): Promise<BenchResult[]> {
  await using place = await makeDataDir();
  const repository = join(place.dataDir, 'rails.git');
  const copy = join(place.dataDir, 'copy');
  await buildRepository(repository, { commits: await readHistory('rails'), branch: 'main' });
  await using remote = await startRemote(repository);
  const options = { signal, timeoutMs: 120_000, maxBytes: 1024 ** 3, now: () => new Date() };
  const tip = await fetchHistory({ url: `${remote.url}/rails.git`, branch: null }, copy, options);
  if (tip === null) throw new Error('the rails history has no commits');
  const ratios: number[] = [];
  let best = 0;
  for (let round = 0; round < rounds; round += 1) {
    await place.database.pool.query('truncate accounts, repositories, identities, commits cascade');
    const id = await addRepository(place.database);
    const begun = performance.now();
    const commits = await store(place.database, id, copy, tip);
    const ours = commits / (performance.now() - begun);
    const logBegun = performance.now();
    await log(copy, tip);
    ratios.push((ours * (performance.now() - logBegun)) / commits);
    best = Math.max(best, ours * 1000);
  }
  return [
    {
      name: 'history-store',
      ratio: median(ratios),
      goal: '>=0.25',
      baseline: 'git log of the same format to /dev/null, rails history, 99,429 commits',
      detail: `${Math.round(best).toLocaleString('en')} commits/s stored at best, ${rounds} rounds`,
    },
  ];
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

async function store({ connection }: Database, id: string, copy: string, tip: string): Promise<number> {
  const batches = readCommits(copy, { from: null, to: tip }, { signal, batchSize });
  await saveAllCommits(connection, batches, { provider: 'github', repositoryId: id, scanNumber: 1, isCounted: false });
  return 99_429;
}

async function log(copy: string, tip: string): Promise<void> {
  const parameters = ['log', '--no-mailmap', '-z', `--format=tformat:${commitFormat}`, tip, '--'];
  const child = spawn('git', parameters, { env: gitEnvironment(copy, undefined), stdio: 'ignore' });
  await once(child, 'close');
}
