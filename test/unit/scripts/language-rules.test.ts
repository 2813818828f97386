import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { compareTranslation, readTranslation } from '../../../scripts/language-rules.ts';
import { locales } from '../../../src/views/languages/texts.ts';

const english = {
  cards: { level: 'Level {n}', points_one: '{n} point', points_other: '{n} points' },
  pages: { steps: ['First', 'Then'] },
};
const german = {
  cards: { level: 'Stufe {n}', points_one: '{n} Punkt', points_other: '{n} Punkte' },
  pages: { steps: ['Erst', 'Dann'] },
};
const compared = (locale: string, translation: unknown) => compareTranslation(locale, translation, english);

describe('files of languages', () => {
  it('have only texts and placeholders of English, in the plural forms of the language', () => {
    for (const locale of locales)
      assert.deepEqual(compareTranslation(locale, readTranslation(locale)).faults, [], locale);
  });

  it('are complete in English', () => {
    assert.deepEqual(compareTranslation('en', readTranslation('en')).missing, []);
  });

  it('are there for each language that readers can choose', () => {
    const files = readdirSync(new URL('../../../src/views/languages/', import.meta.url));
    const codes = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
    assert.deepEqual(codes.toSorted(), locales.toSorted());
  });
});

describe('comparison of a translation with English', () => {
  it('accepts a complete translation', () => {
    assert.deepEqual(compared('de', german), { faults: [], missing: [] });
  });

  it('lists texts that are absent or empty', () => {
    const translation = { cards: { level: '', points_other: '{n} Punkte' }, pages: { steps: ['Erst'] } };
    assert.deepEqual(compared('de', translation), {
      faults: [],
      missing: ['cards.level', 'cards.points_one', 'pages.steps.1'],
    });
  });

  it('rejects a text that English does not have', () => {
    const translation = { ...german, pages: { steps: ['Erst', 'Dann', 'Zuletzt'] }, new: 'Neu' };
    assert.deepEqual(compared('de', translation).faults, [
      'pages.steps.2 is no text of English, or no plural form of the language',
      'new is no text of English, or no plural form of the language',
    ]);
  });

  it('rejects another placeholder, and one that is left out', () => {
    const translation = { ...german, cards: { ...german.cards, level: 'Stufe {m}', points_other: 'Punkte' } };
    assert.deepEqual(compared('de', translation).faults, [
      'cards.level has {m} instead of {n}',
      'cards.points_other has no placeholder instead of {n}',
    ]);
  });

  it('rejects a value that is no text', () => {
    const translation = { ...german, cards: { ...german.cards, level: 4 } };
    assert.deepEqual(compared('de', translation).faults, ['cards.level is no text']);
  });

  it('rejects a group in the place of a text', () => {
    const translation = { ...german, cards: { ...german.cards, level: { short: 'Stufe' } } };
    assert.equal(compared('de', translation).faults.length, 1);
  });

  it('rejects plural forms that the language lacks, and lists those that it needs', () => {
    assert.deepEqual(compared('ru', { ...german, cards: { ...german.cards, points_two: '{n}' } }), {
      faults: ['cards.points_two is no text of English, or no plural form of the language'],
      missing: ['cards.points_few', 'cards.points_many'],
    });
  });

  it('lists no plural form that fractions alone take, because translation services leave it out', () => {
    const points = { points_one: '{n} балл', points_few: '{n} балла', points_many: '{n} баллов' };
    const translation = { ...german, cards: { level: 'Уровень {n}', ...points } };
    assert.deepEqual(compared('ru', translation), { faults: [], missing: [] });
  });

  it('accepts a form without the number only where it stands for one number', () => {
    const translation = { ...german, cards: { ...german.cards, points_one: 'ein Punkt' } };
    assert.deepEqual(compared('de', translation).faults, []);
    assert.deepEqual(compared('ru', translation).faults, ['cards.points_one has no placeholder instead of {n}']);
  });
});
