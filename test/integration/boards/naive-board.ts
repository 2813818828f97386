import type { Moment } from '../../../src/recognition/boards/board.ts';
import {
  type Evaluation,
  heldSince,
  isAboutPerson,
  listItems,
  listMoments,
  parsed,
} from '../achievements/evaluation/naive.ts';
import type { TriggerText } from '../achievements/evaluation/random-achievements.ts';
import type { Item, World } from '../achievements/evaluation/world.ts';

/** Counts the points of a board contribution by contribution, slowly, as the reference of tests. */

export interface RuleText extends TriggerText {
  points: number;
  perDay: number | null;
  decay: number;
  at: Moment | null;
}

export interface BoardText {
  rules: RuleText[];
  spam: string[];
  /** The window of the points, in ms. It is compared with the window of the same length before it. */
  since: number;
  until: number;
}

export interface NaivePerson {
  points: number;
  byRule: Record<string, number>;
  newcomer: boolean;
  returning: boolean;
}

const never = Number.POSITIVE_INFINITY;
/** Berlin is one hour ahead of UTC in January, in which everything happens. */
const berlinMs = 3_600_000;
const dayMs = 86_400_000;

/** Returns the points of each person, by their place in the world. */
export function countNaively(board: BoardText, world: World): Map<number, NaivePerson> {
  const people = new Map<number, NaivePerson>();
  for (const [person, { type }] of world.people.entries()) {
    if (type !== 'user') continue;
    const byRule: Record<string, number> = {};
    const firsts: number[] = [];
    let total = 0;
    for (const [index, rule] of board.rules.entries()) {
      const { points, moments } = countRule(rule, person, board, world);
      if (points > 0) byRule[String(index + 1)] = round(points);
      total += points;
      firsts.push(...moments);
    }
    const before = listContributions(person, world).filter((at) => at < board.since);
    const wasBefore = before.some((at) => at >= board.since - (board.until - board.since));
    const isCounted = firsts.some((at) => at >= board.since);
    if (round(total) > 0) {
      people.set(person, {
        points: round(total),
        byRule,
        newcomer: isCounted && before.length === 0,
        returning: before.length > 0 && !wasBefore,
      });
    }
  }
  return people;
}

/** Returns the moments of what decides who is a newcomer. */
function listContributions(person: number, world: World): number[] {
  const actions = ['commit', 'issue', 'pull_request', 'review', 'discussion'] as const;
  return actions.flatMap((action) =>
    listItems({ actor: 'author', action, condition: '' }, person, { world, before: never }).map(
      ({ item }) => item.createdAt,
    ),
  );
}

/** Returns the points of a rule, and the moments of all contributions that it is about. */
function countRule(
  rule: RuleText,
  person: number,
  { since, until, spam }: BoardText,
  world: World,
): { points: number; moments: number[] } {
  const isCounted = (item: Item): boolean =>
    item.action === 'commit' || !listLabels(item).some((label) => isSpam(label, spam));
  const evaluation: Evaluation = { world, before: until, pointActions: [], at: rule.at ?? undefined, isCounted };
  // The author of a pull request is none of its reviewers.
  const own = listItems(rule, person, evaluation).filter(
    ({ item }) => rule.actor !== 'reviewers' || item.author !== person,
  );
  const conditions = rule.condition === '' ? [] : [parsed(rule.condition)];
  if (conditions.some(isAboutPerson)) {
    const isOther = (item: Item): boolean => isCounted(item) && (rule.actor !== 'reviewers' || item.author !== person);
    const isHeld = heldSince(rule, person, { ...evaluation, since, isCounted: isOther }) < never;
    const moments = listMoments([], { trigger: rule, person, own }, evaluation).filter((at) => at < until);
    return { points: isHeld ? rule.points : 0, moments };
  }
  const moments = listMoments(conditions, { trigger: rule, person, own }, evaluation).filter((at) => at < until);
  const days = Map.groupBy(
    moments.filter((at) => at >= since),
    (at) => Math.floor((at + berlinMs) / dayMs),
  );
  const points = [...days.values()].map((day) => {
    const values = day.map((_, index) => rule.points / (1 + rule.decay * index));
    return Math.min(rule.perDay ?? never, sum(values));
  });
  return { points: sum(points), moments };
}

function listLabels(item: Item): readonly string[] {
  return (item.action.endsWith('_comment') ? item.parentLabels : item.labels) ?? [];
}

function isSpam(label: string, spam: readonly string[]): boolean {
  return spam.some((spamLabel) => spamLabel.toLowerCase() === label.toLowerCase());
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Rounds to two decimals; sums of thirds are a little below or above the same sum in another order. */
function round(value: number): number {
  return Math.round((value + 1e-9) * 100) / 100;
}
