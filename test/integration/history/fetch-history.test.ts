import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import {
  appendCommits,
  buildRepository,
  type CommitDescription,
  moveRef,
  setDefaultBranch,
} from '../../../simulators/git/build-repository.ts';
import { readHistory } from '../../../simulators/git/histories.ts';
import { runGit } from '../../../simulators/git/run-git.ts';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { type FetchOptions, fetchHistory } from '../../../src/hosts/history/fetch-history.ts';
import { holdsCommit, readCommits, readLost } from '../../../src/hosts/history/read-commits.ts';
import { type RemoteHost, startRemote } from './remote.ts';

const { signal } = new AbortController();
const options = { signal, timeoutMs: 60_000, maxBytes: 1e9, now: () => new Date() };
const main = 'refs/heads/main';

const person = { name: 'A', email: 'a@x.org' };
const change = (...parents: (number | string)[]): CommitDescription => ({
  parents,
  author: person,
  authoredAt: new Date(1e12),
  committedAt: new Date(1e12),
});

const fetchFrom = (remote: RemoteHost, copy: string, changed: Partial<FetchOptions> = {}): Promise<string | null> =>
  fetchHistory({ url: `${remote.url}/owner/name.git` }, copy, { ...options, ...changed });

async function countCommits(copy: string, to: string | null, from: string | null = null): Promise<number> {
  let count = 0;
  for await (const batch of readCommits(copy, { from, to: to ?? '' }, { signal, batchSize: 1000 }))
    count += batch.length;
  return count;
}

async function lostCommits(copy: string, from: string[], to: string | null): Promise<string[]> {
  const lost: string[] = [];
  for await (const batch of readLost(copy, { from, to: to ?? '' }, { signal, batchSize: 100 })) lost.push(...batch);
  return lost;
}

describe('the fetch of a history', () => {
  it('fetches all commits and no other objects first, and only new commits afterwards', async () => {
    await using directory = await makeTemporaryDirectory();
    const [repository, copy] = [directory.pathOf('r.git'), directory.pathOf('copy')];
    const refs = { 'refs/tags/v1': 5, 'refs/heads/side': 2810 };
    const commits = [...(await readHistory('serverpod')), change(7)];
    const oids = await buildRepository(repository, { commits, branch: 'main', refs });
    await moveRef(repository, main, oids[2809] ?? '');
    await using remote = await startRemote(repository);

    const first = await fetchFrom(remote, copy);
    assert.equal(first, oids[2809]);
    assert.equal(await countCommits(copy, first), 2810);
    assert.equal(await holdsCommit(copy, oids[2810] ?? '', signal), false);
    const objects = await runGit(copy, ['cat-file', '--batch-all-objects', '--batch-check=%(objecttype)']);
    assert.deepEqual(new Set(objects.toString().trim().split('\n')), new Set(['commit']));
    const configuration = await readFile(join(copy, 'config'), 'utf8');
    assert.ok(!configuration.includes(remote.url));

    remote.requests.length = 0;
    assert.equal(await fetchFrom(remote, copy), first);
    assert.deepEqual(remote.requests, [
      'GET /owner/name.git/info/refs?service=git-upload-pack',
      'POST /owner/name.git/git-upload-pack',
    ]);

    const [, last] = await appendCommits(repository, main, [change(first ?? ''), change(0)]);
    // A connection serves several requests and counts all bytes that it sent.
    const sentBytes = new Map<Socket, number>();
    remote.intercept = (request, response, next) => {
      response.once('finish', () => sentBytes.set(request.socket, request.socket.bytesWritten));
      return next(request, response);
    };
    assert.equal(await fetchFrom(remote, copy), last);
    const total = [...sentBytes.values()].reduce((sum, bytes) => sum + bytes, 0);
    assert.ok(total < 5000, `${total} bytes`);
    assert.equal(await countCommits(copy, last ?? null, first), 2);
    assert.equal((await readdir(join(copy, 'objects', 'pack'))).filter((name) => name.endsWith('.pack')).length, 2);
  });

  it('returns no tip for a repository without commits until its first push', async () => {
    await using directory = await makeTemporaryDirectory();
    await buildRepository(directory.pathOf('r.git'), { commits: [], branch: 'main' });
    await using remote = await startRemote(directory.pathOf('r.git'));
    assert.equal(await fetchFrom(remote, directory.pathOf('copy')), null);
    const { intercept } = remote;
    remote.intercept = (request, response, next) => {
      delete request.headers['git-protocol'];
      return next(request, response);
    };
    assert.equal(await fetchFrom(remote, directory.pathOf('copy')), null);
    remote.intercept = intercept;
    assert.deepEqual(await readdir(directory.path), ['r.git']);
    const [oid] = await appendCommits(directory.pathOf('r.git'), main, [change()]);
    assert.equal(await fetchFrom(remote, directory.pathOf('copy')), oid);
  });

  it('follows a change of the default branch', async () => {
    await using directory = await makeTemporaryDirectory();
    const [repository, copy] = [directory.pathOf('r.git'), directory.pathOf('copy')];
    const refs = { 'refs/heads/odd/näme': 1 };
    const [, second, third] = await buildRepository(repository, {
      commits: [change(), change(0), change(0)],
      branch: 'main',
      refs,
    });
    await using remote = await startRemote(repository);
    assert.equal(await fetchFrom(remote, copy), third);
    await setDefaultBranch(repository, 'odd/näme');
    await moveRef(repository, main, null);
    assert.equal(await fetchFrom(remote, copy), second);
    await setDefaultBranch(repository, 'nowhere');
    assert.equal(await fetchFrom(remote, copy), null);
    await setDefaultBranch(repository, 'odd/näme');
    assert.equal(await fetchFrom(remote, copy), second);
  });

  it('finds new and lost commits after a rewrite of the branch', async () => {
    await using directory = await makeTemporaryDirectory();
    const [repository, copy] = [directory.pathOf('r.git'), directory.pathOf('copy')];
    const oids = await buildRepository(repository, { commits: [change(), change(0), change(1)], branch: 'main' });
    const [first = '', second = '', third = ''] = oids;
    await using remote = await startRemote(repository);
    await fetchFrom(remote, copy);
    const rewritten = await appendCommits(repository, main, [{ ...change(first), message: 'Other' }]);
    const tip = await fetchFrom(remote, copy);
    assert.equal(tip, rewritten[0]);
    assert.equal(await countCommits(copy, tip, third), 1);
    assert.deepEqual(await lostCommits(copy, [third], tip), [third, second]);

    // A second rewrite happens before the commits of the first one are stored.
    await appendCommits(repository, main, [{ ...change(second), message: 'Third' }]);
    const next = await fetchFrom(remote, copy);
    assert.deepEqual(new Set(await lostCommits(copy, [third, tip ?? ''], next)), new Set([third, tip]));

    await moveRef(repository, main, first);
    assert.equal(await fetchFrom(remote, copy), first);
    assert.equal(await countCommits(copy, first, next), 0);
    assert.deepEqual(await lostCommits(copy, [next ?? ''], first), [next, second]);
  });

  it('fetches no commits into a new copy that the branch lost before', async () => {
    await using directory = await makeTemporaryDirectory();
    const [first = '', second = ''] = await buildRepository(directory.pathOf('r.git'), {
      commits: [change(), change(0)],
      branch: 'main',
    });
    await moveRef(directory.pathOf('r.git'), main, first);
    await using remote = await startRemote(directory.pathOf('r.git'));
    await fetchFrom(remote, directory.pathOf('copy'));
    assert.equal(await holdsCommit(directory.pathOf('copy'), first, signal), true);
    assert.equal(await holdsCommit(directory.pathOf('copy'), second, signal), false);
  });

  it('supports a server that cannot filter trees', async () => {
    await using directory = await makeTemporaryDirectory();
    const oids = await buildRepository(directory.pathOf('r.git'), {
      commits: await readHistory('serverpod'),
      branch: 'main',
    });
    await using remote = await startRemote(directory.pathOf('r.git'), { allowFilter: false });
    assert.equal(await fetchFrom(remote, directory.pathOf('copy')), oids.at(-1));
    const [added] = await appendCommits(directory.pathOf('r.git'), main, [change(oids.at(-1) ?? '')]);
    const tip = await fetchFrom(remote, directory.pathOf('copy'));
    assert.equal(tip, added);
    assert.equal(await countCommits(directory.pathOf('copy'), tip), 2811);
  });

  it('supports servers with the first protocol version or with SHA-256', async () => {
    await using directory = await makeTemporaryDirectory();
    const commits = [change(), change(0)];
    const oids = await buildRepository(directory.pathOf('r.git'), { commits, branch: 'main' });
    await using old = await startRemote(directory.pathOf('r.git'));
    old.intercept = (request, response, next) => {
      delete request.headers['git-protocol'];
      return next(request, response);
    };
    assert.equal(await fetchFrom(old, directory.pathOf('old')), oids[1]);
    assert.equal(await fetchFrom(old, directory.pathOf('old')), oids[1]);

    await runGit(directory.path, [
      'init',
      '--quiet',
      '--bare',
      '--object-format=sha256',
      '--initial-branch=main',
      'l.git',
    ]);
    const [, long = ''] = await appendCommits(directory.pathOf('l.git'), main, commits);
    await using modern = await startRemote(directory.pathOf('l.git'));
    assert.equal(long.length, 64);
    assert.equal(await fetchFrom(modern, directory.pathOf('long')), long);
    assert.equal(await countCommits(directory.pathOf('long'), long), 2);
    modern.intercept = old.intercept;
    assert.equal(await fetchFrom(modern, directory.pathOf('long in the first version')), long);
    // The same address may belong to another repository later.
    assert.equal(await fetchFrom(old, directory.pathOf('long')), oids[1]);
    assert.equal(await countCommits(directory.pathOf('long'), oids[1] ?? null), 2);
  });

  it('follows a renamed repository on the same host alone, and lists its references once', async () => {
    await using directory = await makeTemporaryDirectory();
    const [repository, copy] = [directory.pathOf('r.git'), directory.pathOf('copy')];
    const [oid] = await buildRepository(repository, { commits: [change()], branch: 'main' });
    await using other = await startRemote(repository);
    await using remote = await startRemote(repository);
    let host = '';
    remote.intercept = (request, response, next) => {
      const path = request.url ?? '';
      if (path.startsWith('/owner/new.git/')) return next(request, response);
      response.writeHead(301, { location: `${host}${path.replace('/owner/name.git/', '/owner/new.git/')}` }).end();
    };
    assert.equal(await fetchFrom(remote, copy), oid);
    assert.deepEqual(remote.requests, [
      'GET /owner/name.git/info/refs?service=git-upload-pack',
      'GET /owner/new.git/info/refs?service=git-upload-pack',
      'POST /owner/new.git/git-upload-pack',
      'POST /owner/new.git/git-upload-pack',
    ]);
    host = other.url;
    await assert.rejects(fetchFrom(remote, directory.pathOf('other')), {
      code: 'provider_denied',
      message: 'The provider denies access to the history.',
      reason: `redirects to ${other.url}/owner/new.git/info/refs`,
    });
    assert.deepEqual(other.requests, []);
    const location = '//user:pass@sso.example/login?state=secret-state#secret-fragment';
    remote.intercept = (_request, response) => void response.writeHead(302, { location }).end();
    await assert.rejects(fetchFrom(remote, directory.pathOf('other')), {
      reason: 'redirects to http://sso.example/login',
    });
    remote.intercept = (request, response) => void response.writeHead(302, { location: request.url }).end();
    await assert.rejects(fetchFrom(remote, directory.pathOf('other')), { code: 'provider_denied' });
    assert.deepEqual((await readdir(directory.path)).toSorted(), ['copy', 'r.git']);
  });

  it('keeps a copy while the host withholds it for legal reasons', async () => {
    await using directory = await makeTemporaryDirectory();
    const [repository, copy] = [directory.pathOf('r.git'), directory.pathOf('copy')];
    const [oid] = await buildRepository(repository, { commits: [change()], branch: 'main' });
    await using remote = await startRemote(repository);
    await fetchFrom(remote, copy);
    remote.intercept = (_request, response) => void response.writeHead(451).end();
    await assert.rejects(fetchFrom(remote, copy), { code: 'provider_denied' });
    remote.intercept = (request, response, next) => next(request, response);
    remote.requests.length = 0;
    assert.equal(await fetchFrom(remote, copy), oid);
    // The list of references shows that nothing is left to fetch.
    assert.equal(remote.requests.filter((request) => request.startsWith('POST ')).length, 1);
  });

  it('keeps a copy while the host sends pages in place of a history', async () => {
    await using directory = await makeTemporaryDirectory();
    const [repository, copy] = [directory.pathOf('r.git'), directory.pathOf('copy')];
    const [oid] = await buildRepository(repository, { commits: [change()], branch: 'main' });
    await using remote = await startRemote(repository);
    assert.equal(await fetchFrom(remote, copy), oid);
    const { intercept } = remote;
    remote.intercept = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Maintenance</p>');
    for (const name of ['copy', 'new copy'])
      await assert.rejects(fetchFrom(remote, directory.pathOf(name)), { code: 'provider_invalid_response' });
    remote.intercept = intercept;
    remote.requests.length = 0;
    assert.equal(await fetchFrom(remote, copy), oid);
    assert.equal(await countCommits(copy, oid ?? null), 1);
    // A new copy would take a second request for its commits.
    assert.equal(remote.requests.filter((request) => request.startsWith('POST')).length, 1);
  });

  it('merges many small fetches into few packs, and still knows lost commits', async () => {
    await using directory = await makeTemporaryDirectory();
    const [repository, copy] = [directory.pathOf('r.git'), directory.pathOf('copy')];
    const many = Array.from({ length: 8 }, (_, index) => change(index === 0 ? 0 : index + 1));
    const commits = [change(), { ...change(0), message: 'Lost' }, ...many];
    const [first = '', lost = '', ...later] = await buildRepository(repository, { commits, branch: 'main' });
    await using remote = await startRemote(repository);
    let tip: string | null = null;
    for (const oid of [first, lost, ...later]) {
      await moveRef(repository, main, oid);
      tip = await fetchFrom(remote, copy, { maxPacks: 6 });
    }
    const packs = (await readdir(join(copy, 'objects', 'pack'))).filter((name) => name.endsWith('.pack'));
    assert.ok(packs.length < 6, `${packs.length} packs`);
    assert.equal(await countCommits(copy, tip), 9);
    assert.deepEqual(await lostCommits(copy, [lost], tip), [lost]);
  });

  it('limits the wait that a remote names to an hour', async () => {
    await using directory = await makeTemporaryDirectory();
    const now = new Date('2026-11-21T12:00:00Z');
    for (const [retryAfter, seconds] of [
      ['37', 37],
      ['99999999999', 3600],
      ['soon', undefined],
    ] as const) {
      await using remote = await startRemote(directory.pathOf('r.git'));
      remote.intercept = (_request, response) => void response.writeHead(429, { 'retry-after': retryAfter }).end();
      const fetching = fetchHistory({ url: `${remote.url}/owner/name.git` }, directory.pathOf('copy'), {
        ...options,
        now: () => now,
      });
      const retryAt = seconds === undefined ? undefined : new Date(now.getTime() + seconds * 1000);
      await assert.rejects(fetching, { code: 'provider_rate_limited', retryAt }, retryAfter);
    }
  });
});
