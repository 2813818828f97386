import { type RawBuilder, sql } from 'kysely';
import type { Checked } from '../conditions/checked.ts';
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

  toSql(): RawBuilder<unknown> {
    const measures = [...this.#measures.values()];
    const source = this.#source;
    const [only] = measures;
    const from = asksForLabels(measures.flatMap(({ conditions }) => conditions)) ? source.fromWithLabels : source.from;
    if (measures.length === 1 && only !== undefined) {
      return sql`select ${source.person} as person, ${this.#aggregate(only)} as ${sql.id(only.column)}
        from ${from} and ${allHold(only.conditions, source)} group by 1`;
    }
    const columns = measures.map((measure) =>
      measure.conditions.length === 0
        ? sql`${this.#aggregate(measure)} as ${sql.id(measure.column)}`
        : sql`${this.#aggregate(measure)} filter (where ${allHold(measure.conditions, source)}) as ${sql.id(measure.column)}`,
    );
    return sql`select ${source.person} as person, ${sql.join(columns)} from ${from} group by 1`;
  }

  #aggregate({ conditions, needsAll }: Measure): RawBuilder<unknown> {
    const at = satisfiedAt(conditions, this.#source);
    return needsAll ? sql`array_agg(${at})` : sql`min(${at})`;
  }
}

/** Each condition once, in one order, however they were put together by "&". */
function flatten(conditions: readonly Checked[]): Checked[] {
  const parts = conditions.flatMap((condition) => (condition.kind === 'and' ? flatten(condition.terms) : [condition]));
  const byKey = new Map(parts.map((part) => [keyOf([part]), part]));
  return [...byKey].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, part]) => part);
}

/** The same for conditions that mean the same, wherever they stand. */
export function keyOf(conditions: readonly Checked[]): string {
  return JSON.stringify(conditions, (key, value: unknown) => (key === 'start' || key === 'end' ? undefined : value));
}

export function asksForLabels(conditions: readonly Checked[]): boolean {
  return keyOf(conditions).includes('"field":"labels"');
}

/** How many contributions were measured; 0 for none. */
export function countOf({ column }: Measure): RawBuilder<unknown> {
  return sql`coalesce(cardinality(${sql.id(column)}), 0)`;
}

/** The moment of the n-th contribution; null when there are fewer. */
export function momentOf({ column, needsAll }: Measure, place: number): RawBuilder<unknown> {
  const name = sql.id(column);
  if (!needsAll) return sql`${name}`;
  return sql`case when cardinality(${name}) >= ${place}::bigint then (
    select moment from unnest(${name}) as moment order by moment offset ${place - 1}::bigint limit 1) end`;
}
