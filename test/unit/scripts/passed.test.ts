import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { differing, importLines, withImporters } from '../../../scripts/passed.ts';

const texts = new Map([
  ['src/base.ts', 'export const base = 1;'],
  ['src/middle.ts', "import { base } from './base.ts';\nexport const middle = base;"],
  ['src/views/top.ts', "const { middle } = await import('../middle.ts');"],
  ['src/other.ts', "import { readFileSync } from 'node:fs';\nimport { missing } from './deleted.ts';"],
  ['src/types.ts', "declare module 'pg' {}\nexport const types = 1;"],
]);
const files = [...texts.keys()];
const concerned = (...changed: string[]): string[] => withImporters(changed, files, (file) => texts.get(file) ?? '');

describe('files that a check reads again', () => {
  it('are those that changed, and all that import them at any distance', () => {
    assert.deepEqual(concerned('src/base.ts'), ['src/base.ts', 'src/middle.ts', 'src/views/top.ts']);
    assert.deepEqual(concerned('src/views/top.ts'), ['src/views/top.ts']);
  });

  it('include the importers of a deleted file, but not the file', () => {
    assert.deepEqual(concerned('src/deleted.ts'), ['src/other.ts']);
  });

  it('are all files where one that declares types for others changed', () => {
    assert.deepEqual(concerned('src/types.ts'), files);
  });

  it('differ from those that passed, are new or were deleted', () => {
    assert.deepEqual(differing({ same: '1', changed: '2', new: '1' }, { same: '1', changed: '1', deleted: '1' }), [
      'changed',
      'new',
      'deleted',
    ]);
  });
});

describe('the imports of a file', () => {
  it('stay the same when its body changes', () => {
    const text = texts.get('src/middle.ts') ?? '';
    assert.equal(importLines(text), './base.ts');
    assert.equal(importLines(text.replace('middle = base', 'middle = 2')), importLines(text));
  });
});
