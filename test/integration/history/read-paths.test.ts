import assert from 'node:assert/strict';
import { readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { appendCommits, buildRepository, type CommitDescription } from '../../../simulators/git/build-repository.ts';
import { runGit } from '../../../simulators/git/run-git.ts';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { fetchHistory } from '../../../src/hosts/history/fetch-history.ts';
import { type PathsByCommit, readPaths } from '../../../src/hosts/history/read-commits.ts';
import { AppError } from '../../../src/model/errors.ts';
import { type RemoteHost, startRemote } from './remote.ts';

const { signal } = new AbortController();
const directory = await makeTemporaryDirectory();

describe('the paths of commits', () => {
  after(() => directory[Symbol.asyncDispose]());

  it('reads paths of first commits, renames, removals, merges and empty commits without a request', async () => {
    const repository = directory.pathOf('shapes.git');
    const oids = await buildRepository(repository, {
      commits: [
        change([], { 'a.ts': '1', 'src/b.ts': '1' }),
        change([0], { 'a.ts': null, 'moved/a.ts': '1' }),
        change([0], { 'src/b.ts': '2', 'src/c/d.ts': '1' }),
        // The merge takes changes from its second parent and resolves a conflict.
        change([1, 2], { 'src/b.ts': '3', 'src/c/d.ts': '1' }),
        change([3], {}),
        change([], { 'other/root.ts': '1' }),
        change([4, 5], { 'other/root.ts': '1' }),
        change([6], { src: 'a file instead of a folder' }),
      ],
      branch: 'main',
    });
    await using remote = await startRemote(repository);
    const copy = await fetchFrom(remote, 'shapes');
    const requestCount = remote.requests.length;
    assert.deepEqual(await read(copy, [...oids, '0'.repeat(39).concat('1')]), [
      ['a.ts', 'src/b.ts'],
      ['a.ts', 'moved/a.ts'],
      ['src/b.ts', 'src/c/d.ts'],
      ['src/b.ts', 'src/c/d.ts'],
      [],
      ['other/root.ts'],
      ['other/root.ts'],
      ['src', 'src/b.ts', 'src/c/d.ts'],
      undefined,
    ]);
    assert.deepEqual(await readParts(copy, []), []);
    const withoutMerges = joined(await readParts(copy, oids, 'none'));
    assert.deepEqual(
      [2, 3, 6].map((index) => withoutMerges.get(oids[index] ?? '')),
      [['src/b.ts', 'src/c/d.ts'], [], []],
    );
    assert.equal(remote.requests.length, requestCount);
    const objects = await runGit(copy, ['cat-file', '--batch-all-objects', '--batch-check=%(objecttype)']);
    assert.deepEqual(new Set(objects.toString().trim().split('\n')), new Set(['commit', 'tree']));
    await assert.rejects(read(copy, ['--all']), { name: 'AssertionError' });

    const [next = ''] = await appendCommits(repository, 'refs/heads/main', [change([oids[7] ?? ''], { 'z.ts': '1' })]);
    assert.deepEqual(await read(copy, [next]), [undefined]);
    await fetchFrom(remote, 'shapes');
    assert.deepEqual(await read(copy, [next, oids[0] ?? '']), [['z.ts'], ['a.ts', 'src/b.ts']]);
  });

  it('reads paths with every byte that git permits', async () => {
    const names = [
      '\n\n:starts oddly',
      ' spaces ',
      '"quotes" and \\back\\slashes',
      '$(touch x)',
      '--all',
      'a'.repeat(40),
      'new\nline',
      ':100644 100644 a b M',
      'tab\there',
      'ünï/cødé/\u{1F600}',
      '\u0001\u007f',
    ].toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
    const repository = directory.pathOf('names.git');
    const oids = await buildRepository(repository, { commits: [change([], filled(names))], branch: 'main' });
    const invalid =
      'commit refs/heads/main\ncommitter A <a@x.org> 1 +0000\ndata 0\n' +
      `from ${oids[0]}\nM 100644 inline "\\377/\\303\\050\\355\\240\\200.ts"\ndata 0\n\n`;
    await runGit(repository, ['fast-import', '--quiet'], [invalid]);
    const tip = (await runGit(repository, ['rev-parse', 'main'])).toString().trim();
    await using remote = await startRemote(repository);
    const [first, second] = await read(await fetchFrom(remote, 'names'), [oids[0] ?? '', tip]);
    assert.deepEqual(first, names);
    assert.deepEqual(second, ['\ufffd/\ufffd(\ufffd\ufffd\ufffd.ts']);
  });

  it('limits and reports the paths of a commit, and keeps few commits in memory at once', async () => {
    const many = Array.from({ length: 4000 }, (_, index) => `${digits(index % 40)}/${digits(index)}`).toSorted();
    const long = Array.from({ length: 1500 }, (_, index) => `${digits(index)}${'x'.repeat(995)}`);
    const folders = Array.from({ length: 20 }, () => 'f'.repeat(240)).join('/');
    const oids = await buildRepository(directory.pathOf('large.git'), {
      commits: [
        change([], filled(many)),
        change([], filled(long)),
        change([], { 'a.ts': 'x', [`b/${folders}.ts`]: 'x', 'z.ts': 'x' }),
        ...Array.from({ length: 9 }, (_, index) => change([], filled(long.map((path) => `${index}/${path}`)))),
      ],
      branch: 'main',
      refs: Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`refs/heads/n${index}`, index])),
    });
    // A merge of all branches makes all commits reachable.
    const merge = change(oids, {});
    await appendCommits(directory.pathOf('large.git'), 'refs/heads/main', [merge]);
    await using remote = await startRemote(directory.pathOf('large.git'));
    const copy = await fetchFrom(remote, 'large');
    let cut = 0;
    const parts = await readParts(copy, oids, 'first parent', () => void (cut += 1));
    const found = joined(parts);
    assert.equal(cut, oids.length);
    assert.equal(found.size, oids.length);
    assert.deepEqual(found.get(oids[0] ?? ''), many.slice(0, 3000));
    assert.deepEqual(found.get(oids[1] ?? ''), long.slice(0, 1048));
    assert.deepEqual(found.get(oids[2] ?? ''), ['a.ts', 'z.ts']);
    const sizes = parts.map((part) => [...part.values()].flat().reduce((sum, path) => sum + path.length, 0));
    assert.ok(sizes.length >= 3 && Math.max(...sizes) < 6 * 1024 * 1024, sizes.join(', '));
  });

  it('supports a host that cannot filter trees, and creates a damaged copy again', async () => {
    const repository = directory.pathOf('old.git');
    const commits = [change([], { 'a.ts': '1' }), change([0], { 'b.ts': '1' })];
    const oids = await buildRepository(repository, { commits, branch: 'main' });
    await using remote = await startRemote(repository, { allowFilter: false });
    const copy = await fetchFrom(remote, 'old');
    assert.deepEqual(await read(copy, oids), [['a.ts'], ['b.ts']]);
    const packs = join(copy, 'objects', 'pack');
    for (const name of await readdir(packs)) if (name.endsWith('.pack')) await truncate(join(packs, name), 40);
    await assert.rejects(read(copy, oids), (error) => {
      return error instanceof AppError && error.code === 'provider_invalid_response';
    });
    await fetchFrom(remote, 'old');
    assert.deepEqual(await read(copy, oids), [['a.ts'], ['b.ts']]);
  });
});

const author = { name: 'A', email: 'a@x.org' };
const change = (parents: (number | string)[], files: Record<string, string | null>): CommitDescription => ({
  parents,
  author,
  authoredAt: new Date(1e12),
  committedAt: new Date(1e12),
  changes: new Map(Object.entries(files)),
});
/** Returns files with the same text at all paths. */
const filled = (paths: Iterable<string>): Record<string, string> =>
  Object.fromEntries([...paths].map((path) => [path, 'x']));

const digits = (number: number): string => String(number).padStart(5, '0');

async function fetchFrom(remote: RemoteHost, name: string): Promise<string> {
  const options = { signal, contents: 'directories', timeoutMs: 60_000, maxBytes: 1e9, now: () => new Date() } as const;
  await fetchHistory({ url: `${remote.url}/a.git` }, directory.pathOf(name), options);
  return directory.pathOf(name);
}

async function readParts(
  copy: string,
  oids: readonly string[],
  merges: 'first parent' | 'none' = 'first parent',
  onCut: () => void = () => assert.fail('no path is left out'),
): Promise<PathsByCommit[]> {
  const parts: PathsByCommit[] = [];
  for await (const part of readPaths(copy, oids, { signal, merges, onCut })) parts.push(part);
  return parts;
}

function joined(parts: readonly PathsByCommit[]): PathsByCommit {
  return new Map(parts.flatMap((part) => part.entries().toArray()));
}

async function read(copy: string, oids: readonly string[]): Promise<(string[] | undefined)[]> {
  const found = joined(await readParts(copy, oids));
  return oids.map((oid) => found.get(oid));
}
