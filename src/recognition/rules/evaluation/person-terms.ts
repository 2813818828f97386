import { type RawBuilder, sql } from 'kysely';
import type { ComparisonOperator } from '../conditions/syntax.ts';
import { type Checked, type CountTerm, concernsPerson, type RankTerm, type SumTerm } from '../conditions/terms.ts';
import { countInSql, type Measure, type Measures, type MeasureUse, momentInSql } from './measures.ts';

/** A condition on all contributions of a person together, with the columns that hold its data. */
export type PersonNode =
  | { kind: 'all' | 'any'; terms: PersonNode[] }
  | { kind: 'first'; measure: Measure }
  | { kind: 'count'; term: CountTerm; measure: Measure; everything: Measure }
  | { kind: 'sum'; term: SumTerm; sum: SumColumns; filter: Measure | undefined }
  | { kind: 'rank'; at: string; filter: Measure | undefined };

/** The columns of a sum. */
export interface SumColumns {
  total: string;
  first: string;
  /** Returns the column with the moment at which the sum reached a number. */
  reached: (number: number) => string;
}

export interface Points {
  sum: (actions: readonly string[]) => SumColumns;
  /** @returns the column with the moment at which the person at this rank reached it. */
  rank: (term: RankTerm, filter: Measure | undefined) => string;
}

/**
 * Plans the measures for a condition. Terms about one contribution that are joined by "&" to other terms filter the
 * contributions that those terms evaluate.
 */
export function planPerson(
  condition: Checked,
  filters: readonly Checked[],
  measures: Measures,
  points: Points,
): PersonNode {
  if (!concernsPerson(condition)) {
    return { kind: 'first', measure: measures.of([...filters, condition], { places: [1] }) };
  }
  if (condition.kind === 'and') {
    const items = condition.terms.filter((term) => !concernsPerson(term));
    const persons = condition.terms.filter(concernsPerson);
    const inside = [...filters, ...items];
    return { kind: 'all', terms: persons.map((term) => planPerson(term, inside, measures, points)) };
  }
  if (condition.kind === 'or') {
    return { kind: 'any', terms: condition.terms.map((term) => planPerson(term, filters, measures, points)) };
  }
  if (condition.kind === 'count') return planCount(condition, filters, measures);
  const filter = filters.length === 0 ? undefined : measures.of(filters, { places: [1] });
  if (condition.kind === 'sum') return planSum(condition, filter, points);
  if (condition.kind === 'rank') return { kind: 'rank', at: points.rank(condition, filter), filter };
  throw new Error(`${condition.kind} is a condition on one contribution`);
}

function planCount(term: CountTerm, filters: readonly Checked[], measures: Measures): PersonNode {
  const counted = [...filters, ...(term.condition === null ? [] : [term.condition])];
  return {
    kind: 'count',
    term,
    measure: measures.of(counted, toUse(term)),
    everything: needsEverything(term) ? measures.of([], { places: [1] }) : measures.of(counted, {}),
  };
}

/** Returns what `momentOfComparison` reads of the counted contributions. */
function toUse({ operator, value }: CountTerm): MeasureUse {
  const uses: Readonly<Record<ComparisonOperator, MeasureUse>> = {
    '>=': { places: [value] },
    '>': { places: [value + 1] },
    '=': { places: [value], needsAll: true },
    '<': { needsAll: true },
    '<=': { needsAll: true },
    '!=': { places: [value + 1], needsAll: true },
  };
  return uses[operator];
}

/** Returns whether a count can hold for a person for whom nothing is counted. */
function needsEverything({ operator, value }: CountTerm): boolean {
  return operator === '<' || operator === '<=' || operator === '!=' || (operator !== '>' && value === 0);
}

function planSum(term: SumTerm, filter: Measure | undefined, points: Points): PersonNode {
  const sum = points.sum(term.actions);
  // Registers the columns of the sum, which `holdsSince` uses later.
  momentOfTotal(term, sum);
  return { kind: 'sum', term, sum, filter };
}

/** Returns SQL for the moment since which the node holds for the person of a row; null when it does not. */
export function holdsSince(node: PersonNode): RawBuilder<unknown> {
  switch (node.kind) {
    case 'all':
      return latestOfAll(node.terms.map(holdsSince));
    case 'any':
      return sql`least(${sql.join(node.terms.map(holdsSince))})`;
    case 'first':
      return momentInSql(node.measure, 1);
    case 'count':
      return momentOfCount(node.term, node.measure, node.everything);
    case 'sum':
      return latestOfAll([momentOfTotal(node.term, node.sum), ...filterMoment(node.filter)]);
    case 'rank':
      return latestOfAll([sql.id(node.at), ...filterMoment(node.filter)].map((at) => sql`${at}`));
    default:
      return node satisfies never;
  }
}

function filterMoment(filter: Measure | undefined): RawBuilder<unknown>[] {
  return filter === undefined ? [] : [momentInSql(filter, 1)];
}

/**
 * Returns SQL for the latest moment; null when one part is null. Each part occurs once in it, because nested conditions
 * would otherwise double their SQL with every level.
 */
function latestOfAll(parts: RawBuilder<unknown>[]): RawBuilder<unknown> {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const rows = parts.map((part) => sql`(${part})`);
  return sql`(select max(moment) from (values ${sql.join(rows)}) as parts (moment) having count(*) = count(moment))`;
}

function momentOfCount(term: CountTerm, measure: Measure, everything: Measure): RawBuilder<unknown> {
  return momentOfComparison(term, {
    number: () => countInSql(measure),
    first: () => momentInSql(everything, 1),
    reached: (number) => momentInSql(measure, number),
  });
}

function momentOfTotal(term: SumTerm, sum: SumColumns): RawBuilder<unknown> {
  return momentOfComparison(term, {
    number: () => sql`${sql.id(sum.total)}`,
    first: () => sql`${sql.id(sum.first)}`,
    reached: (number) => sql`${sql.id(sum.reached(number))}`,
  });
}

/** SQL for a number that only grows, and for the moments at which it did. */
interface Growing {
  number: () => RawBuilder<unknown>;
  /** The moment since which there is anything of the kind at all. */
  first: () => RawBuilder<unknown>;
  reached: (number: number) => RawBuilder<unknown>;
}

function momentOfComparison(
  { operator, value }: { operator: ComparisonOperator; value: number },
  { number, first, reached }: Growing,
): RawBuilder<unknown> {
  const since = (least: number): RawBuilder<unknown> => (least <= 0 ? first() : reached(least));
  const moments: Readonly<Record<ComparisonOperator, () => RawBuilder<unknown>>> = {
    '>=': () => since(value),
    '>': () => since(value + 1),
    '=': () => sql`case when ${number()} = ${value}::bigint then ${since(value)} end`,
    '<': () => sql`case when ${number()} < ${value}::bigint then ${first()} end`,
    '<=': () => sql`case when ${number()} <= ${value}::bigint then ${first()} end`,
    '!=': () => sql`case when ${number()} > ${value}::bigint then ${since(value + 1)}
      when ${number()} < ${value}::bigint then ${first()} end`,
  };
  return moments[operator]();
}
