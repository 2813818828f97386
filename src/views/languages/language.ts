import { loadTexts, type PluralName, type Words } from './texts.ts';

const rightToLeft: ReadonlySet<string> = new Set(['ar', 'he']);

/** The words of a card, and its formats for numbers and dates. */
export interface Language {
  locale: string;
  isRightToLeft: boolean;
  words: Words;
  number: (value: number) => string;
  /** Formats a difference, like +12. */
  signed: (value: number) => string;
  /** Formats a large number in few letters, like 1.2M. */
  compactNumber: (value: number) => string;
  /** Formats a part of a whole, 0 to 1, in percent. */
  share: (value: number) => string;
  /** Formats a day in UTC, like 21 Nov 2026. */
  date: (time: Date) => string;
  /** Formats the first and the last day of a time in UTC. */
  dateRange: (first: Date, last: Date) => string;
  /** Formats a number of days, and of weeks. */
  days: (value: number) => string;
  weeks: (value: number) => string;
  month: (time: Date) => string;
  weekday: (time: Date) => string;
  /** The day that weeks begin with: 1 Monday to 7 Sunday. */
  firstDayOfWeek: number;
  /** Returns a phrase in the plural form of a number, which stands for its `{n}`. */
  plural: (phrase: PluralName, value: number) => string;
}

declare global {
  namespace Intl {
    interface Locale {
      /** Defined by ECMA-402, and in Node since 22. */
      getWeekInfo(): { firstDay: number };
    }
  }
}

const cachedLanguages = new Map<string, Language>();

/**
 * Returns the language of a locale.
 * @param locale one of `locales`; any other has English words.
 */
export function loadLanguage(locale: string): Language {
  const known = cachedLanguages.get(locale);
  if (known !== undefined) return known;
  const language = makeLanguage(locale);
  cachedLanguages.set(locale, language);
  return language;
}

function makeLanguage(locale: string): Language {
  const full = new Intl.NumberFormat(locale);
  const signed = new Intl.NumberFormat(locale, { signDisplay: 'exceptZero' });
  const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
  const share = new Intl.NumberFormat(locale, {
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  });
  const utc = { timeZone: 'UTC' } as const;
  const date = new Intl.DateTimeFormat(locale, { ...utc, day: 'numeric', month: 'short', year: 'numeric' });
  const month = new Intl.DateTimeFormat(locale, { ...utc, month: 'short' });
  const weekday = new Intl.DateTimeFormat(locale, { ...utc, weekday: 'short' });
  const unit = (name: 'day' | 'week') =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'long' });
  const [days, weeks] = [unit('day'), unit('week')];
  const rules = new Intl.PluralRules(locale);
  const selectPlural = onceForCount((value) => rules.select(value));
  const number = onceForCount((value) => full.format(value));
  const words = loadTexts(locale).cards;
  return {
    locale,
    isRightToLeft: rightToLeft.has(locale),
    words,
    number,
    signed: (value) => signed.format(value),
    compactNumber: (value) => compact.format(value),
    share: (value) => share.format(value),
    date: onceForDay((time) => date.format(time)),
    // Lines break at plain spaces.
    dateRange: (first, last) => date.formatRange(first, last).replaceAll('\u2009', ' '),
    days: (value) => days.format(value),
    weeks: (value) => weeks.format(value),
    month: (time) => month.format(time),
    weekday: (time) => weekday.format(time),
    firstDayOfWeek: firstDayOfWeek(locale),
    plural: (phrase, value) => fill(pluralForm(words, phrase, selectPlural(value)), { n: number(value) }),
  };
}

function pluralForm(words: Words, phrase: PluralName, rule: Intl.LDMLPluralRule): string {
  // English, which names the texts, has not all forms.
  const forms: Readonly<Record<string, unknown>> = words;
  const form = forms[`${phrase}_${rule}`];
  return typeof form === 'string' ? form : words[`${phrase}_other` as const];
}

const dayMs = 86_400_000;
/** The most days whose texts a language keeps. */
const maxDays = 1000;

/** Formats each day (UTC) once, because formatting takes microseconds, and pages and cards mostly show the last years. */
function onceForDay(format: (time: Date) => string): (time: Date) => string {
  const texts = new Map<number, string>();
  return (time) => {
    const day = Math.floor(time.getTime() / dayMs);
    const known = texts.get(day);
    if (known !== undefined) return known;
    const text = format(time);
    if (texts.size >= maxDays) texts.clear();
    texts.set(day, text);
    return text;
  };
}

/** The most numbers whose texts a language keeps. */
const maxNumbers = 5000;

/** Formats each count once, because formatting one takes about a microsecond, and pages mostly repeat counts. */
function onceForCount<Text extends string>(format: (value: number) => Text): (value: number) => Text {
  const texts = new Map<number, Text>();
  return (value) => {
    const known = texts.get(value);
    if (known !== undefined) return known;
    const text = format(value);
    // A map takes 0 and -0 for the same key.
    if (!Number.isInteger(value) || Object.is(value, -0)) return text;
    if (texts.size >= maxNumbers) texts.clear();
    texts.set(value, text);
    return text;
  };
}

/** A language alone names no country, so its most likely country decides. */
function firstDayOfWeek(locale: string): number {
  return new Intl.Locale(locale).maximize().getWeekInfo().firstDay;
}

/** Replaces the names in a phrase, such as `{n}`, by their values. */
export function fill(phrase: string, values: Readonly<Record<string, string>>): string {
  return phrase.replace(/\{([^{}]*)\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}

/** Returns a moment as readers of a language write it, in UTC, to the minute. */
export function timeText(time: Date, locale: string): string {
  const fields = { day: 'numeric', month: 'short', year: 'numeric', hour: 'numeric', minute: '2-digit' } as const;
  return new Intl.DateTimeFormat(locale, { ...fields, timeZone: 'UTC', timeZoneName: 'short' }).format(time);
}
