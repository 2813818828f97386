import { type CounterName, definitions } from './kinds.ts';

/** The rule of commits that name a person as co-author. */
export const coAuthored = 'commit.co-author';

/** A rule by which something counts. */
export interface Rule {
  id: string;
  /** The counter, or the part of a contributor's number. */
  counter: string;
  means: string;
  /** The release since which it applies as it is; see CHANGELOG.md. */
  since: string;
}

const firstRelease = '0.1';

/** All rules in the order of the API, with that of co-authors behind that of authors. */
export const rules: readonly Rule[] = definitions.flatMap(([counter, { rule, means, since = firstRelease }]) => [
  { id: rule, counter, means, since },
  ...(counter === 'commits'
    ? [
        {
          id: coAuthored,
          counter,
          means: 'The same commits, by each person whom a Co-authored-by trailer names.',
          since,
        },
      ]
    : []),
]);

/** The numbers that follow from those with items: their lists are those of the numbers that they are made of. */
export const derivedRules: readonly Rule[] = [
  {
    id: 'contributions.sum',
    counter: 'contributions',
    means: 'Of a contributor: commits, issues, pull requests, reviews and discussions, whose items its evidence lists.',
    since: firstRelease,
  },
  {
    id: 'experience.sum',
    counter: 'experience',
    means: 'The sum of the ten counters of the lifetime, each of which lists its items.',
    since: firstRelease,
  },
  {
    id: 'level.experience',
    counter: 'level',
    means: '0 without experience, 1 from the first contribution on; level n + 1 begins with an experience of 100·n².',
    since: firstRelease,
  },
  {
    id: 'achievements.awarded',
    counter: 'achievements',
    means: 'Awards that stand; endpoint 4 lists each with the time since when it is earned.',
    since: '0.3',
  },
];

/** Returns the sentences that define a counter: of a person, or of the items of all people in repositories. */
export function definitionsOf(counter: CounterName, { isOfAll }: { isOfAll: boolean }): readonly [string, ...string[]] {
  const [first = '', ...others] = rules.filter((rule) => rule.counter === counter).map(({ means }) => means);
  const meansOfAll = isOfAll ? definitionOf(counter)?.meansOfAll : undefined;
  return meansOfAll === undefined ? [first, ...others] : [meansOfAll];
}

/** Returns the id of the rule of a counter. */
export function ruleOf(counter: string): string {
  return definitionOf(counter)?.rule ?? '';
}

function definitionOf(counter: string): (typeof definitions)[number][1] | undefined {
  return definitions.find(([name]) => name === counter)?.[1];
}
