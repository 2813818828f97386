import { type RawBuilder, sql } from 'kysely';
import type { Checked } from '../conditions/checked.ts';
import { maxInteger } from '../conditions/parse-operand.ts';
import { satisfiedAt } from './instants.ts';
import type { ItemSource } from './item-sources.ts';
import { allHold } from './item-terms.ts';

/** When a person's contributions of one source had come to satisfy the same conditions: the first of these moments, or all. */
export interface Measure {
  column: string;
  conditions: readonly Checked[];
  needsAll: boolean;
}

/** One scan over the contributions of one source, for everything that is asked of them; a row for each person. */
export class Measures {
  readonly name: string;
  readonly #source: ItemSource;
  readonly #measures = new Map<string, Measure>();

  constructor(name: string, source: ItemSource) {
    this.name = name;
    this.#source = source;
  }

  /** Conditions that say the same are measured once. */
  of(conditions: readonly Checked[], { needsAll }: { needsAll: boolean }): Measure {
    const flat = flatten(conditions);
    const key = keyOf(flat);
    const known = this.#measures.get(key);
    const measure = known ?? { column: `${this.name}_${this.#measures.size}`, conditions: flat, needsAll };
    measure.needsAll ||= needsAll;
    this.#measures.set(key, measure);
    return measure;
  }

  /** With moments in their order. */
  toSql(): RawBuilder<unknown> {
    const columns = [...this.#measures.values()].map(({ column, needsAll }) => {
      const name = sql.id(column);
      if (!needsAll || this.#isOfFew()) return name;
      const sorted = sql`(select array_agg(moment order by moment) from unnest(${name}) as moment)`;
      return sql`case when cardinality(${name}) > 1 then ${sorted} else ${name} end as ${name}`;
    });
    return sql`select person, ${sql.join(columns)} from (${this.#scanSql()}) as measured`;
  }

  #scanSql(): RawBuilder<unknown> {
    const measures = [...this.#measures.values()];
    const source = this.#source;
    const [only] = measures;
    const asked = measures.flatMap(({ conditions }) => conditions);
    const from = asksForLabels(asked) ? source.fromWithLabels : source.from;
    if (measures.length === 1 && only !== undefined) {
      return sql`select ${source.person} as person, ${this.#aggregate(only)} as ${sql.id(only.column)}
        from ${from} and ${allHold(only.conditions, source)} group by 1`;
    }
    const columns = measures.map((measure) => {
      const { column, conditions } = measure;
      const filter = conditions.length === 0 ? sql`` : sql`filter (where ${allHold(conditions, source)})`;
      return sql`${this.#aggregate(measure)} ${filter} as ${sql.id(column)}`;
    });
    return sql`select ${source.person} as person, ${sql.join(columns)} from ${from} group by 1`;
  }

  #aggregate({ conditions, needsAll }: Measure): RawBuilder<unknown> {
    const at = satisfiedAt(conditions, this.#source);
    if (!needsAll) return sql`min(${at})`;
    return this.#isOfFew() ? sql`array_agg(${at} order by ${at})` : sql`array_agg(${at})`;
  }

  /** Moments of few are sorted as they are gathered, which is planned faster; those of everybody could not be hashed then. */
  #isOfFew(): boolean {
    return this.#source.scope.accountIds !== undefined;
  }
}

/** What is cheap to find out comes first; the others cost more than the rest of a scan. */
const costs: readonly Checked['kind'][] = ['flag', 'number', 'date', 'reason', 'age', 'or', 'list'];

function orderOf([key, { kind }]: [string, Checked]): string {
  return `${costs.indexOf(kind)} ${key}`;
}

/** Each condition once, in one order, however they were put together by "&". */
function flatten(conditions: readonly Checked[]): Checked[] {
  const parts = conditions.flatMap((condition) => (condition.kind === 'and' ? flatten(condition.terms) : [condition]));
  const byKey = new Map(parts.map((part) => [keyOf([part]), part]));
  return [...byKey].toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1)).map(([, part]) => part);
}

const keys = new WeakMap<Checked, string>();

/** The same for conditions that mean the same, wherever they stand. */
export function keyOf(conditions: readonly Checked[]): string {
  return `[${conditions.map(keyOfOne).join(',')}]`;
}

/** Conditions of a file are asked for with every event: each is written once. */
function keyOfOne(condition: Checked): string {
  const known = keys.get(condition);
  if (known !== undefined) return known;
  const key = JSON.stringify(condition, (name, value: unknown) =>
    name === 'start' || name === 'end' ? undefined : value,
  );
  keys.set(condition, key);
  return key;
}

export function asksForLabels(conditions: readonly Checked[]): boolean {
  return conditions.some((condition) => keyOfOne(condition).includes('"field":"labels"'));
}

/** How many contributions were measured; 0 for none. */
export function countOf({ column }: Measure): RawBuilder<unknown> {
  return sql`coalesce(cardinality(${sql.id(column)}), 0)`;
}

/** The moment of the n-th contribution; null when there are fewer. */
export function momentOf({ column, needsAll }: Measure, place: number): RawBuilder<unknown> {
  if (place > maxInteger) return sql`null::timestamptz`;
  return needsAll ? sql`${sql.id(column)}[${sql.lit(place)}]` : sql`${sql.id(column)}`;
}
