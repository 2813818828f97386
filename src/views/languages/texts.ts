import { readFileSync } from 'node:fs';
import en from './en.json' with { type: 'json' };

/** The languages of cards and pages, by their codes (BCP 47), in the order in which people choose from them. */
export const locales = [
  'en',
  'de',
  'fr',
  'es',
  'pt',
  'it',
  'nl',
  'pl',
  'cs',
  'sv',
  'tr',
  'ru',
  'uk',
  'ar',
  'he',
  'hi',
  'zh',
  'ja',
  'ko',
  'id',
] as const;
type Locale = (typeof locales)[number];

/** All texts of cards and pages in one language. English names them; where another language lacks one, it is English. */
export type Texts = typeof en;

/** The texts of cards. */
export type Words = Texts['cards'];

/** The texts of pages. Names of counters, levels and errors come from the words of cards. */
export type PageWords = Texts['pages'];

type NamesOfPlurals<Name> = Name extends `${infer Phrase}_other` ? Phrase : never;

/** A phrase with a number, which has a text for each plural form of the language. */
export type PluralName = NamesOfPlurals<keyof Words>;

const loaded = new Map<Locale, Texts>([['en', en]]);

/**
 * Returns the texts of a language. Its file is read once.
 * @param code a language of cards and pages; any other has English texts.
 */
export function loadTexts(code: string): Texts {
  const locale = toLocale(code);
  const known = loaded.get(locale);
  if (known !== undefined) return known;
  const translation: object = JSON.parse(readFileSync(new URL(`./${locale}.json`, import.meta.url), 'utf8'));
  const texts = translateTexts(translation);
  loaded.set(locale, texts);
  return texts;
}

/** Returns the English texts with those of a translation in their places. */
export function translateTexts(translation: object): Texts {
  const texts = structuredClone(en);
  replaceTexts(texts, translation);
  return texts;
}

/** Replaces texts by their translations, and adds the plural forms that English lacks. */
function replaceTexts(texts: object, translation: object): void {
  for (const [name, translated] of Object.entries(translation)) {
    const text: unknown = Reflect.get(texts, name);
    if (typeof text === 'object' && text !== null) replaceTexts(text, translated);
    // Translation services write an empty text where a translation is missing.
    else if (translated !== '') Reflect.set(texts, name, translated);
  }
}

/** Returns a language of cards and pages; English for any other. */
export function toLocale(code: string): Locale {
  return locales.find((locale) => locale === code) ?? 'en';
}
