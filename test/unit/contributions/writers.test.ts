import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const root = new URL('../../../src/', import.meta.url);

/** The modules that write to each table; all others call them, so that nothing that follows from a change is forgotten. */
const writers: Readonly<Record<string, readonly string[]>> = {
  contributions: [
    // The demonstration dates contributions back, and nothing follows from that.
    'app/commands/demo/date-back-store.ts',
    'contributions/items/contribution-store.ts',
    'contributions/items/erase-store.ts',
    'contributions/items/write-store.ts',
    // Everything is counted after its changes.
    'database/copy/former-exports.ts',
  ],
  commits: [
    'app/commands/demo/date-back-store.ts',
    'contributions/items/commit-store.ts',
    'contributions/languages/store.ts',
  ],
  language_days: ['contributions/languages/recount-store.ts', 'contributions/languages/store.ts'],
  language_sums: ['contributions/languages/sum-store.ts'],
  uncounted_commits: [
    'contributions/items/commit-store.ts',
    'contributions/totals/recount-commits-store.ts',
    'contributions/totals/total-store.ts',
  ],
  repository_totals: [
    'contributions/totals/running-check-store.ts',
    'contributions/items/commits-again-store.ts',
    'contributions/totals/large-day-store.ts',
    'contributions/totals/recount-commits-store.ts',
    'contributions/totals/repair-store.ts',
    'contributions/totals/total-store.ts',
    'database/schema/count-changes.ts',
    'database/schema/definitions.ts',
  ],
  contributor_totals: [
    'contributions/items/erase-store.ts',
    'contributions/totals/recount-store.ts',
    'database/schema/count-changes.ts',
  ],
  contribution_days: [
    'contributions/items/erase-store.ts',
    'contributions/totals/recount-store.ts',
    'database/schema/count-changes.ts',
  ],
};

describe('tables of contributions', () => {
  it('are written by the modules alone that write all that follows from a change', () => {
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|sql)$/.test(file))
      .map((file) => ({ file, text: readFileSync(new URL(file, root), 'utf8') }));
    for (const [table, expected] of Object.entries(writers)) {
      const write = new RegExp(
        `(?:(?:insert\\s+into|update|delete\\s+from|merge\\s+into|truncate|copy)\\s+|(?:insertInto|updateTable|deleteFrom|mergeInto)\\(')${table}\\b`,
      );
      const found = files.filter(({ text }) => write.test(text)).map(({ file }) => file);
      assert.deepEqual(found.toSorted(), expected.toSorted(), table);
    }
  });
});
