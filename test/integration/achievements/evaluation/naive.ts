import { parseCondition } from '../../../../src/recognition/rules/conditions/parser.ts';
import type { Comparison, Condition } from '../../../../src/recognition/rules/conditions/syntax.ts';
import {
  answered,
  closed,
  compare,
  type EvaluationView,
  merged,
  type OwnItem,
  satisfiedAt,
  toNumber,
} from './naive-items.ts';
import type { AchievementText, PointActionText, TriggerText } from './random-achievements.ts';
import { beginning, type Item } from './world.ts';

/** Evaluates achievements person by person and contribution by contribution, slowly, as the reference of tests. */

export interface Evaluation extends EvaluationView {
  pointActions: readonly PointActionText[];
}

interface Point {
  name: string;
  person: number;
  at: number;
  value: number;
}

const never = Number.POSITIVE_INFINITY;

/** Returns the time at which each person earned an achievement. */
export function evaluateNaively(
  achievement: AchievementText,
  world: EvaluationView['world'],
  pointActions: readonly PointActionText[],
): Map<number, number> {
  const before = achievement.day === null ? never : beginning + achievement.day * 86_400_000;
  const evaluation = { world, before, pointActions };
  const earned = new Map<number, number>();
  for (const [person, { type }] of world.people.entries()) {
    const moments = achievement.groups.map((group) =>
      Math.min(...group.map((trigger) => heldSince(trigger, person, evaluation))),
    );
    if (type === 'user' && Math.max(...moments) < never) earned.set(person, Math.max(...moments));
  }
  return earned;
}

export function heldSince(trigger: TriggerText, person: number, evaluation: Evaluation): number {
  return personSince(
    parsed(trigger.condition),
    [],
    { trigger, person, own: listItems(trigger, person, evaluation) },
    evaluation,
  );
}

interface NaiveQuery {
  trigger: TriggerText;
  person: number;
  own: OwnItem[];
}

function personSince(condition: Condition, filters: Condition[], context: NaiveQuery, evaluation: Evaluation): number {
  if (!isAboutPerson(condition)) return first(listMoments([...filters, condition], context, evaluation));
  if (condition.kind === 'or') {
    return Math.min(...condition.terms.map((term) => personSince(term, filters, context, evaluation)));
  }
  if (condition.kind === 'and') {
    const inside = [...filters, ...condition.terms.filter((term) => !isAboutPerson(term))];
    const persons = condition.terms.filter(isAboutPerson);
    return Math.max(...persons.map((term) => personSince(term, inside, context, evaluation)));
  }
  const filteredSince = filters.length === 0 ? 0 : first(listMoments(filters, context, evaluation));
  if (condition.kind === 'ranking') {
    const names = new Set(condition.actions.map(({ text }) => text));
    const points = listPoints(evaluation).filter(
      ({ name, person }) => names.has(name) && isRanked(person, filters, context, evaluation),
    );
    const order = Object.entries(Object.groupBy(points, ({ person }) => person))
      .map(([person, own = []]) => ({
        person: Number(person),
        total: total(own),
        at: Math.max(...own.map(({ at }) => at)),
      }))
      .toSorted((left, right) => right.total - left.total || left.at - right.at || left.person - right.person);
    const winner = order[condition.rank.value - 1];
    return winner?.person === context.person ? Math.max(winner.at, filteredSince) : never;
  }
  if (condition.kind !== 'comparison') throw new Error('not about a person');
  const { operand } = condition;
  if (operand.kind === 'count') {
    const counted = [...filters, ...(operand.condition === null ? [] : [operand.condition])];
    const moments = listMoments(counted, context, evaluation);
    // A count that equals a number means that it reached the number.
    const isReached = condition.operator === '=' && toNumber(condition.value) > 0;
    return grownSince(
      { ...condition, operator: isReached ? '>=' : condition.operator },
      moments.map((at) => ({ at, value: 1 })),
      first(listMoments([], context, evaluation)),
    );
  }
  const names =
    operand.kind === 'sum' ? operand.actions.map(({ text }) => text) : evaluation.pointActions.map(({ name }) => name);
  const points = listPoints(evaluation).filter(({ name, person }) => names.includes(name) && person === context.person);
  return Math.max(filteredSince, grownSince(condition, points, first(points.map(({ at }) => at))));
}

function isRanked(person: number, filters: Condition[], { trigger }: NaiveQuery, evaluation: Evaluation): boolean {
  if (evaluation.world.people[person]?.type !== 'user') return false;
  const context = { trigger, person, own: listItems(trigger, person, evaluation) };
  return filters.length === 0 || listMoments(filters, context, evaluation).length > 0;
}

/**
 * Returns the time since which a comparison with a number that only grows holds, or `never`: `since` where it holds for a
 * person of whom nothing is counted yet.
 */
function grownSince({ operator, value }: Comparison, steps: { at: number; value: number }[], since: number): number {
  const target = toNumber(value);
  if (!compare(total(steps), operator, target)) return never;
  if (operator === '<' || operator === '<=' || (operator === '!=' && total(steps) < target)) return since;
  const least = operator === '>' || operator === '!=' ? target + 1 : target;
  if (least <= 0) return since;
  const moments = steps.map(({ at }) => at).toSorted((left, right) => left - right);
  return moments.find((moment) => total(steps.filter(({ at }) => at <= moment)) >= least) ?? never;
}

function total(steps: { value: number }[]): number {
  return steps.reduce((sum, { value }) => sum + value, 0);
}

function listPoints(evaluation: Evaluation): Point[] {
  return evaluation.pointActions.flatMap(({ name, rules }) =>
    rules.flatMap((rule) =>
      evaluation.world.people.flatMap(({ type }, person): Point[] => {
        if (type !== 'user') return [];
        const { value } = rule;
        const condition = parsed(rule.condition);
        const own = listItems(rule, person, evaluation);
        if (!isAboutPerson(condition)) {
          return listMoments([condition], { trigger: rule, person, own }, evaluation).map((at) => ({
            name,
            person,
            at,
            value,
          }));
        }
        const at = heldSince(rule, person, evaluation);
        return at < never ? [{ name, person, at, value }] : [];
      }),
    ),
  );
}

export function listMoments(
  conditions: Condition[],
  { trigger, person, own }: NaiveQuery,
  evaluation: Evaluation,
): number[] {
  if (trigger.action === 'point') {
    const points = listPoints(evaluation).filter((point) => point.person === person);
    const isIncluded = conditions.every(
      (condition) => satisfiedAt(condition, pointSubject(person), evaluation) < never,
    );
    return isIncluded ? points.map(({ at }) => at) : [];
  }
  return own
    .map((contribution) => {
      const at = Math.max(
        contribution.doneAt,
        ...conditions.map((condition) => satisfiedAt(condition, contribution, evaluation)),
      );
      return at < never ? toMoment(contribution, at, evaluation) : never;
    })
    .filter((at) => at < never && at >= (evaluation.since ?? 0));
}

function toMoment({ item }: OwnItem, satisfied: number, evaluation: Evaluation): number {
  if (evaluation.at === undefined) return satisfied;
  const moments = { created: item.createdAt, merged: merged(item, evaluation), closed: closed(item, evaluation) };
  return moments[evaluation.at] ?? never;
}

/** Returns a contribution for conditions on points, which depend on the person alone. */
function pointSubject(person: number): OwnItem {
  return { person, doneAt: 0, item: { action: 'star' } as Item };
}

export function listItems({ actor, action }: TriggerText, person: number, view: EvaluationView): OwnItem[] {
  return view.world.items
    .filter((item) => item.action === action && item.createdAt < view.before)
    .filter((item) => view.isCounted?.(item) ?? true)
    .flatMap((item): OwnItem[] => {
      const closedAt = closed(item, view);
      const own = { item, person, doneAt: item.createdAt };
      if (actor === 'assignees') return item.assignees.includes(person) ? [own] : [];
      if (actor === 'reviewers') return item.reviewers.includes(person) ? [own] : [];
      if (actor === 'author') {
        const isCoAuthor = action === 'commit' && item.others.includes(person);
        return item.author === person || isCoAuthor ? [own] : [];
      }
      if (action === 'discussion') {
        const isTheirs = item.answeredBy === person && answered(item, view);
        return isTheirs ? [{ item, person, doneAt: item.answeredAt ?? item.createdAt }] : [];
      }
      return item.resolvedBy === person && closedAt !== null ? [{ item, person, doneAt: closedAt }] : [];
    });
}

export function isAboutPerson(condition: Condition): boolean {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.terms.some(isAboutPerson);
  if (condition.kind !== 'comparison') return condition.kind === 'ranking';
  const { operand } = condition;
  return (
    operand.kind === 'count' || operand.kind === 'sum' || (operand.kind === 'field' && operand.name.text === 'points')
  );
}

export function parsed(text: string): Condition {
  const { condition, fault } = parseCondition(text);
  if (condition === undefined) throw new Error(`${text}: ${fault.message}`);
  return condition;
}

function first(moments: number[]): number {
  return Math.min(...moments);
}
