import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const root = new URL('../../../src/', import.meta.url);

/** The modules that read the table itself, which also has awards of accounts that are being erased. */
const readers = [
  // Reads those awards alone, because their credentials are revoked.
  'recognition/achievements/credentials/status-store.ts',
  'database/schema/erasure.ts',
  // Announces accounts whose awards changed; no reader sees these awards by that.
  'database/schema/announcements.sql',
];

describe('awards of accounts that are being erased', () => {
  it('are left out in one place, from which all other modules read awards', () => {
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(?:ts|sql)$/.test(file))
      .map((file) => ({ file, text: readFileSync(new URL(file, root), 'utf8') }));
    const read = /(?:(?<!delete )\bfrom|\bjoin|\busing)\s+awards\b|(?:selectFrom|[jJ]oin|using)\('awards\b/;
    const found = files.filter(({ text }) => read.test(text)).map(({ file }) => file);
    assert.deepEqual(found.toSorted(), readers.toSorted());
  });
});
