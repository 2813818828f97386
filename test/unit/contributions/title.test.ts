import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toTitle } from '../../../src/contributions/items/read-rows-store.ts';

describe('toTitle', () => {
  it('keeps one line of visible characters', () => {
    assert.equal(toTitle('  Fix\tthe\r\nparser\u0000 \u202egnp.exe\u202c '), 'Fix the parser gnp.exe');
    assert.equal(toTitle('Größe 日本語 👩‍💻'), 'Größe 日本語 👩‍💻');
  });

  it('cuts after 256 characters, never within one', () => {
    const title = toTitle('😀'.repeat(300)) ?? '';
    assert.equal(Array.from(title).length, 256);
    assert.ok(title.isWellFormed());
  });

  it('returns null where there is none', () => {
    assert.equal(toTitle(undefined), null);
    assert.equal(toTitle(null), null);
  });
});
