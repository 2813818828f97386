import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { openSync } from 'fontkit';
import { toInitials } from '../../../src/views/cards/drawing/avatar.ts';
import { bundledFonts } from '../../../src/views/cards/drawing/rasterizer.ts';
import { fit, oneLine, titleText, withoutDirections, wrap } from '../../../src/views/cards/text/fit.ts';
import { measure } from '../../../src/views/cards/text/measure.ts';
import { anyText } from './any-text.ts';
import { names } from './inputs.ts';
import { readSvg } from './read-svg.ts';
import { drawSample, sampleNames } from './samples.ts';

/** Letters that cards draw with fonts of the machine, and signs that no font draws. */
const undrawn = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Cf}]/gu;

describe('text in cards', () => {
  it('measures the width of a text by the font, and counts wide letters of other scripts in full', () => {
    // Advance widths of Noto Sans: W 930, i 258 thousandths of the size.
    assert.equal(measure('W', 100), 93);
    assert.equal(measure('i', 100), 25.8);
    assert.ok(measure('W', 100, 'bold') > measure('W', 100));
    assert.equal(measure('漢字', 100), 200);
    assert.equal(measure('ｱｲ', 100), 100);
    assert.equal(measure('e\u0301', 100), measure('e', 100));
    for (const emoji of ['🚀', '👩‍👩‍👧‍👦', '👍🏽', '🇩🇪', '❤️'])
      assert.equal(Math.round(measure(emoji, 100)), 140, emoji);
  });

  it('cuts a text that is too long between letters, never within one', () => {
    assert.equal(fit('Ada Lovelace', 100, 12).text, 'Ada Lovelace');
    assert.equal(fit('Ada Lovelace', 40, 12).text, 'Ada…');
    assert.equal(fit('  two\n lines ', 200, 12).text, 'two lines');
    assert.equal(fit('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 30, 12).text, '👩‍👩‍👧‍👦…');
    assert.equal(fit('Ada', 1, 12).text, '');
    fc.assert(
      fc.property(
        anyText,
        fc.integer({ min: 0, max: 300 }),
        fc.constantFrom('regular', 'bold'),
        (text, maxWidth, weight) => {
          const fitted = fit(text, maxWidth, 13, weight);
          assert.ok(fitted.width <= maxWidth && measure(fitted.text, 13, weight) === fitted.width);
          const letters = new Set([...new Intl.Segmenter('en').segment(oneLine(text))].map(({ segment }) => segment));
          for (const { segment } of new Intl.Segmenter('en').segment(fitted.text.replace(/…$/, ''))) {
            assert.ok(letters.has(segment) || letters.has(`${segment} `), `${segment} is a letter of the text`);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('removes characters that reorder their surroundings, and limits the marks on a letter', () => {
    assert.equal(oneLine('a\u202Eb\u2066c\u200B\u0000d'), 'abcd');
    assert.equal(oneLine(`x${'\u0301'.repeat(50)}`), 'x\u0301\u0301');
    assert.equal(oneLine('👩‍👩‍👧‍👦'), '👩‍👩‍👧‍👦');
    assert.ok(oneLine('y'.repeat(100_000)).length <= 400);
  });

  it('limits titles to 256 characters on one line, without characters that reorder their surroundings', () => {
    assert.equal(titleText('Ada\u202e \u2067Lovelace\n'), 'Ada Lovelace');
    assert.equal(titleText('x'.repeat(300)), `${'x'.repeat(255)}…`);
    assert.equal(titleText('x'.repeat(256)), 'x'.repeat(256));
    const families = titleText('👩‍👩‍👧‍👦'.repeat(30));
    assert.ok(families.length <= 256 && families.endsWith('👩‍👩‍👧‍👦…'), families);
    assert.equal(withoutDirections('a\u202e\u2066b\u2069\u200f'), 'ab');
  });

  it('breaks a long text between words, but not within a number, into the given number of lines at most', () => {
    assert.deepEqual(wrap('one two three', { maxWidth: 55, maxLines: 3, sizePx: 12 }), ['one two', 'three']);
    const ofNumber = wrap('jusqu’au niveau 1\u202f113', { maxWidth: 115, maxLines: 2, sizePx: 12 });
    assert.deepEqual(ofNumber, ['jusqu’au niveau', '1 113']);
    const lines = wrap('word '.repeat(200), { maxWidth: 100, maxLines: 3, sizePx: 12 });
    assert.equal(lines.length, 3);
    assert.ok(lines.every((line) => measure(line, 12) <= 100));
    assert.match(lines[2] ?? '', /…$/);
  });

  it('takes the initials of the first and last word, or one initial where letters are wide', () => {
    assert.equal(toInitials('Ada King Lovelace'), 'AL');
    assert.equal(toInitials('grace-hopper'), 'GH');
    assert.equal(toInitials('山田 太郎'), '山');
    assert.equal(toInitials('🚀'), '🚀');
    assert.equal(toInitials(''), '?');
    assert.equal(toInitials(names.emoji), 'Z');
  });
});

describe('letters of cards', () => {
  it('are in a bundled font, except those of scripts for which the machine has fonts', () => {
    const fonts = globSync('*/*.ttf', { cwd: bundledFonts }).map((file) => {
      const font = openSync(join(bundledFonts, file));
      return 'hasGlyphForCodePoint' in font ? font : assert.fail(`${file} is a collection`);
    });
    const isDrawn = (letter: string): boolean =>
      fonts.some((font) => font.hasGlyphForCodePoint(letter.codePointAt(0) ?? 0));
    for (const name of sampleNames) {
      const texts = readSvg(drawSample(name).svg).texts.join('').replaceAll(undrawn, '');
      assert.deepEqual(
        [...new Set(texts)].filter((letter) => !isDrawn(letter)),
        [],
        name,
      );
    }
  });
});
