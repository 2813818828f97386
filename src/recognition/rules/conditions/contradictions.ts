import type { Checked, CheckedJunction, DateTerm, ItemTerm } from './checked.ts';
import { type Fault, newFault } from './fault.ts';
import type { ComparisonOperator } from './syntax.ts';

/** The numbers that a field can still have; both ends are included. */
interface Range {
  from: number;
  to: number;
}

const dayMs = 86_400_000;

/** Finds terms joined by "&" that no contribution can satisfy together. */
export function findContradictions(condition: Checked): Fault[] {
  if (condition.kind === 'count') return condition.condition === null ? [] : findContradictions(condition.condition);
  if (condition.kind !== 'and' && condition.kind !== 'or') return [];
  const inside = condition.terms.flatMap(findContradictions);
  return condition.kind === 'or' ? inside : [...contradictionsOf(condition), ...inside];
}

function contradictionsOf({ terms }: CheckedJunction): Fault[] {
  const faults: Fault[] = [];
  const ranges = new Map<string, Range>();
  for (const term of terms) {
    const constraint = rangeOf(term);
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

function rangeOf(term: Checked): { subject: string; range: Range } | undefined {
  if (term.kind === 'flag') {
    return { subject: term.field, range: { from: Number(term.value), to: Number(term.value) } };
  }
  if (term.kind === 'number' || term.kind === 'age') {
    return withSubject(subjectOf(term), compared[term.operator](term.value, term.value));
  }
  return term.kind === 'date' ? withSubject(term.field, rangeOfDates(term)) : undefined;
}

function subjectOf(term: Extract<ItemTerm, { kind: 'number' | 'age' }>): string {
  return term.kind === 'number' ? term.field : `age(${term.unit})`;
}

function rangeOfDates({ operator, value }: DateTerm): Range | undefined {
  const from = value.from.getTime();
  return compared[operator](from, value.isWholeDay ? from + dayMs - 1 : from);
}

/** The range that satisfies a comparison, when the whole numbers from `first` to `last` count as equal to its value. */
const compared: Readonly<Record<ComparisonOperator, (first: number, last: number) => Range | undefined>> = {
  '=': (first, last) => ({ from: first, to: last }),
  '!=': () => undefined,
  '>': (_first, last) => ({ from: last + 1, to: Number.POSITIVE_INFINITY }),
  '>=': (first) => ({ from: first, to: Number.POSITIVE_INFINITY }),
  '<': (first) => ({ from: Number.NEGATIVE_INFINITY, to: first - 1 }),
  '<=': (_first, last) => ({ from: Number.NEGATIVE_INFINITY, to: last }),
};

function withSubject(subject: string, range: Range | undefined): { subject: string; range: Range } | undefined {
  return range && { subject, range };
}
