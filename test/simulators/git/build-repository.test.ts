import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  appendCommits,
  buildRepository,
  type CommitDescription,
  moveRef,
  setDefaultBranch,
  writeRawCommit,
} from '../../../simulators/git/build-repository.ts';
import { readHistory } from '../../../simulators/git/histories.ts';
import { runGit } from '../../../simulators/git/run-git.ts';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';

const ada = { name: 'Ada', email: 'ada@example.org' };
const bob = { name: 'بوب "Bob" <>\u{1F600}'.replace('<>', ''), email: 'Bob@Example.org' };
const at = (seconds: number): Date => new Date(seconds * 1000);
const change = (parents: (number | string)[], author = ada): CommitDescription => ({
  parents,
  author,
  authoredAt: at(1_000_000_000),
  committedAt: at(1_000_000_100),
});

async function git(directory: string, ...parameters: string[]): Promise<string> {
  return (await runGit(directory, parameters)).toString('utf8').trim();
}

describe('buildRepository', () => {
  it('creates the same ids from the same description, and every commit as described', async () => {
    await using directory = await makeTemporaryDirectory();
    const commits = [
      change([]),
      { ...change([0], bob), committer: ada, coAuthors: [ada, bob], message: 'Two\n\nlines' },
      change([0]),
      change([1, 2]),
    ];
    const oids = await buildRepository(directory.pathOf('a.git'), { commits, branch: 'trunk' });
    assert.deepEqual(await buildRepository(directory.pathOf('b.git'), { commits, branch: 'trunk' }), oids);
    assert.equal(await git(directory.pathOf('a.git'), 'rev-parse', 'HEAD'), oids[3]);
    assert.equal(await git(directory.pathOf('a.git'), 'symbolic-ref', 'HEAD'), 'refs/heads/trunk');
    assert.equal(
      await git(directory.pathOf('a.git'), 'show', '-s', '--format=%P', oids[3] ?? ''),
      `${oids[1]} ${oids[2]}`,
    );
    assert.equal(
      await git(directory.pathOf('a.git'), 'show', '-s', '--format=%an|%ae|%at|%cn|%ct%n%B', oids[1] ?? ''),
      `${bob.name}|Bob@Example.org|1000000000|Ada|1000000100\nTwo\n\nlines\n\n` +
        `Co-authored-by: Ada <ada@example.org>\nCo-authored-by: ${bob.name} <Bob@Example.org>`,
    );
    assert.equal(await git(directory.pathOf('a.git'), 'ls-tree', '-r', 'HEAD'), '');
  });

  it('builds a repository with several roots and further references, and one without commits', async () => {
    await using directory = await makeTemporaryDirectory();
    const commits = [change([]), change([]), change([0, 1])];
    const refs = { 'refs/tags/v1': 0, 'refs/heads/side': 1 };
    const [first, second] = await buildRepository(directory.pathOf('a.git'), { commits, branch: 'main', refs });
    assert.equal(await git(directory.pathOf('a.git'), 'rev-parse', 'v1'), first);
    assert.equal(await git(directory.pathOf('a.git'), 'rev-parse', 'side'), second);
    assert.equal(await git(directory.pathOf('a.git'), 'show', '-s', '--format=%P', second ?? ''), '');
    assert.deepEqual(await buildRepository(directory.pathOf('empty.git'), { commits: [], branch: 'main' }), []);
    assert.equal(await git(directory.pathOf('empty.git'), 'for-each-ref'), '');
  });

  it('appends commits to the branch and beside it, and moves the branch', async () => {
    await using temporary = await makeTemporaryDirectory();
    const directory = temporary.pathOf('a.git');
    const oids = await buildRepository(directory, { commits: [change([]), change([0])], branch: 'main' });
    const [first = '', second = ''] = oids;
    const added = await appendCommits(directory, 'refs/heads/main', [change([second], bob), change([0], bob)]);
    assert.equal(await git(directory, 'rev-list', '--count', 'main'), '4');
    const [forced = ''] = await appendCommits(directory, 'refs/heads/main', [change([first], bob)]);
    assert.equal(await git(directory, 'rev-parse', 'main', 'main~1'), `${forced}\n${first}`);
    await moveRef(directory, 'refs/heads/next', added[1] ?? '');
    await moveRef(directory, 'refs/heads/main', null);
    await setDefaultBranch(directory, 'next');
    assert.equal(await git(directory, 'rev-parse', 'HEAD'), added[1]);
    assert.equal(await git(directory, 'for-each-ref', '--format=%(refname)'), 'refs/heads/next');
  });

  it('stores a raw commit unchanged', async () => {
    await using directory = await makeTemporaryDirectory();
    await buildRepository(directory.pathOf('a.git'), { commits: [change([])], branch: 'main' });
    const content = Buffer.from('tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor nobody\n\n\xff', 'latin1');
    const oid = await writeRawCommit(directory.pathOf('a.git'), content);
    assert.deepEqual(await runGit(directory.pathOf('a.git'), ['cat-file', 'commit', oid]), content);
  });

  it('throws an error with the reason when git refuses a commit', async () => {
    await using directory = await makeTemporaryDirectory();
    await assert.rejects(
      buildRepository(directory.pathOf('a.git'), { commits: [change(['nonsense'])], branch: 'main' }),
      /fast-import failed: .*nonsense/s,
    );
  });

  it('builds a repository with the commits and merges of a real history', async () => {
    await using directory = await makeTemporaryDirectory();
    const commits = await readHistory('serverpod');
    assert.equal(commits.length, 2810);
    const oids = await buildRepository(directory.pathOf('a.git'), { commits, branch: 'main' });
    assert.equal(await git(directory.pathOf('a.git'), 'rev-list', '--count', 'main'), '2810');
    assert.equal(
      await git(directory.pathOf('a.git'), 'rev-list', '--count', '--merges', 'main'),
      String(commits.filter(({ parents }) => parents.length > 1).length),
    );
    assert.equal(new Set(oids).size, 2810);
  });
});
