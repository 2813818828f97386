import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTranslation } from '../../../scripts/language-rules.ts';
import { counterNames } from '../../../src/model/counters.ts';
import { numberDefinition, listMeanings as ofApi } from '../../../src/model/rules.ts';
import { locales } from '../../../src/views/languages/texts.ts';
import { defineCounter, defineNumber, type NumberName } from '../../../src/views/pages/layout/numbers.ts';
import { type Reader, toReader } from '../../../src/views/pages/layout/reader.ts';

const numbers = [
  'contributions',
  'experience',
  'level',
  'days',
  'languages',
  'points',
  'change',
  'progress',
  'holders',
] as const satisfies readonly NumberName[];
const endsOfSentences = /[.。।]$/;

describe('the definitions on pages', () => {
  const readerIn = (locale: (typeof locales)[number]): Reader => toReader({ locale, isChosen: true });
  const listSentences = (reader: Reader): string[] => [
    ...counterNames.flatMap((name) => [false, true].flatMap((isOfAll) => defineCounter(name, { isOfAll }, reader))),
    ...numbers.map((name) => defineNumber(name, reader)),
  ];

  it('are those of the API in English', () => {
    assert.deepEqual(listSentences(readerIn('en')), [
      ...counterNames.flatMap((name) => [false, true].flatMap((isOfAll) => ofApi(name, { isOfAll }))),
      ...numbers.map(numberDefinition),
    ]);
  });

  it('are different sentences in every language', () => {
    const english = new Set(listSentences(readerIn('en')));
    for (const locale of locales) {
      const sentences = listSentences(readerIn(locale));
      const file = JSON.stringify(readTranslation(locale));
      assert.equal(sentences.length, english.size, locale);
      assert.equal(new Set(sentences).size, sentences.length, locale);
      for (const sentence of sentences) {
        assert.match(sentence, endsOfSentences, locale);
        // Pages do not render code in sentences.
        assert.ok(!sentence.includes('`'), `${locale}: ${sentence}`);
        if (locale !== 'en') assert.ok(!english.has(sentence) || !file.includes(sentence), `${locale}: ${sentence}`);
      }
    }
  });

  it('keep the numbers of the level in every language', () => {
    for (const locale of locales) assert.match(defineNumber('level', readerIn(locale)), /100·n²/, locale);
  });
});
