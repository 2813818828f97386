import assert from 'node:assert/strict';
import { mkdir, readdir } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { buildRepository } from '../../../simulators/git/build-repository.ts';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { HistoryCache, keysAtOnce } from '../../../src/hosts/history/history-cache.ts';
import { AppError } from '../../../src/model/errors.ts';
import { startRemote } from './remote.ts';

const { signal } = new AbortController();
const limits = { maxCopyBytes: 1e9, maxTotalBytes: 1e9, fetchTimeoutMs: 60_000, now: () => new Date() };

describe('the cache of histories', () => {
  it('reads commits even where the copy with directories is too large, and deletes both copies together', async () => {
    await using temporary = await makeTemporaryDirectory();
    const names = Array.from({ length: 3000 }, (_, index) => `${index}-${(index * 7919) % 104_729}`);
    const changes = new Map(names.map((name, index) => [name, String(index)]));
    const at = new Date(1e12);
    const commits = [
      { parents: [], author: { name: 'A', email: 'a@x.org' }, authoredAt: at, committedAt: at, changes },
    ];
    const [oid] = await buildRepository(temporary.pathOf('r.git'), { commits, branch: 'main' });
    await using remote = await startRemote(temporary.pathOf('r.git'));
    const from = { url: `${remote.url}/a.git` };
    const directory = temporary.pathOf('histories');

    let now = new Date();
    const small = new HistoryCache({ ...limits, maxCopyBytes: 16 * 1024, directory, now: () => now });
    assert.equal(await small.use('one', 'commits', (copy) => copy.fetch(from, signal)), oid);
    const requestsOfFailure = async (): Promise<number> => {
      const before = remote.requests.length;
      await assert.rejects(
        small.use('one', 'directories', (copy) => copy.fetch(from, signal)),
        (error) => error instanceof AppError && /larger/.test(error.message),
      );
      return remote.requests.length - before;
    };
    assert.ok((await requestsOfFailure()) > 0);
    assert.equal(await requestsOfFailure(), 0);
    now = new Date(now.getTime() + 86_400_001);
    assert.ok((await requestsOfFailure()) > 0);
    assert.deepEqual(await readdir(directory), ['one']);

    const cache = new HistoryCache({ ...limits, directory });
    for (const key of ['one', 'two']) {
      await cache.use(key, 'directories', (copy) => copy.fetch(from, signal));
      await cache.use(key, 'commits', (copy) => copy.fetch(from, signal));
    }
    assert.equal((await readdir(directory)).length, 4);
    await cache.sweep(async (keys) => new Set(keys.filter((key) => key === 'two')));
    assert.deepEqual((await readdir(directory)).toSorted(), ['two', 'two.directories']);
  });

  it('inquires about the copies that it holds in bounded batches', async () => {
    await using directory = await makeTemporaryDirectory();
    const keys = Array.from({ length: 2 * keysAtOnce + 1 }, (_, index) => `key-${index}`);
    await Promise.all(keys.map((key) => mkdir(directory.pathOf(key))));
    const cache = new HistoryCache({ ...limits, directory: directory.path });
    const inquiries: (readonly string[])[] = [];
    await cache.sweep(async (some) => {
      inquiries.push(some);
      return new Set(some.filter((key) => key.endsWith('7')));
    });
    assert.deepEqual(
      inquiries.map(({ length }) => length),
      [keysAtOnce, keysAtOnce, 1],
    );
    assert.deepEqual(inquiries.flat().toSorted(), keys.toSorted());
    assert.deepEqual((await readdir(directory.path)).toSorted(), keys.filter((key) => key.endsWith('7')).toSorted());
  });
});
