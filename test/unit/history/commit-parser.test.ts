import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Commit, CommitParser } from '../../../src/hosts/history/read-commits.ts';

const oid = 'a'.repeat(40);

function parse(...chunks: (string | Buffer)[]): Commit[] {
  const parser = new CommitParser();
  const commits: Commit[] = [];
  for (const chunk of chunks) parser.push(Buffer.from(chunk), commits);
  return commits;
}

function listEmails(...lines: (string | Buffer)[]): string[] | undefined {
  const bytes = lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]);
  return parse(Buffer.concat([Buffer.from(`${oid} 1 2 `), ...bytes, Buffer.from([0])]))[0]?.emails;
}

function listDates(text: string): (number | undefined)[] {
  const [commit] = parse(`${oid} ${text} a@x.org\n\0`);
  return [commit?.authoredAt.getTime(), commit?.committedAt.getTime()];
}

describe('the parser of commits', () => {
  it('parses a commit with all its fields', () => {
    const sha256 = 'b'.repeat(64);
    assert.deepEqual(
      parse(
        `${oid} 1000000000 1000000001 A@x.org\n\0`,
        `${sha256} 1 2 a@x.org\nCo-authored-by: B <b@x.org>\nCO-AUTHORED-BY: C <C@X.ORG>\n\n\0`,
      ),
      [
        {
          oid,
          authoredAt: new Date('2001-09-09T01:46:40Z'),
          committedAt: new Date('2001-09-09T01:46:41Z'),
          emails: ['a@x.org'],
          isAssisted: false,
        },
        {
          oid: sha256,
          authoredAt: new Date(1000),
          committedAt: new Date(2000),
          emails: ['a@x.org', 'b@x.org', 'c@x.org'],
          isAssisted: false,
        },
      ],
    );
  });

  it('reads the subject behind the co-authors, and cuts it', () => {
    const [commit] = parse(`${oid} 1 2 a@x.org\nB <b@x.org>\n\u0001Fix C <c@x.org> größer\0`);
    assert.deepEqual([commit?.emails, commit?.subject], [['a@x.org', 'b@x.org'], 'Fix C <c@x.org> größer']);
    assert.equal(parse(`${oid} 1 2 a@x.org\n\u0001${'x'.repeat(5000)}\0`)[0]?.subject?.length, 1024);
  });

  it('reads that a program helped, whose address is no co-author', () => {
    for (const trailer of ['Assisted-by: Claude:claude-opus-4-8 <x@x.org>', 'generated-BY: a tool']) {
      const [commit] = parse(`${oid} 1 2 a@x.org\n${trailer}\nCo-authored-by: B <b@x.org>\n\u0001Fix\0`);
      assert.deepEqual([commit?.isAssisted, commit?.emails], [true, ['a@x.org', 'b@x.org']], trailer);
    }
  });

  it('limits dates to a range, and replaces a missing date with the other one', () => {
    const end = Date.parse('9999-12-31T23:59:59Z');
    assert.deepEqual(listDates('0 253402300799'), [0, end]);
    assert.deepEqual(listDates('253402300800 99999999999999999999999999'), [end, end]);
    assert.deepEqual(listDates(' 7'), [7000, 7000]);
    assert.deepEqual(listDates('7 '), [7000, 7000]);
    assert.deepEqual(listDates(' '), [0, 0]);
  });

  it('returns distinct lower-cased e-mail addresses that are not empty, and ignores names', () => {
    assert.deepEqual(listEmails('Me@X.org', 'Me <me@x.ORG>', 'You < YOU@x.org >', '<x@x.org>', 'You <you@x.org>'), [
      'me@x.org',
      'you@x.org',
      'x@x.org',
    ]);
    assert.deepEqual(listEmails('', 'Nobody <>', 'bare@x.org', 'half <half@x.org', 'half> <', '', '> <a b@x.org>'), [
      'a b@x.org',
    ]);
    assert.deepEqual(listEmails('ÄÖ@Exämple.org'), ['äö@exämple.org']);
    assert.deepEqual(listEmails(Buffer.from('\xff\xc3@x.org', 'latin1')), ['\ufffd\ufffd@x.org']);
  });

  it('limits the number and length of addresses', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `N <${index}@x.org>`);
    assert.deepEqual(listEmails('me@x.org', ...many), [
      'me@x.org',
      ...Array.from({ length: 255 }, (_, index) => `${index}@x.org`),
    ]);
    const longest = `${'a'.repeat(314)}@x.org`;
    assert.deepEqual(listEmails(longest, `N <a${longest}>`, 'N <b@x.org>'), [longest, 'b@x.org']);
    assert.deepEqual(listEmails('me@x.org', `N <${'b'.repeat(1_000_000)}@x.org>`, 'N <c@x.org>'), ['me@x.org']);
    const [after] = parse(`${oid} 1 2 ${'b'.repeat(200_000)}`, 'b'.repeat(200_000), `\n\0${oid} 3 4 a@x.org\n\0`).slice(
      1,
    );
    assert.deepEqual([after?.oid, after?.authoredAt, after?.emails], [oid, new Date(3000), ['a@x.org']]);
  });

  it('returns the same result for any chunks of the stream, and accepts any bytes', () => {
    const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array.map((byte) => byte || 1)));
    const record = fc
      .tuple(fc.nat(), fc.nat(), fc.array(bytes, { maxLength: 5 }))
      .map(([authored, committed, lines]) => {
        const text = lines.flatMap((line) => [line, Buffer.from('\n')]);
        return Buffer.concat([Buffer.from(`${oid} ${authored} ${committed} `), ...text, Buffer.from([0])]);
      });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 20 }), fc.array(fc.nat(200), { minLength: 1 }), (records, cuts) => {
        const stream = Buffer.concat(records);
        const pieces: Buffer[] = [];
        for (let start = 0, cutIndex = 0; start < stream.length; cutIndex += 1) {
          const length = cuts[cutIndex % cuts.length] ?? 1;
          pieces.push(stream.subarray(start, start + Math.max(1, length)));
          start += Math.max(1, length);
        }
        const commits = parse(...pieces);
        assert.deepEqual(commits, parse(stream));
        assert.equal(commits.length, records.length);
        for (const { emails } of commits) {
          assert.ok(emails.every((email) => email !== '' && !email.includes('\0')));
          assert.equal(new Set(emails).size, emails.length);
        }
      }),
    );
  });
});
