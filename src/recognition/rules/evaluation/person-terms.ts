import { type RawBuilder, sql } from 'kysely';
import type { ComparisonOperator } from '../conditions/syntax.ts';
import { type Checked, type CountTerm, concernsPerson, type RankTerm, type SumTerm } from '../conditions/terms.ts';
import type { Statement } from './item-sources.ts';
import { countInSql, type Measure, type Measures, type MeasureUse, momentInSql } from './measures.ts';

/** A condition on all contributions of a person together, with the columns that hold its data. */
export type PersonNode =
  | { kind: 'all' | 'any'; terms: PersonNode[] }
  | { kind: 'first'; measure: Measure }
  | { kind: 'count'; term: CountTerm; measure: Measure; everything: Measure }
  | { kind: 'sum'; term: SumTerm; sum: SumColumns; filter: Measure | undefined }
  | { kind: 'rank'; at: string; filter: Measure | undefined };

/** The columns of a sum. */
interface SumColumns {
  total: string;
  first: string;
  /** Returns the column with the moment at which the sum reached a number. */
  reached: (number: number) => string;
}

interface Points {
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

interface Sum extends SumColumns {
  name: string;
  actions: readonly string[];
  thresholds: Map<number, string>;
}

interface Ranking {
  name: string;
  term: RankTerm;
  /** The measure that a ranked person must have, and the query part with that measure; undefined to rank all people. */
  filter: { measure: Measure; part: string } | undefined;
}

/** The sums and ranks that conditions use, over the points that were earned: see `pointsSql` in compile.ts. */
export class PointSums implements Points {
  readonly #sums = new Map<string, Sum>();
  readonly #rankings: Ranking[] = [];
  /** Names of the query parts that the conditions of one trigger need. */
  #used = new Set<string>();
  #filterPart = '';

  /**
   * Starts the conditions of the next trigger.
   * @param filterPart the query part with the measures that they filter by.
   * @returns the query parts that they need, complete once they are planned.
   */
  begin(filterPart: string): ReadonlySet<string> {
    this.#filterPart = filterPart;
    this.#used = new Set();
    return this.#used;
  }

  get actions(): Set<string> {
    const terms = this.#rankings.map(({ term }) => term);
    return new Set([...this.#sums.values(), ...terms].flatMap(({ actions }) => actions));
  }

  sum(actions: readonly string[]): SumColumns {
    const key = JSON.stringify(actions.toSorted());
    const sum = this.#sums.get(key) ?? newSum(`sum${this.#sums.size}`, actions);
    this.#sums.set(key, sum);
    this.#used.add(sum.name);
    return sum;
  }

  rank(term: RankTerm, measure: Measure | undefined): string {
    const name = `rank${this.#rankings.length}`;
    this.#rankings.push({ name, term, filter: measure && { measure, part: this.#filterPart } });
    this.#used.add(name);
    return `${name}_at`;
  }

  /** @param points the name of the query part with all points that were earned. */
  addTo(statement: Statement, points: string): void {
    for (const { name, actions, total, first, thresholds } of this.#sums.values()) {
      const reached = [...thresholds].map(
        ([number, column]) => sql`, min(at) filter (where total >= ${number}::bigint) as ${sql.id(column)}`,
      );
      statement.add(
        name,
        sql`select person, max(total) as ${sql.id(total)}, min(at) as ${sql.id(first)} ${sql.join(reached, sql``)}
          from (
            select person, at, sum(value) over (partition by person order by at) as total
            from ${sql.id(points)} where action = any(${actions}::text[])) as growing
          group by person`,
      );
    }
    for (const ranking of this.#rankings) statement.add(ranking.name, rankingSql(ranking, points));
  }
}

function newSum(name: string, actions: readonly string[]): Sum {
  const thresholds = new Map<number, string>();
  return {
    name,
    actions,
    thresholds,
    total: `${name}_total`,
    first: `${name}_first`,
    reached: (number) => {
      const column = thresholds.get(number) ?? `${name}_reached_${thresholds.size}`;
      thresholds.set(number, column);
      return column;
    },
  };
}

/**
 * Returns SQL for the person at a rank. Equal sums are ordered by the time at which they were reached, then by the age
 * of the stored account.
 */
function rankingSql({ name, term, filter }: Ranking, points: string): RawBuilder<unknown> {
  const isRanked =
    filter === undefined
      ? sql``
      : sql`and person in (select person from ${sql.id(filter.part)} where ${momentInSql(filter.measure, 1)} is not null)`;
  return sql`select person, at as ${sql.id(`${name}_at`)} from (
      select person, max(at) as at, row_number() over (order by sum(value) desc, max(at), person) as rank
      from ${sql.id(points)} where action = any(${term.actions}::text[]) ${isRanked} group by person) as ranked
    where rank = ${term.rank}::bigint`;
}
