import assert from 'node:assert/strict';
import { buildRepository, type CommitDescription } from '../../../simulators/git/build-repository.ts';
import { type HistoryName, readHistory } from '../../../simulators/git/histories.ts';
import { runGit } from '../../../simulators/git/run-git.ts';
import type { TemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { fetchHistory } from '../../../src/hosts/history/fetch-history.ts';
import { readCommits } from '../../../src/hosts/history/read-commits.ts';
import { startRemote } from './remote.ts';

/** A repository and its copy. */
export interface Sample {
  /** The local copy, fetched as the service does. */
  copy: string;
  repository: string;
  oids: string[];
  tip: string;
}

/** Builds a repository, and fetches it. */
export async function prepare(
  directory: TemporaryDirectory,
  name: string,
  commits: readonly CommitDescription[],
): Promise<Sample> {
  const repository = directory.pathOf(`${name}.git`);
  const oids = await buildRepository(repository, { commits, branch: 'main' });
  await using remote = await startRemote(repository);
  const { signal } = new AbortController();
  const options = { signal, timeoutMs: 120_000, maxBytes: 1e9, now: () => new Date() };
  const tip = await fetchHistory({ url: `${remote.url}/a.git` }, directory.pathOf(name), options);
  return { copy: directory.pathOf(name), repository, oids, tip: tip ?? '' };
}

/** Builds a real history, and fetches it. */
export async function prepareReal(directory: TemporaryDirectory, name: HistoryName): Promise<Sample> {
  return prepare(directory, name, await readHistory(name));
}

/** Compares the totals per person with those of git shortlog, co-authors included. */
export async function assertTotals({ copy, repository, oids, tip }: Sample): Promise<void> {
  const { signal } = new AbortController();
  const totals = new Map<string, number>();
  const authored = new Map<string, number>();
  const seen = new Set<string>();
  for await (const batch of readCommits(copy, { from: null, to: tip }, { signal, batchSize: 1000 })) {
    assert.ok(batch.length === 1000 || seen.size + batch.length === oids.length);
    for (const { oid, emails } of batch) {
      seen.add(oid);
      for (const email of emails) totals.set(email, (totals.get(email) ?? 0) + 1);
      authored.set(emails[0] ?? '', (authored.get(emails[0] ?? '') ?? 0) + 1);
    }
  }
  assert.deepEqual(seen, new Set(oids));
  assert.deepEqual(authored, await shortlog(repository, '--group=author'));
  const expected = await shortlog(repository, '--group=author', '--group=trailer:co-authored-by');
  // The empty address of a commit of rails belongs to no person.
  expected.delete('');
  assert.deepEqual(totals, expected);
}

/** Compares the dates of commits with those of a real history. */
export async function assertDates({ copy, oids, tip }: Sample, name: HistoryName): Promise<void> {
  const { signal } = new AbortController();
  const described = await readHistory(name);
  const indexes = new Map(oids.map((oid, index) => [oid, index]));
  for await (const batch of readCommits(copy, { from: null, to: tip }, { signal, batchSize: 5000 })) {
    for (const { oid, authoredAt, committedAt } of batch) {
      const expected = described[indexes.get(oid) ?? -1];
      assert.equal(authoredAt.getTime(), expected?.authoredAt.getTime());
      assert.equal(committedAt.getTime(), expected?.committedAt.getTime());
    }
  }
}

async function shortlog(repository: string, ...groups: string[]): Promise<Map<string, number>> {
  const output = await runGit(repository, ['shortlog', '-sne', ...groups, 'main']);
  const totals = new Map<string, number>();
  for (const [, count, email = ''] of output.toString().matchAll(/^ *(\d+)\t.*<(.*)>$/gm)) {
    totals.set(email.toLowerCase(), (totals.get(email.toLowerCase()) ?? 0) + Number(count));
  }
  return totals;
}
