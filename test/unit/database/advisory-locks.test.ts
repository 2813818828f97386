import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { advisoryLocks } from '../../../src/database/schema/advisory-locks.ts';

describe('advisory locks', () => {
  it('have a number of their own each', () => {
    const numbers = Object.values<number>(advisoryLocks);
    assert.equal(new Set(numbers).size, numbers.length);
  });

  it('are taken by their names in the table alone', () => {
    const uses = globSync('src/**/*.{ts,sql}').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/pg_(?:try_)?advisory_\w*lock\w*\(.*/g)].map(([use]) => ({ file, use })),
    );
    assert.ok(uses.length >= Object.keys(advisoryLocks).length);
    for (const { file, use } of uses) assert.match(use, /advisoryLocks\.\w+/, file);
  });
});
