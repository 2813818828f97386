import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildRepository, moveRef, writeRawCommit } from '../../../simulators/git/build-repository.ts';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { fetchHistory } from '../../../src/hosts/history/fetch-history.ts';
import { type Commit, readCommits } from '../../../src/hosts/history/read-commits.ts';
import { startRemote } from './remote.ts';

const { signal } = new AbortController();
const tree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';
const good = 'author A <a@x.org> 100 +0000';

interface Hostile {
  author?: string;
  committer?: string;
  message?: string;
}

/** Fetches commits with the given raw content, one byte a character, and reads them in the given order. */
async function readHostile(hostile: readonly Hostile[]): Promise<Commit[]> {
  await using directory = await makeTemporaryDirectory();
  const person = { author: { name: 'A', email: 'a@x.org' }, authoredAt: new Date(0), committedAt: new Date(0) };
  const commits = [{ parents: [], ...person }];
  const [root = ''] = await buildRepository(directory.pathOf('hostile.git'), { commits, branch: 'main' });
  const oids: string[] = [];
  for (const { author = good, committer = 'committer C <c@x.org> 200 +0000', message = 'm\n' } of hostile) {
    const header = [`tree ${tree}`, `parent ${oids.at(-1) ?? root}`, author, committer].filter((line) => line !== '');
    const content = Buffer.from(`${header.join('\n')}\n\n${message}`, 'latin1');
    oids.push(await writeRawCommit(directory.pathOf('hostile.git'), content));
  }
  await moveRef(directory.pathOf('hostile.git'), 'refs/heads/main', oids.at(-1) ?? '');
  await using remote = await startRemote(directory.pathOf('hostile.git'));
  const options = { signal, timeoutMs: 60_000, maxBytes: 1e9, now: () => new Date() };
  const tip = await fetchHistory({ url: `${remote.url}/a.git` }, directory.pathOf('copy'), options);
  assert.equal(tip, oids.at(-1));
  const read = new Map<string, Commit>();
  for await (const batch of readCommits(
    directory.pathOf('copy'),
    { from: root, to: tip ?? '' },
    { signal, batchSize: 7 },
  )) {
    for (const commit of batch) read.set(commit.oid, commit);
  }
  return oids.map((oid) => read.get(oid) ?? assert.fail(`${oid} is missing`));
}

const listEmails = (commits: Commit[]): string[][] => commits.map(({ emails }) => emails);
const trailers = (...lines: string[]): Hostile => ({ message: `m\n\n${lines.map((line) => `${line}\n`).join('')}` });

describe('malformed commits', () => {
  it('leaves out invalid authors or reads them leniently', async () => {
    const commits = await readHostile([
      { author: 'author A B < a b@x.org > 100 +0000' },
      { author: 'author \xff\xfe <\xff@X.org> 100 +0000' },
      { author: 'author Nobody 100 +0000' },
      { author: 'author N <n@x.org 100 +0000' },
      { author: 'author N n@x.org> 100 +0000' },
      { author: 'author N <> 100 +0000' },
      { author: 'author <a@x.org> <b@x.org> 100 +0000' },
      { author: '' },
      { author: 'author N <a\0b@x.org> 100 +0000' },
      { author: `author N <${'n'.repeat(1_000_000)}@x.org> 100 +0000` },
      { author: `author ${'N'.repeat(1_000_000)} <n@x.org> 100 +0000` },
      { author: 'author \t\r\x01 <\x01@x.org> 100 +0000' },
      { author: `${good}\nencoding nonsense` },
    ]);
    assert.deepEqual(listEmails(commits), [
      ['a b@x.org'],
      ['\ufffd@x.org'],
      [],
      [],
      [],
      [],
      ['a@x.org'],
      [],
      [],
      [],
      ['n@x.org'],
      ['\x01@x.org'],
      ['a@x.org'],
    ]);
  });

  it('replaces or limits invalid dates', async () => {
    const dates = [
      '-5000000000 +0000',
      '99999999999999999999 +0000',
      '253402300800 +0000',
      '100 +9999',
      '100 -99999999',
    ];
    const broken = ['100 garbage', '', 'now +0000', '1e3 +0000'];
    const commits = await readHostile([
      ...[...dates, ...broken].map((date) => ({ author: `author A <a@x.org> ${date}` })),
      { committer: 'committer C <c@x.org> soon +0000' },
      { author: 'author A', committer: 'committer C' },
      { committer: '' },
    ]);
    const end = 253_402_300_799;
    assert.deepEqual(
      commits.map(({ authoredAt }) => authoredAt.getTime() / 1000),
      [200, end, end, 100, 100, 200, 200, 200, 200, 100, 0, 100],
    );
    assert.deepEqual(
      commits.slice(-4).map(({ committedAt }) => committedAt.getTime() / 1000),
      [200, 100, 0, 100],
    );
  });

  it('reads co-authors from the trailers that git recognizes, in upper or lower case', async () => {
    const commits = await readHostile([
      trailers('Co-authored-by: B <b@x.org>', 'CO-AUTHORED-BY: C <C@X.org>', 'co-authored-by:D <d@x.org>'),
      trailers('Co-authored-by: A again <A@x.org>', 'Co-authored-by: B <b@x.org>', 'Co-authored-by: B. <B@x.org>'),
      trailers('Co-authored-by: folded', '  <b@x.org>', 'Signed-off-by: S <s@x.org>'),
      trailers('Co-authored-by:', 'Co-authored-by: bare@x.org', 'Co-authored-by: N <>', 'Co-authored-by: N <n@x.org'),
      { message: 'm\n\nCo-authored-by: B <b@x.org>\n\nnot the last paragraph\n' },
      { message: 'Co-authored-by: B <b@x.org>\n' },
      { message: 'm\r\n\r\nCo-authored-by: B <b@x.org>\r\nCo-authored-by: C <c@x.org>\r\n' },
      { message: 'm (#1)\n\n* one\n\n* two\n\n---------\n\nCo-authored-by: B <b@x.org>' },
      { message: 'm\0\n\nCo-authored-by: B <b@x.org>\n' },
      trailers('Co-authored-by: \xff <\xff@x.org>'),
      { message: '' },
    ]);
    assert.deepEqual(listEmails(commits), [
      ['a@x.org', 'b@x.org', 'c@x.org', 'd@x.org'],
      ['a@x.org', 'b@x.org'],
      ['a@x.org', 'b@x.org'],
      ['a@x.org'],
      ['a@x.org'],
      ['a@x.org'],
      ['a@x.org', 'b@x.org', 'c@x.org'],
      ['a@x.org', 'b@x.org'],
      ['a@x.org'],
      ['a@x.org', '\ufffd@x.org'],
      ['a@x.org'],
    ]);
  });

  it('reads trailers that say that a program helped, and the subject', async () => {
    const commits = await readHostile([
      trailers('Assisted-by: Claude:claude-opus-4-8 [sparse]', 'Co-authored-by: B <b@x.org>'),
      trailers('Co-authored-by: B <b@x.org>', 'GENERATED-BY: N <n@x.org>'),
      trailers('Reviewed-by: Assisted-by: N'),
      { message: 'one\ntwo\x01\n\nAssisted-by: N\n\nnot the last paragraph\n' },
    ]);
    assert.deepEqual(
      commits.map(({ emails, isAssisted, subject }) => [emails.length, isAssisted, subject]),
      [
        [2, true, 'm'],
        [2, true, 'm'],
        [1, false, 'm'],
        [1, false, 'one two\x01'],
      ],
    );
  });

  it('limits the number and length of co-authors', async () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `Co-authored-by: N <${index}@x.org>`);
    const [many, long, next] = await readHostile([
      trailers(...names),
      trailers('Co-authored-by: B <b@x.org>', `Co-authored-by: N <${'n'.repeat(1_000_000)}@x.org>`),
      trailers('Co-authored-by: B <b@x.org>'),
    ]);
    assert.equal(many?.emails.length, 256);
    assert.deepEqual(many?.emails.slice(0, 3), ['a@x.org', '0@x.org', '1@x.org']);
    assert.deepEqual(long?.emails, ['a@x.org', 'b@x.org']);
    assert.deepEqual(next?.emails, ['a@x.org', 'b@x.org']);
    assert.deepEqual([many?.isCut, long?.isCut, next?.isCut], [true, true, undefined]);
  });
});
