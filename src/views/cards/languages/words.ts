import type { CounterName } from '../../../model/counters.ts';
import type { ProblemPhrase } from '../../../model/errors.ts';

/** A phrase with a number, in the plural forms of the language (CLDR plural rules). `{n}` is the number. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** The subjects of cards, for the message of a card without any data. */
export type NothingOf = 'contributions' | 'contributors' | 'achievements' | 'board' | 'languages';

/** All texts of cards, in one language. */
export interface Words extends Record<CounterName, string> {
  /** `{n}` is the level. */
  level: string;
  /** `{n}` is the missing experience to level `{level}`. */
  toNext: string;
  publicOnly: string;
  publicAndPrivate: string;
  /** The note that only contributions in collected repositories are counted. */
  inCollected: string;
  /** The note that the bars of a trend are sums of the host's own calendar. */
  trendOfHost: string;
  /** `{date}` is the day of the last request to the provider. */
  asOf: string;
  stillCounting: string;
  /** `{time}` is when collecting the rest goes on. */
  goesOnAt: string;
  /** `{date}` is the first day of a window that has not begun. */
  begins: string;
  contributorsTitle: string;
  contributions: Plural;
  points: Plural;
  /** `{n}` is the number of complete repositories, `{total}` of all. */
  completeRepositories: string;
  contributors: Plural;
  /** The note that bots are left out of a number of contributors, which lists have. */
  withoutBots: string;
  contributionsInYear: Plural;
  /** `{n}` is the number of entries that are not shown. */
  more: string;
  nobodyYet: string;
  /** The detail of a card without a language, because the reader left out all of them. */
  allLanguagesHidden: string;
  languagesTitle: string;
  changedFiles: Plural;
  /** The name of all languages that are not listed. */
  otherLanguages: string;
  /** The title and the advice of a card that has nothing to show. */
  nothing: Readonly<Record<NothingOf, { title: string; detail: string }>>;
  /** The two ends of a scale. */
  fewer: string;
  most: string;
  achievementsTitle: string;
  /** The achievement that an account is closest to. */
  nextAchievement: string;
  /** `{n}` is the number of people who hold an achievement. */
  heldBy: string;
  currentStreak: string;
  longestStreak: string;
  /** Days that end no streak. */
  daysOff: string;
  community: string;
  collecting: string;
  collectingDetail: string;
  notFound: string;
  invalid: string;
  refused: string;
  tooMany: string;
  unavailable: string;
  /**
   * Sentences with the cause of an error. `{name}` is a parameter, `{meant}` and `{choices}` are valid values. In
   * right-to-left languages no sentence begins with a placeholder, because the first letter decides the direction.
   */
  problems: Readonly<Record<ProblemPhrase, string>>;
}
