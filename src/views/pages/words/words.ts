import type { ComposerWords } from './composer-words.ts';
import type { DetailWords } from './detail-words.ts';
import type { OwnerWords } from './owner-words.ts';

/** The texts of pages in one language. Names of counters, levels and errors come from the words of cards. */
export interface PageWords {
  tagline: string;
  intro: string;
  search: string;
  host: string;
  account: string;
  show: string;
  cards: string;
  /** The link that leads past the header. */
  skip: string;
  toReadme: string;
  inThreeSteps: string;
  steps: readonly string[];
  composeCard: string;
  /** With `{n}`. */
  experience: string;
  contributions: string;
  /** The title of the calendar. */
  year: string;
  noAchievements: string;
  repositories: string;
  noRepositories: string;
  /** The title of a list of contributors. */
  people: string;
  /** The link to the same as JSON. */
  asData: string;
  /** With `{names}` of counters. */
  missing: string;
  unknownValue: string;
  collectingDetail: string;
  /** With `{host}`, and the `{time}` since which it fails. */
  notResponding: string;
  /** With `{host}`, and the `{time}` at which its quota is renewed. */
  waitsForQuota: string;
  /** With the `{time}` at which a lookup beyond the visitor's allowance runs. */
  waitsForAllowance: string;
  /** The link that loads a page again. */
  refresh: string;
  /** With `{when}`, such as "in 30 seconds". */
  tryAgain: string;
  fork: string;
  /** With `{n}`. */
  stars: string;
  imprint: string;
  backHome: string;
  language: string;
  docs: string;
  gallery: string;
  themes: string;
  detail: DetailWords;
  owner: OwnerWords;
  composer: ComposerWords;
}
