import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutDirections } from '../../../src/views/cards/text/fit.ts';
import { locales } from '../../../src/views/languages/texts.ts';
import { sampled } from '../../depth.ts';
import { givenNames } from './inputs.ts';
import { readSvg } from './read-svg.ts';
import { drawSample, sampleNames } from './samples.ts';

/** The level of this sample is above 10,000, which no account has, and has no room on the least width in Arabic. */
const samples = sampleNames.filter((name) => name !== 'contributions-wide');

describe('cards of every kind', () => {
  it('shorten only names that people gave, in every language, at the usual width and the least one', () => {
    const cases = samples.flatMap((name) =>
      locales.flatMap((locale) => [
        { name, locale, query: {} },
        { name, locale, query: { width: 240 } },
      ]),
    );
    for (const { name, locale, query } of sampled(cases, 3)) {
      const { texts } = readSvg(drawSample(name, { locale, ...query }).svg);
      const cut = texts.map(withoutDirections).filter((text) => text.includes('…'));
      const ofCard = cut.filter((text) => !givenNames.some((given) => given.startsWith(text.replace(/…$/, ''))));
      assert.deepEqual(ofCard, [], `${name} ${locale} ${JSON.stringify(query)}`);
    }
  });
});
