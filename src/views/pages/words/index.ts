import { type Locale, toLocale } from '../../cards/languages/locales.ts';
import { ar } from './ar.ts';
import { cs } from './cs.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { he } from './he.ts';
import { hi } from './hi.ts';
import { id } from './id.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { ru } from './ru.ts';
import { sv } from './sv.ts';
import { tr } from './tr.ts';
import { uk } from './uk.ts';
import type { PageWords } from './words.ts';
import { zh } from './zh.ts';

const all: Readonly<Record<Locale, PageWords>> = {
  en,
  de,
  fr,
  es,
  pt,
  it,
  nl,
  pl,
  cs,
  sv,
  tr,
  ru,
  uk,
  ar,
  he,
  hi,
  zh,
  ja,
  ko,
  id,
};

/** Returns the texts of pages in a language of cards. */
export function pageWordsOf(locale: string): PageWords {
  return all[toLocale(locale)];
}
