import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fill, loadLanguage } from '../../../src/views/languages/language.ts';

describe('fill', () => {
  it('replaces names, also the same one several times', () => {
    assert.equal(fill('{a} of {b}, {a}', { a: '1', b: '{a}' }), '1 of {a}, 1');
  });

  it('keeps braces that enclose no name', () => {
    for (const text of ['', 'plain', '{', '}', '{a', 'n}', '{}', '{other}', '{ n }', 'a { b', '{n'])
      assert.equal(fill(text, { n: '1' }), text);
    assert.equal(fill('{{n}} {other {n}', { n: '1' }), '{1} {other 1');
  });
});

describe('numbers of a language', () => {
  it('have the form of the language at each time', () => {
    for (const locale of ['en', 'de', 'ar', 'hi']) {
      const format = new Intl.NumberFormat(locale);
      const { number } = loadLanguage(locale);
      number(-0);
      for (const value of [0, 0, 7, 7, 999, 999, 1000, 1000, 1234567, -7, 0.5, 0.5])
        assert.equal(number(value), format.format(value));
    }
  });
});
