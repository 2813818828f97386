import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseClean } from '../../../../src/hosts/http/checks.ts';

const nested = (depth: number, inner: string): string => `${'[{"a":'.repeat(depth)}${inner}${'}]'.repeat(depth)}`;

describe('limit of the nesting of JSON', () => {
  it('refuses JSON that is nested too deeply', () => {
    for (const text of ['['.repeat(101), '['.repeat(10_000_000), '{"a":'.repeat(2_000_000), nested(51, '1')]) {
      assert.throws(() => parseClean(text), { name: 'SyntaxError', message: 'the JSON is nested too deeply' });
    }
    assert.ok(parseClean(nested(50, '1')));
  });

  it('permits brackets in texts, after each other and unbalanced', () => {
    const brackets = '[{'.repeat(1000);
    for (const value of [
      brackets,
      `\\${brackets}`,
      `"${brackets}\\`,
      { [brackets]: brackets },
      Array.from({ length: 1000 }, () => []),
    ]) {
      assert.deepEqual(parseClean(JSON.stringify(value)), value);
    }
    assert.throws(() => parseClean(`"${brackets}`), SyntaxError);
    assert.throws(() => parseClean(']'.repeat(200) + '['.repeat(200)), SyntaxError);
    const anyText = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', '}', 'a') });
    fc.assert(fc.property(anyText, (text) => assert.equal(parseClean(JSON.stringify([text]))?.toString(), text)));
  });
});
