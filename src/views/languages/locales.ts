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
export type Locale = (typeof locales)[number];

/** Returns a language of cards and pages; English for any other. */
export function toLocale(code: string): Locale {
  return locales.find((locale) => locale === code) ?? 'en';
}
