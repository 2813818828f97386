import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const text = readFileSync('docs/threat-model.md', 'utf8');
/** Promises whose implementation is still missing. */
const unwritten = /^\| (Allowance of lookups|Integrity of packages):/;

describe('check of the threat model', () => {
  it('finds an existing test for each promise', () => {
    const rows = text.split('\n').filter((line) => /^\| (?!promise)/.test(line));
    assert.ok(rows.length > 20);
    for (const row of rows) {
      const files = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file);
      if (!unwritten.test(row)) assert.ok(files.length > 0, row);
      for (const file of files) assert.ok(file.endsWith('.test.ts') && existsSync(file), file);
    }
  });

  it('finds at least one promise at each boundary', () => {
    const sections = text.split(/^## /m).slice(1);
    for (const section of sections) assert.match(section, /^\| (?!promise|-).*\|$/m, section.split('\n')[0]);
  });
});
