import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildRepository, moveRef, writeRawCommit } from '../../simulators/git/build-repository.ts';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { HistoryCache, type HistoryCopy } from '../../src/hosts/history/history-cache.ts';
import { HistoryOutOfMemory } from '../../src/hosts/history/remote-failure.ts';
import { startRemote } from '../integration/history/remote.ts';

const { signal } = new AbortController();
const mebibyte = 1024 * 1024;
const tree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const person = { author: { name: 'A', email: 'a@x.org' }, authoredAt: new Date(0), committedAt: new Date(0) };
const limits = { maxCopyBytes: 1e9, maxTotalBytes: 1e9, fetchTimeoutMs: 600_000 };

/** Serves a history whose second commit has a message of one long line. */
async function serveLongMessage(messageMiB: number) {
  const stack = new AsyncDisposableStack();
  const directory = stack.use(await makeTemporaryDirectory());
  const repository = directory.pathOf('long.git');
  const [root = ''] = await buildRepository(repository, { commits: [{ parents: [], ...person }], branch: 'main' });
  const head = `tree ${tree}\nparent ${root}\nauthor A <a@x.org> 100 +0000\ncommitter A <a@x.org> 100 +0000\n\n`;
  const content = Buffer.concat([Buffer.from(head), Buffer.alloc(messageMiB * mebibyte, 'x')]);
  await moveRef(repository, 'refs/heads/main', await writeRawCommit(repository, content));
  const remote = stack.use(await startRemote(repository));
  let now = new Date();
  const histories = new HistoryCache({ ...limits, directory: directory.pathOf('histories'), now: () => now });
  return {
    remote,
    use: <Result>(work: (copy: HistoryCopy) => Promise<Result>) => histories.use('one', 'commits', work),
    fetch: (copy: HistoryCopy) => copy.fetch({ url: `${remote.url}/a.git` }, signal),
    advance: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function count(copy: HistoryCopy, to: string): Promise<number> {
  let commits = 0;
  for await (const batch of copy.readCommits({ from: null, to }, { signal, batchSize: 100 })) commits += batch.length;
  return commits;
}

const outOfMemory = (error: unknown): boolean =>
  error instanceof HistoryOutOfMemory &&
  error.code === 'provider_invalid_response' &&
  error.message === 'The history needs more memory than the 512 MiB that git may use here.';

const options = { skip: process.platform !== 'linux' && 'this system does not limit the memory of a process' };

describe('memory of git', options, () => {
  it('is limited while a history is fetched, which is tried again after a day', async () => {
    await using served = await serveLongMessage(520);
    await assert.rejects(served.use(served.fetch), outOfMemory);
    const { length } = served.remote.requests;
    await assert.rejects(served.use(served.fetch), outOfMemory);
    assert.equal(served.remote.requests.length, length);
    served.advance(86_400_001);
    await assert.rejects(served.use(served.fetch), outOfMemory);
    assert.ok(served.remote.requests.length > length);
  });

  it('is limited while a history is read, whose copy stays', async () => {
    await using served = await serveLongMessage(270);
    const read = served.use(async (copy) => count(copy, (await served.fetch(copy)) ?? ''));
    await assert.rejects(read, outOfMemory);
    const { length } = served.remote.requests;
    await assert.rejects(served.use(served.fetch), outOfMemory);
    assert.equal(served.remote.requests.length, length);
  });

  it('suffices for a message of 100 MiB, of which this process holds little', async () => {
    await using served = await serveLongMessage(100);
    const before = process.memoryUsage.rss();
    assert.equal(await served.use(async (copy) => count(copy, (await served.fetch(copy)) ?? '')), 2);
    assert.ok(process.memoryUsage.rss() - before < 50 * mebibyte);
  });
});
