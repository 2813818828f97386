import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Cursors, cutPage, itemsToRead, neighbourCursors } from '../../../src/http/pipeline/pagination.ts';
import { AppError } from '../../../src/model/errors.ts';

const cursors = new Cursors(Buffer.alloc(32, 7));

function refusal(query: { after?: string; before?: string }): AppError {
  try {
    cursors.readStart('contributors', query);
  } catch (error) {
    assert.ok(error instanceof AppError);
    return error;
  }
  return assert.fail('the cursor was accepted');
}

describe('pagination', () => {
  it('reads a cursor back as the position that it was made for', () => {
    const positions = fc.array(fc.oneof(fc.integer(), fc.string()), { maxLength: 4 });
    fc.assert(
      fc.property(positions, (values) => {
        const cursor = cursors.write('contributors', values);
        assert.match(cursor, /^[\w-]+$/);
        assert.deepEqual(cursors.readStart('contributors', { after: cursor }), { after: values });
        assert.deepEqual(cursors.readStart('contributors', { before: cursor }), { before: values });
      }),
    );
  });

  it('refuses any text that is no cursor with the name of the parameter', () => {
    const own = cursors.write('contributors', [1, 2]);
    const forged = [
      fc.string(),
      fc.base64String(),
      fc.constant(new Cursors(Buffer.alloc(32, 8)).write('contributors', [1, 2])),
      fc.constant(cursors.write('contributions', [1, 2])),
      // The changed cursors differ in one character, or have one more or one less.
      fc.nat({ max: own.length - 1 }).map((at) => own.slice(0, at) + (own[at] === 'A' ? 'B' : 'A') + own.slice(at + 1)),
      fc.constantFrom(`${own}A`, `${own}=`, own.slice(0, -1), ` ${own}`, `${own}\0`),
    ];
    fc.assert(
      fc.property(fc.oneof(...forged), fc.constantFrom('after', 'before'), (cursor, parameter) => {
        fc.pre(cursor !== own);
        const error = refusal({ [parameter]: cursor });
        assert.equal(error.code, 'invalid_input');
        assert.ok(error.message.startsWith(`${parameter} must be a cursor`));
      }),
      { numRuns: 1000 },
    );
  });

  it('refuses after and before together', () => {
    const cursor = cursors.write('contributors', [1]);
    assert.match(refusal({ after: cursor, before: cursor }).message, /cannot be used together/);
  });

  it('returns every item on exactly one page, forwards and backwards', () => {
    fc.assert(
      fc.property(fc.nat({ max: 40 }), fc.integer({ min: 1, max: 10 }), (size, limit) => {
        const items = Array.from({ length: size }, (_, index) => index);
        const forwards: number[][] = [];
        let after: number | undefined;
        for (;;) {
          const start = after === undefined ? {} : { after: [after] };
          const found = items.filter((item) => after === undefined || item > after).slice(0, limit + 1);
          const { page, hasPrevious, hasNext } = cutPage(found, limit, start);
          assert.equal(hasPrevious, after !== undefined);
          forwards.push([...page]);
          if (!hasNext) break;
          after = page.at(-1);
        }
        assert.deepEqual(forwards.flat(), items);

        const backwards: number[][] = [];
        let before = size;
        for (;;) {
          const found = items.filter((item) => item < before).slice(-limit - 1);
          const { page, hasPrevious, hasNext } = cutPage(found, limit, { before: [before] });
          assert.equal(hasNext, true);
          backwards.unshift([...page]);
          if (!hasPrevious) break;
          before = page[0] ?? 0;
        }
        assert.deepEqual(backwards.flat(), items);
      }),
    );
  });

  it('looks for a next page only where a cursor to it is wanted', () => {
    const cut = (page: { limit: number; isAlone?: boolean }): object =>
      cutPage(['a', 'b', 'c'].slice(0, itemsToRead(page)), page.limit, {});
    assert.deepEqual(cut({ limit: 2 }), { page: ['a', 'b'], hasPrevious: false, hasNext: true });
    assert.deepEqual(cut({ limit: 2, isAlone: true }), { page: ['a', 'b'], hasPrevious: false, hasNext: false });
  });

  it('returns the cursors of the neighbours that a page has', () => {
    const write = (item: string): string => `cursor of ${item}`;
    const cursors = (page: string[], hasPrevious: boolean, hasNext: boolean): object =>
      neighbourCursors({ page, hasPrevious, hasNext }, write);
    assert.deepEqual(cursors(['a', 'b'], true, true), { previousCursor: 'cursor of a', nextCursor: 'cursor of b' });
    assert.deepEqual(cursors(['a', 'b'], false, true), { previousCursor: undefined, nextCursor: 'cursor of b' });
    assert.deepEqual(cursors([], true, false), { previousCursor: undefined, nextCursor: undefined });
  });
});
