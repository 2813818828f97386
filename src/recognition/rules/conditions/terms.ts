import type { DateValue } from './dates.ts';
import type { Span } from './fault.ts';
import type { ComparisonOperator, SetForm } from './syntax.ts';
import type { AgeUnit, FieldOf, Reason, State } from './vocabulary.ts';

/** A condition whose names are all known, and whose comparisons all fit the types of their fields. */
export type Checked = CheckedJunction | ItemTerm | PersonTerm;

export interface CheckedJunction extends Span {
  kind: 'and' | 'or';
  terms: Checked[];
}

/** A term that holds for single contributions. */
export type ItemTerm = FlagTerm | NumberTerm | DateTerm | ReasonTerm | StateTerm | ListTerm | AgeTerm;

/** A term that holds for all contributions of a person together. */
export type PersonTerm = CountTerm | SumTerm | RankTerm;

export interface FlagTerm extends Span {
  kind: 'flag';
  field: FieldOf<'flag'>;
  value: boolean;
}

export interface NumberTerm extends Span {
  kind: 'number';
  field: FieldOf<'number'>;
  operator: ComparisonOperator;
  value: number;
}

export interface DateTerm extends Span {
  kind: 'date';
  field: FieldOf<'date'>;
  operator: ComparisonOperator;
  value: DateValue;
}

export interface ReasonTerm extends Span {
  kind: 'reason';
  operator: '=' | '!=';
  value: Reason;
}

/** Compares the present state of a review. */
export interface StateTerm extends Span {
  kind: 'state';
  operator: '=' | '!=';
  value: State;
}

export interface ListTerm extends Span {
  kind: 'list';
  field: FieldOf<'labels' | 'emojis' | 'logins' | 'paths'>;
  form: SetForm;
  /** As written, distinct; emojis in GitHub's spelling. */
  values: string[];
}

/** Compares the number of whole units between the beginning and the end of a contribution. */
export interface AgeTerm extends Span {
  kind: 'age';
  unit: AgeUnit;
  operator: ComparisonOperator;
  value: number;
}

export interface CountTerm extends Span {
  kind: 'count';
  /** A condition of item terms only; null to count all contributions that satisfy the terms beside it. */
  condition: Checked | null;
  operator: ComparisonOperator;
  value: number;
}

export interface SumTerm extends Span {
  kind: 'sum';
  /** Distinct names of point actions. */
  actions: string[];
  operator: ComparisonOperator;
  value: number;
}

export interface RankTerm extends Span {
  kind: 'rank';
  rank: number;
  actions: string[];
}

/** Returns whether a condition contains a term about all contributions of a person together. */
export function concernsPerson(condition: Checked): boolean {
  const { kind } = condition;
  if (kind === 'and' || kind === 'or') return condition.terms.some(concernsPerson);
  return kind === 'count' || kind === 'sum' || kind === 'rank';
}
