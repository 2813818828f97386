import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import en from '../src/views/languages/en.json' with { type: 'json' };

/** The rules of files of texts, for `npm run check:languages` and a test. */

/** The faults of a translation, and the names of the texts that it lacks. */
export interface LanguageReport {
  faults: string[];
  missing: string[];
}

const ofPlural = /^(.*)_(zero|one|two|few|many|other)$/;

/** Returns the file of a language. */
export function readTranslation(locale: string): unknown {
  return JSON.parse(
    readFileSync(fileURLToPath(new URL(`../src/views/languages/${locale}.json`, import.meta.url)), 'utf8'),
  );
}

/** Compares a translation with the English texts. */
export function compareTranslation(locale: string, translation: unknown, english: object = en): LanguageReport {
  const texts = textsByName(translation);
  const wanted = wantedTexts(locale, textsByName(english));
  const missing = [...wanted.keys()].filter(
    (name) => (texts.get(name) ?? '') === '' && (!ofPlural.test(name) || countsOfForm(locale, name).length > 0),
  );
  const faults = [...texts].flatMap(([name, text]) => {
    const original = wanted.get(name);
    if (original === undefined) return [`${name} is no text of English, or no plural form of the language`];
    if (typeof text !== 'string') return [`${name} is no text`];
    if (text === '') return [];
    const [found, expected] = [placeholdersIn(text), placeholdersIn(original)];
    const isSame = found.join() === expected.join();
    // The text of a form that one number alone takes, such as 1, can name it in words.
    return isSame || (found.length === 0 && countsOfForm(locale, name).length === 1)
      ? []
      : [`${name} has ${listed(found)} instead of ${listed(expected)}`];
  });
  return { faults, missing };
}

/** Returns the texts of a file by their names, such as `pages.detail.older`. */
function textsByName(value: unknown, path = ''): Map<string, unknown> {
  if (typeof value !== 'object' || value === null) return new Map([[path, value]]);
  return new Map(
    Object.entries(value).flatMap(([name, inner]) =>
      Array.from(textsByName(inner, path === '' ? name : `${path}.${name}`)),
    ),
  );
}

/** Returns the English original of each text of a language, whose plural forms can be others. */
function wantedTexts(locale: string, english: ReadonlyMap<string, unknown>): Map<string, string> {
  const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories;
  return new Map(
    [...english].flatMap(([name, text]) => {
      const [, phrase] = ofPlural.exec(name) ?? [];
      const original = phrase === undefined ? text : english.get(`${phrase}_other`);
      const names = phrase === undefined ? [name] : forms.map((form) => `${phrase}_${form}`);
      return names.map((wanted): [string, string] => [wanted, String(original)]);
    }),
  );
}

/** Whole numbers that take every plural form that whole numbers can take; some languages have one for exact millions. */
const counts = [...Array(200).keys(), 1_000_000, 2_000_000];

/** Returns which of the counts take the plural form that a name ends with; none where only fractions take it. */
function countsOfForm(locale: string, name: string): number[] {
  const [, , form] = ofPlural.exec(name) ?? [];
  const rules = new Intl.PluralRules(locale);
  return counts.filter((count) => rules.select(count) === form);
}

function placeholdersIn(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).toSorted();
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'no placeholder' : names.map((name) => `{${name}}`).join(' ');
}
