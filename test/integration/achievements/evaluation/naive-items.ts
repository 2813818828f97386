import type { Condition, Value } from '../../../../src/recognition/rules/conditions/syntax.ts';
import { beginning, type Item, type World } from './world.ts';

/** Evaluates conditions on one contribution as the description of the language says, as the reference of tests. */

/** A contribution that counts for one person. */
export interface OwnItem {
  item: Item;
  person: number;
  /** The time from which it counts for the person. */
  doneAt: number;
}

export interface EvaluationView {
  world: World;
  /** The time of the evaluation: nothing from then on has happened yet. */
  before: number;
  /** Boards alone: only contributions from this time on are counted. */
  since?: number;
  /** Boards alone: the moment that counts, in place of that since when the condition holds. */
  at?: 'created' | 'merged' | 'closed' | undefined;
  /** Boards alone: returns whether a contribution can count. */
  isCounted?: (item: Item) => boolean;
}

const never = Number.POSITIVE_INFINITY;

/** Returns the time from which a condition holds, or `never`. */
export function satisfiedAt(condition: Condition, own: OwnItem, view: EvaluationView): number {
  if (condition.kind === 'and') return Math.max(...condition.terms.map((term) => satisfiedAt(term, own, view)));
  if (condition.kind === 'or') return Math.min(...condition.terms.map((term) => satisfiedAt(term, own, view)));
  if (condition.kind === 'membership') {
    const values = toList(condition.field.text, own, view);
    if (values === undefined) return never;
    const list = new Set(values.map((text) => fold(condition.field.text, text)));
    const candidates = condition.items.map(({ text }) => fold(condition.field.text, text));
    const isAny = candidates.some((text) => list.has(text));
    const isAll = candidates.every((text) => list.has(text));
    const holds = { any: isAny, none: !isAny, all: isAll, not_all: !isAll }[condition.form];
    return holds ? own.doneAt : never;
  }
  if (condition.kind !== 'comparison') throw new Error('not about one contribution');
  const { operand, operator, value } = condition;
  if (operand.kind === 'age') {
    const end = own.item.action === 'pull_request' ? merged(own.item, view) : closed(own.item, view);
    if (end === null) return never;
    const unitMs = { seconds: 1000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 }[operand.unit.text] ?? 0;
    const age = Math.floor((end - own.item.createdAt) / unitMs);
    return compare(age, operator, toNumber(value)) ? Math.max(own.doneAt, end) : never;
  }
  if (operand.kind !== 'field') throw new Error('not about one contribution');
  return fieldSatisfiedAt(operand.name.text, operator, value, own, view);
}

function fieldSatisfiedAt(field: string, operator: string, value: Value, own: OwnItem, view: EvaluationView): number {
  const { item, doneAt } = own;
  const [mergedAt, closedAt] = [merged(item, view), closed(item, view)];
  const flags: Record<string, [boolean, number | null]> = {
    merged: [mergedAt !== null, mergedAt],
    closed: [closedAt !== null, closedAt],
    answered: [answered(item, view), item.answeredAt],
    starred: [true, null],
    first: toFirst(item, view),
    // The world is all that its owner has.
    first_in_organization: toFirst(item, view),
  };
  const flag = flags[field];
  if (flag !== undefined) {
    const isWanted = value.kind === 'flag' && (value.value === flag[0]) === (operator === '=');
    return isWanted ? Math.max(doneAt, flag[0] ? (flag[1] ?? 0) : 0) : never;
  }
  const dates: Record<string, number | null> = { created_at: item.createdAt, merged_at: mergedAt, closed_at: closedAt };
  const date = dates[field];
  if (date !== undefined) return date !== null && dateHolds(date, operator, value) ? Math.max(doneAt, date) : never;
  if (field === 'reason') {
    const isStillToCome = item.closedAt !== null && closedAt === null;
    if (item.reason === null || isStillToCome || value.kind !== 'text') return never;
    return (item.reason === value.text) === (operator === '=') ? Math.max(doneAt, closedAt ?? 0) : never;
  }
  if (field === 'state') {
    if (item.state === null || value.kind !== 'text') return never;
    return (item.state === value.text) === (operator === '=') ? doneAt : never;
  }
  const number = listNumbers(item)[field] ?? null;
  return number !== null && compare(number, operator, toNumber(value)) ? doneAt : never;
}

/** Returns whether an item is the first issue, merged pull request or review of its author, and since when. */
function toFirst(item: Item, view: EvaluationView): [boolean, number | null] {
  const toMoment = (candidate: Item): number =>
    item.action === 'pull_request' ? (merged(candidate, view) ?? never) : candidate.createdAt;
  const moment = toMoment(item);
  const others = view.world.items.filter(({ action, author }) => action === item.action && author === item.author);
  const isFirst = item.author !== null && moment < never && others.every((sibling) => toMoment(sibling) >= moment);
  return [isFirst, item.action === 'pull_request' ? moment : null];
}

function listNumbers(item: Item): Record<string, number | null> {
  const { comments, upvotes, additions, deletions, changedFiles, commits, reactions } = item;
  return {
    comments,
    upvotes,
    additions,
    deletions,
    changed_files: changedFiles,
    commits,
    reactions: reactions?.length ?? null,
  };
}

function toList(field: string, { item, person }: OwnItem, { world }: EvaluationView): string[] | undefined {
  const toName = (index: number): string => world.people[index]?.name ?? '';
  if (field === 'actor') return [toName(person)];
  if (field === 'files') return item.files ?? undefined;
  if (field === 'emojis') return item.reactions?.map(({ emoji }) => emoji);
  if (field === 'reactors') {
    return item.reactions?.map(({ reactor }) => (reactor === null ? '' : toName(reactor)));
  }
  return (item.action.endsWith('_comment') ? item.parentLabels : item.labels) ?? undefined;
}

function fold(field: string, text: string): string {
  return field === 'files' ? text : text.toLowerCase();
}

export function merged({ mergedAt }: Item, { before }: EvaluationView): number | null {
  return mergedAt !== null && mergedAt < before ? mergedAt : null;
}

export function answered({ answeredBy, answeredAt }: Item, { before }: EvaluationView): boolean {
  return answeredBy !== null && (answeredAt === null || answeredAt < before);
}

export function closed({ closedAt }: Item, { before }: EvaluationView): number | null {
  return closedAt !== null && closedAt < before ? closedAt : null;
}

function dateHolds(date: number, operator: string, value: Value): boolean {
  if (value.kind !== 'date' && value.kind !== 'text') return false;
  const day = Number(/^2024-01-(\d\d)|^01-(\d\d)-2024/.exec(value.text)?.slice(1).join(''));
  const [, hour = '0', minute = '0'] = / (\d\d):(\d\d)/.exec(value.text) ?? [];
  const start = beginning + (day - 1) * 86_400_000 + Number(hour) * 3_600_000 + Number(minute) * 60_000;
  const isWholeDay = !value.text.includes(' ');
  // A whole day is one value, so that what lies inside it is equal to it.
  const rounded = isWholeDay ? date - (date % 86_400_000) : date;
  return compare(rounded, operator, start);
}

export function compare(left: number, operator: string, right: number): boolean {
  const results: Record<string, boolean> = {
    '=': left === right,
    '!=': left !== right,
    '>': left > right,
    '>=': left >= right,
    '<': left < right,
    '<=': left <= right,
  };
  return results[operator] ?? false;
}

export function toNumber(value: Value): number {
  return value.kind === 'integer' ? value.value : Number.NaN;
}
