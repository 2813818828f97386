import { type CounterName, definitions } from './kinds.ts';

/** The rule of commits that name a person as co-author. */
export const coAuthored = 'commit.co-author';

/** A rule by which something counts. */
export interface Rule {
  id: string;
  /** The counter, or the part of a contributor's number. */
  counter: string;
  means: string;
  /** A sentence about what surprises readers of the number. */
  surprise?: string | undefined;
  /** The release since which it applies as it is; see CHANGELOG.md. */
  since: string;
}

const firstRelease = '0.1';

/** All rules in the order of the API, with that of co-authors behind that of authors. */
export const rules: readonly Rule[] = definitions.flatMap(
  ([counter, { rule, means, surprise, since = firstRelease }]) => [
    { id: rule, counter, means, surprise, since },
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
  ],
);

/** The release that follows the present one. */
const nextRelease = '0.4';

/** Numbers of the host, which alone lists their items. */
const reported: readonly (readonly [counter: string, means: string])[] = [
  ['followers', 'Accounts that follow the account, as the host counts them.'],
  ['following', 'Accounts that the account follows, as the host counts them.'],
  ['forks', 'Forks of the repository, as the host counts them.'],
  ['open_issues', 'Open issues of the repository, as the host counts them.'],
  ['size', 'Size of the repository in KiB, as the host states it.'],
];

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
    id: 'contributors.listed',
    counter: 'contributors',
    means: 'People with a contribution, whom the list of contributors names; bots among them with `bots=true`.',
    since: firstRelease,
  },
  {
    id: 'day.contributions',
    counter: 'days',
    means:
      'Calendars and streaks count what GitHub counts for its users, and otherwise the commits, issues, pull requests, reviews and discussions of the day in the time zone of the request, for an organization those of all people.',
    since: '0.3',
  },
  {
    id: 'day.streak',
    counter: 'streak',
    means:
      'Days in a row with contributions, as calendars count them. The present day may still be without one; a streak of a past window ends with its last day.',
    since: '0.3',
  },
  {
    id: 'language.changed-files',
    counter: 'languages',
    means:
      'Files that the commits of the account change, by their extensions and names; merges count nothing. Each language lists its commits.',
    since: nextRelease,
  },
  {
    id: 'board.points',
    counter: 'points',
    means:
      'The sum of the points that the rules of the board give, whose items the evidence of the person lists, and of grants.',
    surprise:
      'Rules leave out reviews and comments on own items, and take several reviews of an item on one day for one, unless the board says `own: true` or `each: true`; counters of accounts do neither.',
    since: nextRelease,
  },
  {
    id: 'board.rank',
    counter: 'rank',
    means:
      'One more than the number of people with more points; with `ties: earliest` also of those who got there first.',
    since: nextRelease,
  },
  {
    id: 'board.tie',
    counter: 'tie',
    means:
      'Equal points on a board: people share a rank, and the next rank is free for each of them; with `ties: earliest` the person who reached the points first is ahead.',
    since: nextRelease,
  },
  {
    id: 'board.eligible',
    counter: 'eligible',
    means:
      'Reaches the threshold of the board with all points, grants included. Without a threshold no person is marked.',
    since: nextRelease,
  },
  {
    id: 'board.change',
    counter: 'change',
    means: 'Ranks gained since the last day with a ranking; in a frozen season, since the season before it.',
    since: nextRelease,
  },
  {
    id: 'board.newcomer',
    counter: 'newcomer',
    means:
      'Counted on the board, without a commit, issue, pull request, review or discussion in its repositories before the window; with `newcomer_of: rule` without anything before it that a rule counts.',
    since: nextRelease,
  },
  {
    id: 'board.returning',
    counter: 'returning',
    means: 'Contributed as newcomers did not, but not in the window of the same length before this one.',
    since: nextRelease,
  },
  {
    id: 'achievements.progress',
    counter: 'progress',
    means:
      'The contributions of the account that the condition of an achievement counts, and the number from which it is earned.',
    since: nextRelease,
  },
  ...reported.map(([counter, means]) => ({ id: `reported.${counter}`, counter, means, since: firstRelease })),
  {
    id: 'achievements.awarded',
    counter: 'achievements',
    means: 'Awards that stand; endpoint 4 lists each with the time since when it is earned.',
    since: '0.3',
  },
  {
    id: 'achievements.holders',
    counter: 'holders',
    means: 'People whom everyone may see and who hold the achievement at present.',
    since: nextRelease,
  },
];

/** Returns the sentences that define a counter: of a person, or of the items of all people in repositories. */
export function listMeanings(counter: CounterName, { isOfAll }: { isOfAll: boolean }): readonly [string, ...string[]] {
  const [first = '', ...others] = rules.filter((rule) => rule.counter === counter).map(({ means }) => means);
  const meansOfAll = isOfAll ? findDefinition(counter)?.meansOfAll : undefined;
  return meansOfAll === undefined ? [first, ...others] : [meansOfAll];
}

/** Returns the sentence that defines a number which follows from others, or from data of another kind. */
export function numberDefinition(counter: string): string {
  const rule = derivedRules.find((rule) => rule.counter === counter);
  if (rule === undefined) throw new Error(`no rule defines ${counter}`);
  return rule.means;
}

/** Returns the id of the rule of a counter, or of languages. */
export function findRuleId(counter: string): string {
  return findDefinition(counter)?.rule ?? derivedRules.find((rule) => rule.counter === counter)?.id ?? '';
}

function findDefinition(counter: string): (typeof definitions)[number][1] | undefined {
  return definitions.find(([name]) => name === counter)?.[1];
}
