import type { DateValue } from './dates.ts';
import type { Span } from './fault.ts';
import type { ComparisonOperator, SetForm } from './syntax.ts';
import type { AgeUnit, FieldOf, Reason } from './vocabulary.ts';

/** A condition of which every name is known and every comparison fits its type. */
export type Checked = CheckedJunction | ItemTerm | PersonTerm;

export interface CheckedJunction extends Span {
  kind: 'and' | 'or';
  terms: Checked[];
}

/** What one contribution satisfies or does not. */
export type ItemTerm = FlagTerm | NumberTerm | DateTerm | ReasonTerm | ListTerm | AgeTerm;

/** What only all contributions of a person together satisfy. */
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

export interface ListTerm extends Span {
  kind: 'list';
  field: FieldOf<'labels' | 'emojis' | 'logins' | 'paths'>;
  form: SetForm;
  /** As written, distinct; emojis in GitHub's spelling. */
  values: string[];
}

/** Whole units between the beginning and the end of a contribution. */
export interface AgeTerm extends Span {
  kind: 'age';
  unit: AgeUnit;
  operator: ComparisonOperator;
  value: number;
}

export interface CountTerm extends Span {
  kind: 'count';
  /** Made of item terms alone; null: everything that the terms beside it let through. */
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

/** Whether a condition asks about all contributions of a person together somewhere. */
export function asksAboutPerson(condition: Checked): boolean {
  const { kind } = condition;
  if (kind === 'and' || kind === 'or') return condition.terms.some(asksAboutPerson);
  return kind === 'count' || kind === 'sum' || kind === 'rank';
}
