import { type RawBuilder, sql } from 'kysely';
import type { AgeTerm, Checked, DateTerm, NumberTerm, ReasonTerm } from '../conditions/checked.ts';
import type { ComparisonOperator } from '../conditions/syntax.ts';
import { ageUnits, type FieldOf } from '../conditions/vocabulary.ts';
import { isFirst } from './first-items.ts';
import { listHolds } from './item-lists.ts';
import { effective, type ItemSource, isAnswered } from './item-sources.ts';

/** Returns SQL that is true for contributions that satisfy all conditions, and null where the data is not known. */
export function allHold(conditions: readonly Checked[], source: ItemSource): RawBuilder<unknown> {
  const parts = conditions.map((condition) => holds(condition, source));
  return parts.length === 0 ? sql`true` : sql`(${sql.join(parts, sql` and `)})`;
}

/**
 * Returns SQL that is true for contributions that satisfy a condition, and null where the data is not known.
 * @param condition a condition of item terms only.
 */
export function holds(condition: Checked, source: ItemSource): RawBuilder<unknown> {
  switch (condition.kind) {
    case 'and':
      return allHold(condition.terms, source);
    case 'or': {
      const parts = condition.terms.map((term) => holds(term, source));
      return sql`(${sql.join(parts, sql` or `)})`;
    }
    case 'flag':
      return condition.value ? flag(condition.field, source) : sql`not ${flag(condition.field, source)}`;
    case 'number':
      return numberHolds(condition);
    case 'date':
      return dateHolds(condition, source);
    case 'reason':
      return reasonHolds(condition, source);
    case 'state':
      return sql`(i.state ${operators[condition.operator]} ${condition.value})`;
    case 'list':
      return listHolds(condition, source);
    case 'age':
      return ageHolds(condition, source);
    case 'count':
    case 'sum':
    case 'rank':
      throw new Error(`${condition.kind} is not about one contribution`);
    default:
      return condition satisfies never;
  }
}

function flag(field: FieldOf<'flag'>, source: ItemSource): RawBuilder<unknown> {
  const { scope } = source;
  if (field === 'first' || field === 'first_in_organization') return isFirst(field, source);
  if (field === 'starred') return sql`true`;
  if (field === 'answered') return isAnswered(scope);
  const column = field === 'merged' ? sql`i.merged_at` : sql`i.closed_at`;
  return sql`(${effective(column, scope)} is not null)`;
}

const operators: Readonly<Record<ComparisonOperator, RawBuilder<unknown>>> = {
  '=': sql`=`,
  '!=': sql`<>`,
  '>': sql`>`,
  '>=': sql`>=`,
  '<': sql`<`,
  '<=': sql`<=`,
};

export function numberColumn(field: NumberTerm['field']): RawBuilder<unknown> {
  return field === 'reactions' ? sql`cardinality(i.emojis)` : sql`i.${sql.ref(field)}`;
}

function numberHolds({ field, operator, value }: NumberTerm): RawBuilder<unknown> {
  return sql`(${numberColumn(field)} ${operators[operator]} ${value}::integer)`;
}

export function dateColumn(field: DateTerm['field'], { createdAt, scope }: ItemSource): RawBuilder<unknown> {
  if (field === 'created_at') return createdAt;
  return effective(field === 'closed_at' ? sql`i.closed_at` : sql`i.merged_at`, scope);
}

const dayMs = 86_400_000;

function dateHolds({ field, operator, value }: DateTerm, source: ItemSource): RawBuilder<unknown> {
  const column = dateColumn(field, source);
  if (!value.isWholeDay) return sql`(${column} ${operators[operator]} ${value.from}::timestamptz)`;
  return within(
    column,
    operator,
    sql`${value.from}::timestamptz`,
    sql`${new Date(value.from.getTime() + dayMs)}::timestamptz`,
  );
}

/** The longest age, in s: older than anything, and short enough for an interval of PostgreSQL. */
const maxAgeS = 100_000_000_000;

function ageHolds({ unit, operator, value }: AgeTerm, source: ItemSource): RawBuilder<unknown> {
  const seconds = (units: number): RawBuilder<unknown> =>
    sql`${Math.min(maxAgeS, units * ageUnits[unit])}::bigint * interval '1 second'`;
  return within(ageColumn(source), operator, seconds(value), seconds(value + 1));
}

/** Returns SQL for the interval from the creation to the end; null while there is no end. */
export function ageColumn(source: ItemSource): RawBuilder<unknown> {
  const end = source.action === 'pull_request' ? sql`i.merged_at` : sql`i.closed_at`;
  return sql`(${effective(end, source.scope)} - ${source.createdAt})`;
}

/** Compares a column with the range from `from`, inclusive, to `to`, exclusive, as if the range were one value. */
function within(
  column: RawBuilder<unknown>,
  operator: ComparisonOperator,
  from: RawBuilder<unknown>,
  to: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const comparisons: Readonly<Record<ComparisonOperator, () => RawBuilder<unknown>>> = {
    '=': () => sql`(${column} >= ${from} and ${column} < ${to})`,
    '!=': () => sql`(${column} < ${from} or ${column} >= ${to})`,
    '>': () => sql`(${column} >= ${to})`,
    '>=': () => sql`(${column} >= ${from})`,
    '<': () => sql`(${column} < ${from})`,
    '<=': () => sql`(${column} < ${to})`,
  };
  return comparisons[operator]();
}

/** An issue that was closed after `scope.before` satisfies nothing, because its earlier reason is not stored. */
function reasonHolds({ operator, value }: ReasonTerm, { scope }: ItemSource): RawBuilder<unknown> {
  const isKnown = scope.before === undefined ? sql`` : sql`and (i.closed_at is null or i.closed_at < ${scope.before})`;
  return sql`(upper(i.reason) ${operators[operator]} ${value} ${isKnown})`;
}
