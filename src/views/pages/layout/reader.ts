import type { PageLanguage } from '../../../http/pipeline/page-language.ts';
import { type Language, loadLanguage } from '../../languages/language.ts';
import { loadTexts, type PageWords } from '../../languages/texts.ts';

/** The reader of a page. */
export interface Reader {
  language: Language;
  words: PageWords;
  /** Returns the address of another page in the same language. */
  to: (path: string) => string;
}

export function toReader({ locale, isChosen }: PageLanguage): Reader {
  return {
    language: loadLanguage(locale),
    words: loadTexts(locale).pages,
    to: (path) => (isChosen ? withLanguage(path, locale) : path),
  };
}

/** Returns the address of a page in a language. */
export function withLanguage(path: string, locale: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}lang=${locale}`;
}

/** Returns a function that makes what depends on the language of a page alone once for each language. */
export function oncePerLanguage<Made>(
  make: (reader: Omit<Reader, 'to'>) => Made,
): (reader: Omit<Reader, 'to'>) => Made {
  const madeFor = new Map<string, Made>();
  return (reader) => {
    const { locale } = reader.language;
    const made = madeFor.get(locale) ?? make(reader);
    madeFor.set(locale, made);
    return made;
  };
}
