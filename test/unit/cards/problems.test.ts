import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Explanation } from '../../../src/model/errors.ts';
import { createCardImages } from '../../../src/views/cards/card-images.ts';
import { withoutDirections } from '../../../src/views/cards/text/fit.ts';
import { loadLanguage } from '../../../src/views/languages/language.ts';
import { locales } from '../../../src/views/languages/texts.ts';
import { sampled } from '../../depth.ts';

const images = createCardImages({
  images: { find: () => assert.fail('a card of an error has no images') },
  rasterizer: { toPng: () => assert.fail('no PNG was requested') },
});
const cards = ['contributions', 'calendar', 'contributors', 'achievements'];
const statuses = { invalid: 400, refused: 401, notFound: 404, tooMany: 429, unavailable: 503 } as const;

/** Draws an error. @returns its lines of text, and its description. */
async function drawn(
  query: Record<string, unknown>,
  problem: { status: number; message?: string; explanations?: readonly Explanation[] },
  card = 'contributions',
): Promise<{ lines: string[]; description: string }> {
  const { body } = await images.drawProblem(card, 'svg', query, {
    message: 'In English.',
    explanations: [],
    ...problem,
  });
  const svg = withoutDirections(body.toString());
  const lines = [...svg.matchAll(/<text [^>]*>([^<]*)</g)].map(([, text = '']) => text);
  return { lines, description: /<desc[^>]*>([^<]*)</.exec(svg)?.[1] ?? '' };
}

/** The names of a phrase's placeholders, in the order of the alphabet. */
function placeholders(phrase: string): string[] {
  return [...phrase.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).toSorted();
}

const values = {
  name: 'accent_color',
  meant: 'dracula',
  language: 'TypeScript',
  choices: 'svg, png',
  min: '240',
  max: '1200',
};

describe('cards of errors', () => {
  it('show title and cause uncut in every language on the narrowest card', async () => {
    const cases = locales.flatMap((locale) =>
      Object.entries(statuses).flatMap(([title, status]) =>
        (Object.keys(loadLanguage(locale).words.problems) as Explanation['phrase'][]).flatMap((phrase) =>
          cards.map((card) => ({ locale, title, status, phrase, card })),
        ),
      ),
    );
    for (const { locale, title, status, phrase, card } of sampled(cases, 3)) {
      const { words } = loadLanguage(locale);
      const { lines } = await drawn({ locale, width: '240' }, { status, explanations: [{ phrase, values }] }, card);
      const text = lines.join(' ').replaceAll(' ', '');
      const expected = `${words[title as keyof typeof statuses]}${words.problems[phrase]}`;
      const filled = expected.replace(/\{(\w+)\}/g, (_, name: keyof typeof values) => values[name]);
      assert.equal(text, filled.replaceAll(' ', ''), `${locale} ${title} ${phrase} ${card}`);
    }
  });

  it('name the parameter, the nearest value and the valid ones in the language of the reader', async () => {
    const explanations: Explanation[] = [
      { phrase: 'didYouMean', values: { name: 'theme', meant: 'dracula' } },
      { phrase: 'oneOf', values: { name: 'theme', choices: 'auto, dark, dracula' } },
    ];
    const described = async (locale: string) => (await drawn({ locale }, { status: 400, explanations })).description;
    assert.equal(await described('en'), 'theme: did you mean dracula? theme must be one of auto, dark, dracula.');
    assert.equal(
      await described('de'),
      'theme: Ist dracula gemeint? theme muss eines davon sein: auto, dark, dracula.',
    );
    assert.match(await described('ar'), /^هل تقصد dracula بدلًا من theme؟ /);
    assert.match(await described('pt-BR'), /^theme: você quis dizer dracula\?/);
  });

  it('end a list that goes on with an ellipsis alone', async () => {
    const explanations: Explanation[] = [{ phrase: 'oneOf', values: { name: 'hide', choices: 'title, CSS, …' } }];
    for (const locale of locales) {
      const { description } = await drawn({ locale }, { status: 400, explanations });
      assert.doesNotMatch(description, /…\s*[.。।]/, locale);
    }
  });

  it('are read from right to left where the language is, also in lines that begin with a parameter', async () => {
    const explanations: Explanation[] = [{ phrase: 'oneOf', values: { name: 'theme', choices: 'auto, dark' } }];
    for (const locale of ['ar', 'he']) {
      const problem = { status: 400, message: '', explanations };
      const { body } = await images.drawProblem('contributions', 'svg', { locale, width: '240' }, problem);
      assert.match(body.toString(), />\u2067[^<]*theme[^<]*\u2069</u, locale);
    }
  });

  it('show the English message where there is no other, and none where the title says enough', async () => {
    const description = async (status: number) => (await drawn({ locale: 'de' }, { status })).description;
    assert.equal(await description(400), 'In English.');
    assert.equal(await description(429), 'Zu viele Anfragen');
    assert.equal(await description(500), 'Gerade nicht verfügbar');
  });

  it('have the same placeholders in every language, and none at the beginning where the first letter decides the direction', () => {
    const english = loadLanguage('en').words.problems;
    for (const locale of locales) {
      const { words, isRightToLeft } = loadLanguage(locale);
      for (const [name, phrase] of Object.entries(words.problems)) {
        assert.deepEqual(
          placeholders(phrase),
          placeholders(english[name as Explanation['phrase']]),
          `${locale} ${name}`,
        );
        if (isRightToLeft) assert.doesNotMatch(phrase, /^[ -~]/, `${locale} ${name}`);
      }
    }
  });
});
