import { nearest } from '../../../model/text.ts';
import { checkFieldComparison, checkList } from './check-comparison.ts';
import { alternatives, type Fault, newFault, type Span } from './fault.ts';
import { parseCondition } from './parser.ts';
import type {
  AgeOperand,
  Comparison,
  ComparisonOperator,
  Condition,
  CountOperand,
  Junction,
  Membership,
  Name,
  Ranking,
  Text,
} from './syntax.ts';
import type { Checked, CheckedJunction, DateTerm, ItemTerm } from './terms.ts';
import {
  type Action,
  type AgeUnit,
  actions,
  ageUnits,
  agingActions,
  type Field,
  fieldsByAction,
  hasField,
} from './vocabulary.ts';

/** The numbers that a field can still have; both ends are included. */
interface Range {
  from: number;
  to: number;
}

const dayMs = 86_400_000;

/** The range that satisfies a comparison, when the whole numbers from `first` to `last` count as equal to its value. */
const compared: Readonly<Record<ComparisonOperator, (first: number, last: number) => Range | undefined>> = {
  '=': (first, last) => ({ from: first, to: last }),
  '!=': () => undefined,
  '>': (_first, last) => ({ from: last + 1, to: Number.POSITIVE_INFINITY }),
  '>=': (first) => ({ from: first, to: Number.POSITIVE_INFINITY }),
  '<': (first) => ({ from: Number.NEGATIVE_INFINITY, to: first - 1 }),
  '<=': (_first, last) => ({ from: Number.NEGATIVE_INFINITY, to: last }),
};

/** The context of a condition. */
export interface Surroundings {
  action: Action;
  /** Names of the point actions of the file. */
  pointActions: readonly string[];
  /** True when the condition decides how points are earned, and so cannot use points itself. */
  isPointAction: boolean;
}

export interface CheckedCondition {
  /** Undefined when any fault is an error. */
  condition: Checked | undefined;
  faults: Fault[];
}

/** Parses and checks a condition. Reports every fault of its meaning, but only the first fault of its grammar. */
export function checkCondition(text: string, surroundings: Surroundings): CheckedCondition {
  if (text.trim() === '') {
    const fault = newFault({ start: 0, end: text.length }, 'the condition is empty', {
      expected: 'a condition, as in count() >= 1',
    });
    return { condition: undefined, faults: [fault] };
  }
  const parsed = parseCondition(text);
  if (parsed.condition === undefined) return { condition: undefined, faults: [parsed.fault] };
  const checker = new Checker(surroundings);
  const condition = checker.check(parsed.condition, { isCounted: false });
  const { faults } = checker;
  if (condition !== undefined) faults.push(...findContradictions(condition));
  faults.sort((one, other) => one.start - other.start);
  const isFaulty = faults.some(({ severity }) => severity === 'error');
  return { condition: isFaulty ? undefined : condition, faults };
}

class Checker {
  readonly faults: Fault[] = [];
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** @param place.isCounted true inside the parentheses of count(). */
  check(condition: Condition, place: { isCounted: boolean }): Checked | undefined {
    if (condition.kind === 'comparison') return this.#checkComparison(condition, place);
    if (condition.kind === 'membership') return this.#checkMembership(condition);
    if (condition.kind === 'ranking') return this.#checkRanking(condition, place);
    return this.#checkJunction(condition, place);
  }

  #checkRanking(ranking: Ranking, place: { isCounted: boolean }): Checked | undefined {
    const actions = this.#checkActions(ranking, ranking.actions, place);
    const rank = ranking.rank.value;
    if (rank < 1) this.#fail(ranking.rank, `there is no rank ${rank}`, { expected: 'a rank from 1' });
    return actions && { kind: 'rank', rank, actions, ...toSpan(ranking) };
  }

  #checkJunction({ kind, terms, ...span }: Junction, place: { isCounted: boolean }): CheckedJunction | undefined {
    const checked = terms.map((term) => this.check(term, place));
    const validTerms = checked.filter((term) => term !== undefined);
    return validTerms.length === checked.length ? { kind, terms: validTerms, ...toSpan(span) } : undefined;
  }

  #checkComparison(comparison: Comparison, place: { isCounted: boolean }): Checked | undefined {
    const { operand, operator, value } = comparison;
    const span = toSpan(comparison);
    if (operand.kind === 'field') return this.#checkField(comparison, operand.name, place);
    if (operand.kind === 'age') return this.#checkAge(comparison, operand);
    if (value.kind !== 'integer') {
      this.#fail(value, `${operand.kind}() is compared with a number`, { expected: 'a whole number' });
      return undefined;
    }
    if (operand.kind === 'count') return this.#checkCount({ ...comparison, value }, operand, place);
    const names = this.#checkActions(operand, operand.actions, place);
    return names && { kind: 'sum', actions: names, operator, value: value.value, ...span };
  }

  #checkField(comparison: Comparison, name: Name, place: { isCounted: boolean }): Checked | undefined {
    const field = this.#findField(name);
    if (field === undefined) return undefined;
    if (field === 'points') return this.#checkPoints(comparison, name, place);
    const checked = checkFieldComparison(comparison, field);
    this.faults.push(...checked.faults);
    return checked.term;
  }

  #checkPoints(comparison: Comparison, name: Name, place: { isCounted: boolean }): Checked | undefined {
    const actions = this.#checkActions(name, undefined, place);
    const { operator, value } = comparison;
    if (value.kind === 'integer') {
      return actions && { kind: 'sum', actions, operator, value: value.value, ...toSpan(comparison) };
    }
    this.#fail(value, 'points are compared with a number', { expected: 'a whole number' });
    return undefined;
  }

  #checkMembership(membership: Membership): Checked | undefined {
    const { text } = membership.field;
    if (/^(?:reactions?|emoji)$/i.test(text) && hasField(this.#surroundings.action, 'emojis')) {
      this.#fail(membership.field, `${text} is not a list; the names of reactions are in emojis`, {
        expected: "emojis in ['HEART']",
        suggestion: 'emojis',
      });
      return undefined;
    }
    const field = this.#findField(membership.field);
    if (field === undefined) return undefined;
    const checked = checkList(membership, field);
    this.faults.push(...checked.faults);
    return checked.term;
  }

  #checkAge(comparison: Comparison, { unit, ...span }: AgeOperand): Checked | undefined {
    const { action } = this.#surroundings;
    const { operator, value } = comparison;
    const name = unit.text.toLowerCase();
    if (!agingActions.includes(action)) {
      this.#fail(span, `a ${action} has no end, and so no age`, {
        expected: `age() of ${alternatives(agingActions)}`,
      });
      return undefined;
    }
    if (!isAgeUnit(name)) {
      const names = Object.keys(ageUnits);
      const suggestion = nearest(name, names);
      this.#fail(unit, `${unit.text} is not a unit of time`, { expected: alternatives(names), suggestion });
      return undefined;
    }
    if (value.kind !== 'integer') {
      this.#fail(value, 'age() is compared with a number', { expected: `a whole number of ${name}` });
      return undefined;
    }
    return { kind: 'age', unit: name, operator, value: value.value, ...toSpan(comparison) };
  }

  #checkCount(
    comparison: Comparison & { value: { value: number } },
    operand: CountOperand,
    place: { isCounted: boolean },
  ): Checked | undefined {
    const { operator, value } = comparison;
    if (place.isCounted) {
      this.#fail(operand, 'count() stands inside count()', { expected: 'fields inside count()' });
      return undefined;
    }
    if (this.#surroundings.action === 'point') {
      this.#fail(operand, 'points are not counted', { expected: 'points, or sum() of point actions' });
      return undefined;
    }
    if (holdsForZero[operator](value.value)) {
      this.faults.push(
        newFault(comparison, 'this also holds for people of whom nothing is counted', {
          severity: 'warning',
          expected: 'a comparison like count() >= 1',
        }),
      );
    }
    const isReached = operator === '=' && value.value > 0;
    if (isReached) this.#warnOfEqualCount(comparison, value.value);
    const condition = operand.condition && this.check(operand.condition, { isCounted: true });
    if (condition === undefined) return undefined;
    // A count only grows: people who pass a number before they are evaluated would never have it.
    const term = { condition, operator: isReached ? '>=' : operator, value: value.value } as const;
    return { kind: 'count', ...term, ...toSpan(comparison) };
  }

  #warnOfEqualCount(comparison: Comparison, value: number): void {
    this.faults.push(
      newFault(comparison, `this holds from the ${ordinal(value)} on, and >= says so`, {
        severity: 'warning',
        expected: 'count() >= before the number',
      }),
    );
  }

  /** @param names undefined for all point actions of the file. */
  #checkActions(
    span: Span,
    names: readonly Text[] | undefined,
    { isCounted }: { isCounted: boolean },
  ): string[] | undefined {
    const { pointActions, isPointAction } = this.#surroundings;
    if (isPointAction || isCounted) {
      const where = isPointAction ? 'the condition of a point action' : 'count()';
      this.#fail(span, `points are required in ${where}`, { expected: 'fields of the contribution' });
      return undefined;
    }
    if (pointActions.length === 0) {
      this.#fail(names?.[0] ?? span, 'the file defines no point action', {
        expected: 'a list of actions at the top of the file',
      });
      return undefined;
    }
    const unknown = (names ?? []).filter(({ text }) => !pointActions.includes(text));
    for (const name of unknown) {
      const suggestion = nearest(name.text, pointActions);
      this.#fail(name, `${name.text} is not a point action of the file`, {
        expected: alternatives(pointActions),
        suggestion,
      });
    }
    return unknown.length > 0 ? undefined : [...new Set(names?.map(({ text }) => text) ?? pointActions)];
  }

  #findField(name: Name): Field | undefined {
    const { action } = this.#surroundings;
    const lower = name.text.toLowerCase();
    if (hasField(action, lower)) return lower;
    const others = actions.filter((action) => hasField(action, lower));
    const elsewhere = others.length > 0 ? `, only of ${alternatives(others)}` : '';
    this.#fail(name, `${name.text} is not a field of ${action}${elsewhere}`, {
      expected: alternatives(fieldsByAction[action]),
      suggestion: others.length > 0 ? undefined : nearest(name.text, fieldsByAction[action]),
    });
    return undefined;
  }

  #fail(span: Span, message: string, details: { expected?: string; suggestion?: string | undefined }): void {
    this.faults.push(newFault(span, message, details));
  }
}

const holdsForZero: Readonly<Record<ComparisonOperator, (value: number) => boolean>> = {
  '=': (value) => value === 0,
  '!=': (value) => value !== 0,
  '>': () => false,
  '>=': (value) => value === 0,
  '<': (value) => value > 0,
  '<=': () => true,
};

function ordinal(value: number): string {
  const endings: Partial<Record<Intl.LDMLPluralRule, string>> = { one: 'st', two: 'nd', few: 'rd' };
  return `${value}${endings[new Intl.PluralRules('en', { type: 'ordinal' }).select(value)] ?? 'th'}`;
}

function isAgeUnit(name: string): name is AgeUnit {
  return Object.hasOwn(ageUnits, name);
}

function toSpan({ start, end }: Span): Span {
  return { start, end };
}

/** Finds terms joined by "&" that no contribution can satisfy together. */
function findContradictions(condition: Checked): Fault[] {
  if (condition.kind === 'count') return condition.condition === null ? [] : findContradictions(condition.condition);
  if (condition.kind !== 'and' && condition.kind !== 'or') return [];
  const inside = condition.terms.flatMap(findContradictions);
  return condition.kind === 'or' ? inside : [...findContradictionsIn(condition), ...inside];
}

function findContradictionsIn({ terms }: CheckedJunction): Fault[] {
  const faults: Fault[] = [];
  const ranges = new Map<string, Range>();
  for (const term of terms) {
    const constraint = toRange(term);
    if (constraint === undefined) continue;
    const before = ranges.get(constraint.subject);
    if (before !== undefined && before.from > before.to) continue;
    const range = {
      from: Math.max(before?.from ?? 0, constraint.range.from),
      to: Math.min(before?.to ?? Number.POSITIVE_INFINITY, constraint.range.to),
    };
    ranges.set(constraint.subject, range);
    if (range.from > range.to) {
      const message =
        before === undefined ? 'this never holds' : 'this never holds together with what stands before it';
      faults.push(newFault(term, message, { severity: 'warning' }));
    }
  }
  return faults;
}

function toRange(term: Checked): { subject: string; range: Range } | undefined {
  if (term.kind === 'flag') {
    return { subject: term.field, range: { from: Number(term.value), to: Number(term.value) } };
  }
  if (term.kind === 'number' || term.kind === 'age') {
    return withSubject(toSubject(term), compared[term.operator](term.value, term.value));
  }
  return term.kind === 'date' ? withSubject(term.field, rangeOfDates(term)) : undefined;
}

function toSubject(term: Extract<ItemTerm, { kind: 'number' | 'age' }>): string {
  return term.kind === 'number' ? term.field : `age(${term.unit})`;
}

function rangeOfDates({ operator, value }: DateTerm): Range | undefined {
  const from = value.from.getTime();
  return compared[operator](from, value.isWholeDay ? from + dayMs - 1 : from);
}

function withSubject(subject: string, range: Range | undefined): { subject: string; range: Range } | undefined {
  return range && { subject, range };
}
