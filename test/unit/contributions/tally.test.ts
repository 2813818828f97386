import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Tally } from '../../../src/contributions/totals/tally.ts';

const addition = fc.record({
  key: fc.integer({ min: 1, max: 30 }),
  side: fc.constantFrom('counted' as const, 'stored' as const),
  name: fc.constantFrom('commits', 'issues'),
  number: fc.integer({ min: 1, max: 3 }),
});
type Addition = typeof addition extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns the differences that a pass without a limit finds. */
function listDifferences(additions: readonly Addition[]): Record<string, Record<string, number>> {
  const found = [...Map.groupBy(additions, ({ key }) => key)].map(([key, some]) => {
    const numbers = [...Map.groupBy(some, ({ name }) => name)].map(([name, ofName]) => {
      const toSum = (side: string): number =>
        ofName.filter((one) => one.side === side).reduce((sum, { number }) => sum + number, 0);
      return { name, counted: toSum('counted'), stored: toSum('stored') };
    });
    return { key, numbers, isDifferent: numbers.some(({ counted, stored }) => counted !== stored) };
  });
  return Object.fromEntries(
    found
      .filter(({ isDifferent }) => isDifferent)
      .map(({ key, numbers }) => [key, Object.fromEntries(numbers.map(({ name, counted }) => [name, counted]))]),
  );
}

describe('tallies', () => {
  it('find in all passes what differs, each key once, and at most as many in a pass as its limit', () => {
    fc.assert(
      fc.property(fc.array(addition, { maxLength: 80 }), fc.integer({ min: 1, max: 12 }), (additions, limit) => {
        const found: Record<string, Record<string, number>> = {};
        for (let after: number | null = 0; after !== null; ) {
          const tally: Tally<number> = new Tally(after, limit);
          for (const { key, side, name, number } of additions) tally.add(key, side, name, number);
          const { different, until } = tally.end();
          assert.ok(different.size <= limit);
          for (const [key, numbers] of different) {
            assert.ok(key > after && !(key in found));
            found[key] = Object.fromEntries([...numbers].map(([name, { counted }]) => [name, counted]));
          }
          after = until;
        }
        assert.deepEqual(found, listDifferences(additions));
      }),
    );
  });
});
