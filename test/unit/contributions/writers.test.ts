import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const root = new URL('../../../src/', import.meta.url);

/** The modules that write to each table; all others call them, so that nothing that follows from a change is forgotten. */
const writers: Readonly<Record<string, readonly string[]>> = {
  contributions: [
    // The demonstration dates contributions back, and nothing follows from that.
    'commands/demo/date-back-store.ts',
    'contributions/contribution-store.ts',
    'contributions/erase-store.ts',
    'contributions/write-store.ts',
    // Everything is counted after its changes.
    'database/former-exports.ts',
  ],
  commits: ['commands/demo/date-back-store.ts', 'contributions/commit-store.ts', 'contributions/languages/store.ts'],
  language_days: ['contributions/languages/recount-store.ts', 'contributions/languages/store.ts'],
  language_sums: ['contributions/languages/sum-store.ts'],
  uncounted_commits: [
    'contributions/commit-store.ts',
    'contributions/recount-commits-store.ts',
    'contributions/total-store.ts',
  ],
  repository_totals: [
    'contributions/checked-store.ts',
    'contributions/commits-again-store.ts',
    'contributions/large-day-store.ts',
    'contributions/recount-commits-store.ts',
    'contributions/repair-store.ts',
    'contributions/total-store.ts',
    'database/schema/count-changes.ts',
    'database/schema/locks.ts',
  ],
  contributor_totals: [
    'contributions/erase-store.ts',
    'contributions/recount-store.ts',
    'database/schema/count-changes.ts',
  ],
  contribution_days: [
    'contributions/erase-store.ts',
    'contributions/recount-store.ts',
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
      assert.deepEqual(found.toSorted(), expected, table);
    }
  });
});
