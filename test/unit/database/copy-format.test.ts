import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { BackupReader, endOfRows, toFrames, toLine } from '../../../src/database/copy/format.ts';

const rows = fc.array(
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from([...bytes.filter((byte) => byte !== 10), 10])),
);
const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 });

/** Cuts bytes into pieces of the given sizes, again and again. */
async function* inPieces(bytes: Buffer, pieceSizes: readonly number[]): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0, piece = 0; at < bytes.length; piece += 1) {
    const size = pieceSizes[piece % pieceSizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

async function makeBackup(content: readonly Buffer[], pieceSizes: readonly number[]): Promise<Buffer> {
  const parts = [
    toLine({ plaudit: 'copy', format: 1, release: '1', migration: 'first' }),
    toLine({ table: 'things', columns: ['one'] }),
  ];
  for await (const part of toFrames(inPieces(Buffer.concat(content), pieceSizes))) parts.push(part);
  parts.push(endOfRows);
  const sha256 = createHash('sha256').update(Buffer.concat(parts)).digest('hex');
  return Buffer.concat([...parts, toLine({ isEnd: true, rows: { things: content.length }, sequences: {}, sha256 })]);
}

/** Reads a backup with one table. @returns its frames. */
async function readBackup(input: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const reader = new BackupReader(input);
  assert.equal((await reader.readHeader()).migration, 'first');
  assert.deepEqual(await reader.readNext(), { table: 'things', columns: ['one'] });
  const frames: Buffer[] = [];
  for (;;) {
    const length = await reader.readLength();
    if (length === 0) break;
    const pieces: Buffer[] = [];
    for await (const piece of reader.readFrame(length)) pieces.push(piece);
    frames.push(Buffer.concat(pieces));
  }
  const end = await reader.readNext();
  assert.ok('isEnd' in end);
  return frames;
}

describe('the file of a backup', () => {
  it('keeps all rows whole within frames, in pieces of any length', async () => {
    await fc.assert(
      fc.asyncProperty(rows, sizes, sizes, async (content, written, read) => {
        const backup = await makeBackup(content, written);
        const frames = await readBackup(inPieces(backup, read));
        assert.deepEqual(Buffer.concat(frames), Buffer.concat(content));
        for (const frame of frames) assert.equal(frame.at(-1), 10);
      }),
    );
  });

  it('is rejected when it ends early, at any byte', async () => {
    const backup = await makeBackup([Buffer.from('one\n'), Buffer.from('two\n')], [3]);
    for (let length = 0; length < backup.length; length += 1) {
      await assert.rejects(
        readBackup(inPieces(backup.subarray(0, length), [16])),
        /cut short|no backup/,
        `at ${length} of ${backup.length}`,
      );
    }
  });

  it('is rejected when a byte of its rows differs, or bytes follow its end', async () => {
    const backup = await makeBackup([Buffer.from('one\n')], [64]);
    const changed = Buffer.from(backup.toString('latin1').replace('one\n', 'own\n'), 'latin1');
    await assert.rejects(readBackup(inPieces(changed, [64])), /damaged/);
    await assert.rejects(readBackup(inPieces(Buffer.concat([backup, backup]), [64])), /damaged/);
  });

  it('is not taken from other files', async () => {
    for (const bytes of [
      '',
      '\n',
      '{"plaudit":"backup","migration":"0001-first"}\n',
      '\u{1f}\u{8b}',
      'x'.repeat(3e6),
    ]) {
      await assert.rejects(readBackup(inPieces(Buffer.from(bytes), [65_536])), /no backup by "plaudit backup"/);
    }
  });
});
