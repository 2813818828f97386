/** A phrase about a number, in the forms that the language has for numbers (CLDR plural rules). `{n}` is the number. */
export type Plural = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Everything that a picture says, in one language. */
export interface Words {
  commits: string;
  pull_requests: string;
  pull_requests_merged: string;
  reviews: string;
  issues: string;
  issues_closed: string;
  discussions: string;
  discussions_answered: string;
  contributed_to: string;
  stars: string;
  /** `{n}` is the level. */
  level: string;
  /** `{n}` is what is left to level `{level}`. */
  toNext: string;
  publicOnly: string;
  publicAndPrivate: string;
  /** What days are counted over. */
  inCollected: string;
  /** `{date}` is when the provider was last asked. */
  asOf: string;
  stillCounting: string;
  contributorsTitle: string;
  contributions: Plural;
  contributors: Plural;
  contributionsInYear: Plural;
  /** `{n}` is how many are not shown. */
  more: string;
  nobodyYet: string;
  nothingYet: string;
  /** The two ends of a scale. */
  fewer: string;
  most: string;
  achievementsTitle: string;
  community: string;
  collecting: string;
  collectingDetail: string;
  notFound: string;
  invalid: string;
  refused: string;
  tooMany: string;
  unavailable: string;
}
