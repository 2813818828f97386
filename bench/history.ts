import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { buildRepository } from '../simulators/git/build-repository.ts';
import { readHistory } from '../simulators/git/histories.ts';
import { fetchHistory } from '../src/hosts/history/fetch-history.ts';
import { gitEnvironment } from '../src/hosts/history/git.ts';
import { commitFormat } from '../src/hosts/history/read-commits.ts';
import { startRemote } from '../test/integration/history/remote.ts';
import { sized } from './size.ts';

/** The real history that claims read. */
export const history = sized({ name: 'rails', commits: 99_429 }, { name: 'serverpod', commits: 2810 });

/** The baseline of claims that read this history. */
export const logBaseline = `git log of the same format to /dev/null, ${history.name} history, ${history.commits.toLocaleString('en')} commits`;

/** A copy of a history, as the service fetches it. */
export interface HistoryCopy {
  path: string;
  tip: string;
}

/** Fetches the history from a git server into a directory. */
export async function fetchCopy(directory: string): Promise<HistoryCopy> {
  const repository = join(directory, `${history.name}.git`);
  const path = join(directory, 'copy');
  await buildRepository(repository, { commits: await readHistory(history.name), branch: 'main' });
  await using remote = await startRemote(repository);
  const { signal } = new AbortController();
  const options = { signal, timeoutMs: 120_000, maxBytes: 1024 ** 3, now: () => new Date() };
  const tip = await fetchHistory({ url: `${remote.url}/${history.name}.git` }, path, options);
  assert(tip !== null, 'the history has no commits');
  return { path, tip };
}

/** Runs `git log` with the format that the service parses, and discards its output. */
export async function log({ path, tip }: HistoryCopy): Promise<void> {
  const parameters = ['log', '--no-mailmap', '-z', `--format=tformat:${commitFormat}`, tip, '--'];
  const child = spawn('git', parameters, { env: gitEnvironment(path, undefined), stdio: 'ignore' });
  const [code] = await once(child, 'close');
  assert.equal(code, 0, 'git log failed');
}
