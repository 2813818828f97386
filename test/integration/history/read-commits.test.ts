import assert from 'node:assert/strict';
import { readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { buildRepository, type CommitDescription } from '../../../simulators/git/build-repository.ts';
import { findProcesses } from '../../../simulators/git/processes.ts';
import { runGit } from '../../../simulators/git/run-git.ts';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { fetchHistory } from '../../../src/hosts/history/fetch-history.ts';
import { type Commit, holdsCommit, readCommits, readLost } from '../../../src/hosts/history/read-commits.ts';
import { AppError } from '../../../src/model/errors.ts';
import { startRemote } from './remote.ts';
import { assertDates, assertTotals, prepare, prepareReal, type Sample } from './samples.ts';

const { signal } = new AbortController();
const directory = await makeTemporaryDirectory();

describe('the commits of a history', () => {
  after(() => directory[Symbol.asyncDispose]());

  it('returns the totals per person of git shortlog, co-authors included, and the dates of the history', async () => {
    const sample = await real();
    await assertTotals(sample);
    await assertDates(sample, 'serverpod');
  });

  it('returns the commits of a range that are reachable from one end and not from the other', async () => {
    const commits = [change(1), change(2, 0), change(3, 0), change(4, 1, 2), change(5, 3), change(9, 1)];
    const { copy, oids, tip } = await prepare(directory, 'ranges', [...commits, change(10, 4, 5)]);
    const read = async (from: number | null, to: number): Promise<number[]> => {
      const range = { from: from === null ? null : (oids[from] ?? ''), to: oids[to] ?? '' };
      return (await collect(readCommits(copy, range, { signal, batchSize: 2 }))).map(({ oid }) => oids.indexOf(oid));
    };
    assert.equal(tip, oids[6]);
    assert.deepEqual(await read(null, 6), [6, 5, 4, 3, 2, 1, 0]);
    assert.deepEqual(await read(3, 6), [6, 5, 4]);
    assert.deepEqual(await read(2, 5), [5, 1]);
    assert.deepEqual(await read(6, 3), []);
    const lost = async (from: number[], to: number): Promise<number[]> => {
      const range = { from: from.map((index) => oids[index] ?? ''), to: oids[to] ?? '' };
      return (await collect(readLost(copy, range, { signal, batchSize: 2 }))).map((oid) => oids.indexOf(oid));
    };
    assert.deepEqual(await lost([4], 6), []);
    assert.deepEqual(await lost([4], 5), [4, 3, 2]);
    assert.deepEqual(await lost([4, 5], 2), [5, 4, 3, 1]);
    assert.deepEqual(await lost([], 2), []);
    assert.equal(await holdsCommit(copy, oids[0] ?? '', signal), true);
    assert.equal(await holdsCommit(copy, '0'.repeat(39).concat('1'), signal), false);
    await assert.rejects(holdsCommit(copy, '--all', signal), { name: 'AssertionError' });
  });

  it('fetches nothing while reading, not even for a mail map', async () => {
    const repository = directory.pathOf('mapped.git');
    const mailmap = 'Mapped <mapped@x.org> <a@x.org>\n';
    await buildRepository(repository, { commits: [], branch: 'main' });
    const commit = 'commit refs/heads/main\ncommitter A <a@x.org> 1 +0000\ndata 1\nm\n';
    const input = `${commit}M 100644 inline .mailmap\ndata ${mailmap.length}\n${mailmap}\n`;
    await runGit(repository, ['fast-import', '--quiet'], [input]);
    await using remote = await startRemote(repository);
    const options = { signal, timeoutMs: 60_000, maxBytes: 1e9, now: () => new Date() };
    const tip = await fetchHistory({ url: `${remote.url}/a.git` }, directory.pathOf('mapped'), options);
    const requestCount = remote.requests.length;
    const commits = await collect(
      readCommits(directory.pathOf('mapped'), { from: null, to: tip ?? '' }, { signal, batchSize: 10 }),
    );
    assert.deepEqual(
      commits.map(({ emails }) => emails),
      [['a@x.org']],
    );
    const tree = (await runGit(repository, ['rev-parse', 'main^{tree}'])).toString().trim();
    assert.equal(await holdsCommit(directory.pathOf('mapped'), tree, signal), false);
    assert.equal(remote.requests.length, requestCount);
  });

  it('leaves no process after a reader stops or is aborted', async () => {
    const { copy, tip } = await real();
    for await (const batch of readCommits(copy, { from: null, to: tip }, { signal, batchSize: 10 })) {
      assert.equal(batch.length, 10);
      break;
    }
    assert.deepEqual(await findProcesses(copy), []);
    const controller = new AbortController();
    const reading = readCommits(copy, { from: null, to: tip }, { signal: controller.signal, batchSize: 10 });
    await reading.next();
    controller.abort(new Error('enough'));
    await assert.rejects(collect(reading), /enough/);
    assert.deepEqual(await findProcesses(copy), []);
    const late = readCommits(copy, { from: null, to: tip }, { signal: controller.signal, batchSize: 10 });
    await assert.rejects(collect(late), /enough/);
  });

  it('throws an error for a damaged or missing copy, and creates it again with the next fetch', async () => {
    const commits = [change(1), change(2, 0)];
    const { copy, repository, oids, tip } = await prepare(directory, 'damaged', commits);
    const read = (): Promise<Commit[]> =>
      collect(readCommits(copy, { from: null, to: tip }, { signal, batchSize: 10 }));
    const packs = join(copy, 'objects', 'pack');
    const pack = (await readdir(packs)).find((name) => name.endsWith('.pack')) ?? '';
    await truncate(join(packs, pack), 40);
    await assert.rejects(read(), (error) => error instanceof AppError && error.code === 'provider_invalid_response');
    await assert.rejects(read(), (error) => error instanceof AppError && error.code === 'conflict');
    await using remote = await startRemote(repository);
    const options = { signal, timeoutMs: 60_000, maxBytes: 1e9, now: () => new Date() };
    await fetchHistory({ url: `${remote.url}/a.git` }, copy, options);
    assert.equal((await read()).length, oids.length);
    await rm(copy, { recursive: true });
    await assert.rejects(read(), (error) => error instanceof AppError && error.code === 'conflict');
  });

  it('reports a missing git as a misconfiguration', async () => {
    const { copy, tip } = await real();
    const path = process.env['PATH'];
    process.env['PATH'] = directory.path;
    try {
      const reading = readCommits(copy, { from: null, to: tip }, { signal, batchSize: 10 });
      await assert.rejects(collect(reading), (error) => error instanceof AppError && error.code === 'misconfigured');
    } finally {
      process.env['PATH'] = path;
    }
  });
});

let sample: Promise<Sample> | undefined;
function real(): Promise<Sample> {
  return (sample ??= prepareReal(directory, 'serverpod'));
}

async function collect<Item>(batches: AsyncIterable<Item[]>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const batch of batches) items.push(...batch);
  return items;
}

const author = { name: 'A', email: 'a@x.org' };
const change = (time: number, ...parents: number[]): CommitDescription => ({
  parents,
  author,
  authoredAt: new Date(time * 1000),
  committedAt: new Date(time * 1000),
});
