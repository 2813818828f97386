import { type RawBuilder, sql } from 'kysely';
import type { Checked } from '../conditions/checked.ts';
import { maxInteger } from '../conditions/parse-operand.ts';
import { satisfiedAt } from './instants.ts';
import type { ItemSource } from './item-sources.ts';
import { allHold } from './item-terms.ts';

/**
 * A column with the moments at which a person's contributions of one source began to satisfy the same conditions: the
 * first moment, or all.
 */
export interface Measure {
  column: string;
  conditions: readonly Checked[];
  needsAll: boolean;
}

/** One scan over the contributions of one source, for all conditions on them; it gives a row for each person. */
export class Measures {
  readonly name: string;
  readonly #source: ItemSource;
  readonly #measures = new Map<string, Measure>();

  constructor(name: string, source: ItemSource) {
    this.name = name;
    this.#source = source;
  }

  /** Returns the measure of the conditions; conditions with the same meaning share one. */
  of(conditions: readonly Checked[], { needsAll }: { needsAll: boolean }): Measure {
    const flat = flatten(conditions);
    const key = keyOf(flat);
    const known = this.#measures.get(key);
    const measure = known ?? { column: `${this.name}_${this.#measures.size}`, conditions: flat, needsAll };
    measure.needsAll ||= needsAll;
    this.#measures.set(key, measure);
    return measure;
  }

  /** Returns SQL for the scan, with the moments of each column in order. */
  toSql(): RawBuilder<unknown> {
    const columns = [...this.#measures.values()].map(({ column, needsAll }) => {
      const name = sql.id(column);
      if (!needsAll || this.#isOfSomePeople()) return name;
      const sorted = sql`(select array_agg(moment order by moment) from unnest(${name}) as moment)`;
      return sql`case when cardinality(${name}) > 1 then ${sorted} else ${name} end as ${name}`;
    });
    const scan = this.#scanSql();
    return sql`${this.#source.steps.toSql()} select person, ${sql.join(columns)} from (${scan}) as measured`;
  }

  #scanSql(): RawBuilder<unknown> {
    const measures = [...this.#measures.values()];
    const source = this.#source;
    const [only] = measures;
    const allConditions = measures.flatMap(({ conditions }) => conditions);
    const from = needsLabels(allConditions) ? source.fromWithLabels : source.from;
    if (measures.length === 1 && only !== undefined) {
      return sql`select ${source.person} as person, ${this.#aggregate(only)} as ${sql.id(only.column)}
        from ${from} and ${this.#counts(only)} group by 1`;
    }
    const columns = measures.map((measure) => {
      const { column, conditions } = measure;
      const isOfAll = conditions.length === 0 && source.window === undefined;
      const filter = isOfAll ? sql`` : sql`filter (where ${this.#counts(measure)})`;
      return sql`${this.#aggregate(measure)} ${filter} as ${sql.id(column)}`;
    });
    return sql`select ${source.person} as person, ${sql.join(columns)} from ${from} group by 1`;
  }

  /** Returns SQL that is true for contributions that satisfy the conditions at a moment that counts. */
  #counts(measure: Measure): RawBuilder<unknown> {
    const isSatisfied = allHold(measure.conditions, this.#source);
    const { window } = this.#source;
    return window === undefined ? isSatisfied : sql`(${isSatisfied} and ${window.holds(this.#at(measure))})`;
  }

  #at({ conditions }: Measure): RawBuilder<unknown> {
    return this.#source.window?.at ?? satisfiedAt(conditions, this.#source);
  }

  #aggregate(measure: Measure): RawBuilder<unknown> {
    const { needsAll } = measure;
    const at = this.#at(measure);
    if (!needsAll) return sql`min(${at})`;
    return this.#isOfSomePeople() ? sql`array_agg(${at} order by ${at})` : sql`array_agg(${at})`;
  }

  /**
   * Returns whether only some people are evaluated. Then moments are sorted while they are aggregated, which takes less
   * planning; for all people, that would rule out hash aggregation.
   */
  #isOfSomePeople(): boolean {
    return this.#source.scope.accountIds !== undefined;
  }
}

/**
 * Kinds of conditions in the order in which they are checked: cheap ones first, because the last ones cost more than
 * the rest of a scan.
 */
const costs: readonly Checked['kind'][] = ['flag', 'number', 'date', 'reason', 'age', 'or', 'list'];

function orderOf([key, { kind }]: [string, Checked]): string {
  return `${costs.indexOf(kind)} ${key}`;
}

/** Returns each condition once, in a fixed order, however they were joined by "&". */
function flatten(conditions: readonly Checked[]): Checked[] {
  const parts = conditions.flatMap((condition) => (condition.kind === 'and' ? flatten(condition.terms) : [condition]));
  const byKey = new Map(parts.map((part) => [keyOf([part]), part]));
  return [...byKey].toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1)).map(([, part]) => part);
}

const keys = new WeakMap<Checked, string>();

/** Returns the same key for conditions with the same meaning, regardless of their places in the file. */
export function keyOf(conditions: readonly Checked[]): string {
  return `[${conditions.map(keyOfOne).join(',')}]`;
}

/** Returns the key of a condition. Keys are cached, because the conditions of a file are compiled for every event. */
function keyOfOne(condition: Checked): string {
  const known = keys.get(condition);
  if (known !== undefined) return known;
  const key = JSON.stringify(condition, (name, value: unknown) =>
    name === 'start' || name === 'end' ? undefined : value,
  );
  keys.set(condition, key);
  return key;
}

export function needsLabels(conditions: readonly Checked[]): boolean {
  return conditions.some((condition) => keyOfOne(condition).includes('"field":"labels"'));
}

/** Returns SQL for the number of measured contributions; 0 for none. */
export function countOf({ column }: Measure): RawBuilder<unknown> {
  return sql`coalesce(cardinality(${sql.id(column)}), 0)`;
}

/** Returns SQL for the moment of the n-th contribution; null when there are fewer. */
export function momentOf({ column, needsAll }: Measure, place: number): RawBuilder<unknown> {
  if (place > maxInteger) return sql`null::timestamptz`;
  return needsAll ? sql`${sql.id(column)}[${sql.lit(place)}]` : sql`${sql.id(column)}`;
}
