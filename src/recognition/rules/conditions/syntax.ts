import type { Span } from './fault.ts';

/** A parsed condition: its names are not looked up yet, and its values are not compared with the types of fields. */
export type Condition = Junction | Comparison | Membership | Ranking;

/** At least two terms; a junction directly inside another one stands in parentheses. */
export interface Junction extends Span {
  kind: 'and' | 'or';
  terms: Condition[];
}

export interface Comparison extends Span {
  kind: 'comparison';
  operand: Operand;
  operator: ComparisonOperator;
  value: Value;
}

export interface Membership extends Span {
  kind: 'membership';
  field: Name;
  form: SetForm;
  items: Text[];
}

/** A condition that holds for the person at one rank of the order by a sum. */
export interface Ranking extends Span {
  kind: 'ranking';
  rank: Integer;
  actions: Text[];
}

export type Operand = FieldOperand | CountOperand | AgeOperand | SumOperand;

interface FieldOperand extends Span {
  kind: 'field';
  name: Name;
}

export interface CountOperand extends Span {
  kind: 'count';
  /** The condition on the counted contributions; null to count all that satisfy the terms beside it. */
  condition: Condition | null;
}

export interface AgeOperand extends Span {
  kind: 'age';
  unit: Name;
}

interface SumOperand extends Span {
  kind: 'sum';
  actions: Text[];
}

export type Value = Integer | Flag | DateText | Text;

export interface Integer extends Span {
  kind: 'integer';
  value: number;
}

interface Flag extends Span {
  kind: 'flag';
  value: boolean;
}

/** A date that stands without quotes, its parts separated by one space. */
interface DateText extends Span {
  kind: 'date';
  text: string;
}

/** A word, or a string in quotes. */
export interface Text extends Span {
  kind: 'text';
  text: string;
  isQuoted: boolean;
}

/** A field or a unit, in the letter case in which it was written. */
export interface Name extends Span {
  text: string;
}

export const comparisonOperators = ['=', '!=', '>', '>=', '<', '<='] as const;
export type ComparisonOperator = (typeof comparisonOperators)[number];

/** `[..]` any, `![..]` none, `{..}` all, `!{..}` not all. */
export type SetForm = 'any' | 'none' | 'all' | 'not_all';
