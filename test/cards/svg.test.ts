import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { drawCard } from '../../src/cards/card.ts';
import { escapeText, fit } from '../../src/cards/svg.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '</text><script>alert(1)</script>',
    ']]>',
    '"onload="x',
    '\0\u0007\uFFFE',
    '\uD800',
    '&#0;',
    'שלום',
    '👩‍👩‍👧‍👦',
  ),
);

/** The characters of XML 1.0, section 2.2. */
function isAllowed(letter: string): boolean {
  const code = letter.codePointAt(0) ?? 0;
  return (
    ['\t', '\n', '\r'].includes(letter) ||
    (code >= 0x20 && code <= 0xd7ff) ||
    (code >= 0xe000 && code <= 0xfffd) ||
    code >= 0x10000
  );
}

test('whatever somebody is called, a picture holds it as text and stays well-formed', () => {
  fc.assert(
    fc.property(anyText, anyText, (name, display) => {
      const escaped = escapeText(name);
      assert.doesNotMatch(escaped, /[<>"']|&(?!(amp|lt|gt|quot|#39);)/);
      assert.ok(Array.from(escaped).every(isAllowed), 'XML allows every character');
      assert.ok(escaped.isWellFormed());
      const item = { name, display_name: display, contributions: 3 };
      const svg = drawCard('contributors', { meta_data: { count: 1, data_type: 3 }, data: [item] });
      // Every element that is opened is one of ours, and closed.
      const tags = [...svg.matchAll(/<(\/?)([^\s>/]+)[^>]*?(\/?)>/g)].filter(([, , , isSingle]) => isSingle === '');
      const open: string[] = [];
      for (const [, close, tag = ''] of tags) {
        assert.ok(['svg', 'title', 'desc', 'style', 'text'].includes(tag), tag);
        if (close === '') open.push(tag);
        else assert.equal(open.pop(), tag);
      }
      assert.deepEqual(open, []);
    }),
    { numRuns: 500 },
  );
});

test('what has no room is cut between letters, never within one', () => {
  assert.equal(fit('Ada Lovelace', 20), 'Ada Lovelace');
  assert.equal(fit('Ada Lovelace', 5), 'Ada …');
  assert.equal(fit('  two\n lines ', 20), 'two lines');
  assert.equal(fit('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3), '…');
  assert.equal(fit('漢字漢字', 5), '漢…');
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 40 }), (text, room) => {
      const letters = [...new Intl.Segmenter('en').segment(fit(text, room))];
      assert.ok(letters.length <= room);
    }),
  );
});

test('a card tells its values to those who cannot see it', () => {
  const counters = { commits: 1234, issues: 0 };
  const item = { name: 'ada', display_name: '', experience: 1234, level: 4, contributions: counters };
  const answer = { meta_data: { count: 1, data_type: 1, missing: ['stars'] }, data: [item] };
  const svg = drawCard('contributions', answer);
  assert.match(svg, /role="img" aria-labelledby="title desc"/);
  assert.match(svg, /<title id="title">Contributions of ada<\/title>/);
  assert.match(svg, /<desc id="desc">Level 4\. Commits: 1,234, .*Stars earned: 0\. Counted is what is public\./);
  assert.match(svg, /still counting/);
  assert.doesNotMatch(svg, /https?:\/\/(?!www\.w3\.org)/);
});
