import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { languageNamed, languageNames } from '../../../src/contributions/languages/linguist.ts';
import { AppError } from '../../../src/model/errors.ts';
import {
  contrast,
  findPalettes,
  palettes,
  readableOn,
  readColour,
  themeAliases,
  themeNames,
  toTextureColour,
  toTrackColour,
} from '../../../src/views/cards/drawing/themes.ts';
import { findCard } from '../../../src/views/cards/index.ts';
import { normalize, readCardOptions } from '../../../src/views/cards/options.ts';
import { fill, loadLanguage } from '../../../src/views/languages/language.ts';
import { locales } from '../../../src/views/languages/texts.ts';
import { makeContributions, makeStreak, names } from './inputs.ts';
import { readSvg } from './read-svg.ts';
import { draw } from './samples.ts';

describe('card options', () => {
  it('keeps text readable in every theme, and accents distinct from the background', () => {
    assert.ok(themeNames.length > 12);
    for (const [name, palette] of Object.entries(palettes)) {
      const { background, text, muted, accent } = palette;
      assert.ok(contrast(text, background) >= 7, `text of ${name}`);
      assert.ok(contrast(muted, background) >= 4.5, `muted text of ${name}`);
      assert.ok(contrast(text, toTrackColour(palette)) >= 4.5, `initials of ${name}`);
      assert.ok(contrast(accent, background) >= 3, `accent of ${name}`);
      const texture = toTextureColour(palette);
      assert.ok(contrast(text, texture) >= 4.5, `text on the surface of ${name}`);
      assert.ok(contrast(muted, texture) >= 4.5, `muted text on the surface of ${name} ${contrast(muted, texture)}`);
      assert.ok(contrast(accent, texture) >= 3, `accent on the surface of ${name}`);
      assert.ok(contrast(readableOn(accent), accent) >= 4.5, `badge of ${name}`);
    }
  });

  it('gives themes more than colours of their own', () => {
    const style = (theme: string): string => JSON.stringify(findPalettes(theme).style);
    const others = themeNames.filter((name) => !['auto', 'light', 'dark'].includes(name));
    assert.ok(others.every((name) => style(name) !== style('light')));
    for (const theme of others) {
      const { svg } = draw('contributions', makeContributions({}), { theme });
      readSvg(svg);
      const { surface, ring } = findPalettes(theme).style;
      assert.equal(/<pattern|<linearGradient/.test(svg), surface !== 'plain', theme);
      assert.equal(svg.includes('stroke-linecap="round" transform="rotate'), ring === 'round', theme);
    }
    const { svg } = draw('streak', makeStreak(), { theme: 'dracula' });
    // 12 of 41 are 7 of 24 segments.
    const dashes = /class="k f"[^>]* stroke-dasharray="([^"]*)"/.exec(svg)?.[1]?.split(' ') ?? [];
    assert.equal(dashes.length, 2 * (7 + 1));
  });

  it('draws the same card for the names that other services give a theme', () => {
    for (const [alias, theme] of Object.entries(themeAliases)) {
      assert.ok(themeNames.includes(theme) && !themeNames.includes(alias), alias);
      const [byAlias, byName] = [alias, theme].map((name) => draw('streak', makeStreak(), { theme: name }).svg);
      assert.equal(byAlias, byName);
      assert.equal(normalize({ theme: alias }), normalize({ theme }));
    }
  });

  it('accepts only hexadecimal digits as a colour', () => {
    assert.equal(readColour('FFF'), '#ffffff');
    assert.equal(readColour('0969da'), '#0969da');
    assert.equal(readColour('0008'), '#00000088');
    assert.equal(readColour('#fff'), '#ffffff');
    for (const wrong of ['red', '##fff', '#', '12345', 'fff}', '', 'ffffff;x', '０９６９ｄａ'])
      assert.equal(readColour(wrong), undefined);
  });

  it('writes plurals and dates in every language', () => {
    assert.equal(locales.length, 20);
    for (const locale of locales) {
      const { plural, ...language } = loadLanguage(locale);
      assert.equal(language.locale, locale);
      for (const count of [0, 1, 2, 3, 5, 11, 21, 100, 1_000_000]) {
        const text = plural('contributions', count);
        assert.doesNotMatch(text, /[{}]/);
        assert.ok(count < 3 || text.includes(language.number(count)), `${locale} ${text}`);
      }
      assert.ok(language.date(new Date('2026-11-21T23:59:59Z')).includes('21'), locale);
    }
    assert.equal(fill('{n} of {n} {other}', { n: '1' }), '1 of 1 {other}');
    assert.deepEqual(
      ['en', 'de', 'ar'].map((locale) => loadLanguage(locale).firstDayOfWeek),
      [7, 1, 6],
    );
  });

  it('rejects a part that a card does not have, and names the parts of the card', () => {
    const parts = { hideable: ['level', 'icons'], showable: [] };
    assert.deepEqual([...readCardOptions({ hide: 'level, icons,' }, parts).hide], ['level', 'icons']);
    for (const query of [{ hide: 'levle' }, { show: 'level' }]) {
      assert.throws(
        () => readCardOptions(query, parts),
        (error) =>
          error instanceof AppError &&
          error.code === 'invalid_input' &&
          /level, icons|no such parts/.test(error.message),
      );
    }
  });

  it('names the part or the language that a wrong one probably means', () => {
    const { parts } = findCard('languages');
    for (const [hide, meant] of [
      ['titel', 'title'],
      ['title,typescipt', 'TypeScript'],
    ] as const) {
      assert.throws(
        () => readCardOptions({ hide }, parts),
        (error) =>
          error instanceof AppError &&
          error.message.startsWith(`hide: did you mean ${meant}? `) &&
          error.message.endsWith('coverage and names of languages.') &&
          error.explanations[0]?.values?.['meant'] === meant,
      );
    }
  });

  it('says of languages that linguist knows as data or prose that they are not counted, and as which others count', () => {
    const { parts } = findCard('languages');
    const message = (hide: string): string => {
      try {
        readCardOptions({ hide }, parts);
      } catch (error) {
        if (error instanceof AppError && error.code === 'invalid_input') return error.message;
      }
      return 'none';
    };
    assert.equal(message('css,json'), 'hide: JSON is data or prose, which is not counted.');
    assert.equal(message('Markdown'), 'hide: Markdown is data or prose, which is not counted.');
    assert.match(message('tsx'), /^hide: did you mean TypeScript\? /);
  });

  it('reads languages in any letter case, with a plus that arrives as a space', () => {
    const { parts } = findCard('languages');
    const hidden = (hide: string): string[] => [...readCardOptions({ hide }, parts).hide];
    assert.deepEqual(hidden('html, CSS,title,vue'), ['HTML', 'CSS', 'title', 'Vue']);
    assert.deepEqual(hidden('c,c++,common lisp'), ['C', 'C++', 'Common Lisp']);
    const sent = new URLSearchParams('hide=c++,common+lisp').get('hide') ?? '';
    assert.deepEqual(hidden(sent), ['C++', 'Common Lisp']);
    assert.throws(() => readCardOptions({ hide: 'html' }, findCard('calendar').parts), AppError);
  });

  it('has no language with the name of a part of the card of languages', () => {
    for (const part of findCard('languages').parts.hideable) assert.equal(languageNamed(part), undefined);
    for (const name of languageNames()) assert.doesNotMatch(name, /,/);
  });

  it('normalizes equal card options to the same form, without default values', () => {
    assert.equal(
      normalize({ theme: 'auto', locale: 'en', radius: 8, border: true, animation: 'none', title: undefined }),
      '',
    );
    assert.equal(
      normalize({ hide: 'b, a,a', theme: 'nord', text_color: 'FFF' }),
      normalize({ text_color: 'ffffff', theme: 'nord', hide: 'a,b' }),
    );
    assert.notEqual(normalize({ title: 'a&theme=nord' }), normalize({ title: 'a', theme: 'nord' }));
    assert.notEqual(normalize({ title: names.arabic }), normalize({ title: names.hebrew }));
  });
});
