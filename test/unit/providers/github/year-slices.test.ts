import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  allYears,
  type ContributionSlice,
  coversAll,
  dueSpans,
  replaceSlices,
  type Span,
  splitSpan,
  sumSlices,
} from '../../../../src/hosts/github/year-slices.ts';

const dayMs = 86_400_000;

function listDays({ from, to }: Span): string[] {
  const days: string[] = [];
  for (let time = Date.parse(from); time <= Date.parse(to); time += dayMs) {
    days.push(new Date(time).toISOString().slice(0, 10));
  }
  return days;
}

function slice(span: Span, requestedAt: string, fields: Partial<ContributionSlice> = {}): ContributionSlice {
  return { ...span, commits: 1, reviews: 0, repositories: [], isWhole: true, requestedAt, ...fields };
}

const day = fc
  .integer({ min: Date.UTC(2007, 0, 1) / dayMs, max: Date.UTC(2027, 0, 1) / dayMs })
  .map((days) => new Date(days * dayMs).toISOString().slice(0, 10));
const span = fc
  .tuple(day, fc.nat({ max: 400 }))
  .map(([from, length]) => ({ from, to: new Date(Date.parse(from) + length * dayMs).toISOString().slice(0, 10) }));

describe('date ranges of GitHub', () => {
  it('splits a span into shorter pieces with the same days, down to a day', () => {
    fc.assert(
      fc.property(span, (span) => {
        const pieces = splitSpan(span);
        if (span.from === span.to) {
          assert.deepEqual(pieces, []);
          return;
        }
        assert.deepEqual(pieces.flatMap(listDays), listDays(span));
        assert.ok(pieces.length > 1);
      }),
    );
  });

  it('splits a year into quarters, and quarters into months', () => {
    const quarters = splitSpan({ from: '2024-01-01', to: '2024-12-31' });
    assert.deepEqual(
      quarters.map(({ from }) => from),
      ['2024-01-01', '2024-04-01', '2024-07-01', '2024-10-01'],
    );
    assert.deepEqual(splitSpan(quarters[0] ?? assert.fail()), [
      { from: '2024-01-01', to: '2024-01-31' },
      { from: '2024-02-01', to: '2024-02-29' },
      { from: '2024-03-01', to: '2024-03-31' },
    ]);
  });

  it('requests every year since 2008 at first, and no year twice', () => {
    const now = new Date('2026-11-21T00:00:00Z');
    const years = allYears(now);
    assert.equal(years.length, 19);
    const stored = years.map((year) => slice(year, now.toISOString()));
    assert.deepEqual(dueSpans(stored, [2010, 2020], now), []);
    assert.deepEqual(dueSpans(stored, [1970, 2010], now), [{ from: '1970-01-01', to: '1970-12-31' }]);
  });

  it('requests only slices again that may have changed', () => {
    const requestedAt = '2026-11-21T00:00:00.000Z';
    const stored = [2024, 2025, 2026].map((year) => slice({ from: `${year}-01-01`, to: `${year}-12-31` }, requestedAt));
    const spansAt = (now: string): string[] =>
      dueSpans(stored, [2024, 2025, 2026], new Date(now)).map(({ from }) => from);
    assert.deepEqual(spansAt('2026-11-21T01:00:00Z'), ['2026-01-01']);
    assert.deepEqual(spansAt('2026-11-27T23:00:00Z'), ['2026-01-01']);
    assert.deepEqual(spansAt('2026-11-28T00:00:00Z'), ['2026-01-01', '2025-01-01', '2024-01-01']);
    assert.deepEqual(spansAt('2027-01-01T01:00:00Z').toSorted(), [
      '2024-01-01',
      '2025-01-01',
      '2026-01-01',
      '2027-01-01',
    ]);
  });

  it('covers every year once after the due spans are fetched, for any known slices', () => {
    const now = new Date('2026-11-21T00:00:00Z');
    const years = fc.uniqueArray(fc.integer({ min: 2015, max: 2026 }), { maxLength: 5 });
    fc.assert(
      fc.property(fc.array(fc.tuple(span, fc.boolean()), { maxLength: 6 }), years, (spans, contributionYears) => {
        let stored: ContributionSlice[] = [];
        for (const [knownSpan, isOld] of spans) {
          stored = replaceSlices(stored, [slice(knownSpan, isOld ? '2020-01-01T00:00:00Z' : '2026-11-20T00:00:00Z')]);
        }
        const due = dueSpans(stored, contributionYears, now);
        const fetched = due.map((span) => slice(span, now.toISOString()));
        const after = replaceSlices(stored, fetched);
        assert.ok(coversAll(after, contributionYears));
        const days = after.flatMap(listDays);
        assert.equal(new Set(days).size, days.length);
        assert.deepEqual(dueSpans(after, contributionYears, now), []);
      }),
    );
  });

  it('counts a repository once when it is in several slices', () => {
    const year = { from: '2024-01-01', to: '2024-12-31' };
    const two = { from: '2025-01-01', to: '2025-12-31' };
    const sums = sumSlices([
      slice(year, '', { commits: 3, reviews: 1, repositories: [1, 2] }),
      slice(two, '', { commits: 4, reviews: 2, repositories: [2, 3], isWhole: false }),
    ]);
    assert.deepEqual(sums, { commits: 7, reviews: 3, contributedTo: 3, isWhole: false });
  });
});
