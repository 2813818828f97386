import type { Span } from './fault.ts';
import type { ComparisonOperator, SetForm } from './syntax.ts';
import type { AgeUnit, FieldOf, Reason, State } from './vocabulary.ts';

/** A moment, or a whole day when no time was given. */
interface DateValue {
  /** The moment, or the day's first instant. */
  from: Date;
  isWholeDay: boolean;
}

type ReadDate = { date: DateValue; message?: undefined } | { date?: undefined; message: string };

export const dateForms = 'MM-DD-YYYY or YYYY-MM-DD, then maybe HH:MM or HH:MM:SS (UTC)';
const monthFirst = /^(?<month>\d{2})-(?<day>\d{2})-(?<year>\d{4})$/;
const yearFirst = /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})$/;
const timeForm = /^(?<hour>\d{2}):(?<minute>\d{2})(:(?<second>\d{2}))?$/;
const firstYear = 1970;
const lastYear = 2999;

const looseDay = /^(\d{1,4})[-/.](\d{1,2})[-/.](\d{1,4})/;
const looseTime = /[T\s](\d{1,2}):(\d{2})(:\d{2})?/;

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

interface FlagTerm extends Span {
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

/** Reads a date in the forms that conditions use; in UTC. */
export function readDate(text: string): ReadDate {
  const [day = '', time, ...rest] = text.trim().split(/\s+/);
  const parts = (monthFirst.exec(day) ?? yearFirst.exec(day))?.groups;
  const clock = time === undefined ? {} : timeForm.exec(time)?.groups;
  if (parts === undefined || clock === undefined || rest.length > 0) return { message: `${text} is not a date` };
  const [year, month, dayOfMonth] = [Number(parts['year']), Number(parts['month']), Number(parts['day'])];
  const [hour, minute, second] = [
    Number(clock['hour'] ?? 0),
    Number(clock['minute'] ?? 0),
    Number(clock['second'] ?? 0),
  ];
  const message = problemOfDay(year, month, dayOfMonth) ?? problemOfTime(hour, minute, second);
  if (message !== undefined) return { message };
  const from = new Date(Date.UTC(year, month - 1, dayOfMonth, hour, minute, second));
  return { date: { from, isWholeDay: time === undefined } };
}

function problemOfDay(year: number, month: number, day: number): string | undefined {
  if (year < firstYear || year > lastYear) return `the year ${year} is not between ${firstYear} and ${lastYear}`;
  if (month < 1 || month > 12) return `there is no month ${month}`;
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (day < 1 || day > days) return `that month has ${days} days, there is no day ${day}`;
  return undefined;
}

function problemOfTime(hour: number, minute: number, second: number): string | undefined {
  if (hour > 23) return `there is no hour ${hour}`;
  if (minute > 59) return `there is no minute ${minute}`;
  return second > 59 ? `there is no second ${second}` : undefined;
}

function pad(digits: string): string {
  return digits.padStart(2, '0');
}

/** Returns a valid date close to an invalid one: other separators, missing zeros, day and month exchanged. */
export function nearestDate(text: string): string | undefined {
  const [, first = '', second = '', third = ''] = looseDay.exec(text) ?? [];
  if (first === '') return undefined;
  const orders =
    first.length === 4
      ? [`${first}-${pad(second)}-${pad(third)}`, `${first}-${pad(third)}-${pad(second)}`]
      : [`${pad(first)}-${pad(second)}-${third}`, `${pad(second)}-${pad(first)}-${third}`];
  const [, hour, minute = '', seconds = ''] = looseTime.exec(text) ?? [];
  const time = hour === undefined ? '' : ` ${pad(hour)}:${minute}${seconds}`;
  return orders.map((day) => `${day}${time}`).find((candidate) => candidate !== text && readDate(candidate).date);
}
