import { type RawBuilder, sql } from 'kysely';
import { maxInteger } from '../conditions/parser.ts';
import type { Checked } from '../conditions/terms.ts';
import type { FieldOf } from '../conditions/vocabulary.ts';
import type { ItemSource } from './item-sources.ts';
import { allHold, holds } from './item-terms.ts';

/**
 * The columns with the times at which a contribution begins to satisfy a condition, if every contribution that
 * satisfies it has the same columns.
 */
type Ends = ReadonlySet<'closed_at' | 'merged_at' | 'answered_at'>;

const merged: Ends = new Set(['merged_at'] as const);
const closed: Ends = new Set(['closed_at'] as const);
const answered: Ends = new Set(['answered_at'] as const);

/**
 * Columns with the moments at which a person's contributions of one source began to satisfy the same conditions: the
 * first moment, all, or both.
 */
export interface Measure {
  /** Holds the first moment, or all as a list. */
  column: string;
  /** Holds the first moment beside all of them; undefined where `column` gives it. */
  firstColumn: string | undefined;
  conditions: readonly Checked[];
  needsAll: boolean;
  /** The least place after the first whose moment is read: shorter lists need no order. */
  orderedFrom: number;
}

/** A column of a measure: the list of its moments, or the first one. */
interface Column {
  name: RawBuilder<unknown>;
  measure: Measure;
  isList: boolean;
}

/** The moments of a measure that are read. */
export interface MeasureUse {
  /** The places of single moments, from 1. */
  places?: readonly number[];
  /** True when the number of moments is read, or all of them in any order. */
  needsAll?: boolean;
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
  of(conditions: readonly Checked[], { places = [], needsAll = false }: MeasureUse): Measure {
    const flat = flatten(conditions);
    const key = toKey(flat);
    const measure = this.#measures.get(key) ?? {
      column: `${this.name}_${this.#measures.size}`,
      firstColumn: undefined,
      conditions: flat,
      needsAll: false,
      orderedFrom: Number.POSITIVE_INFINITY,
    };
    const later = places.filter((place) => place > 1);
    measure.needsAll ||= needsAll || later.length > 0;
    measure.orderedFrom = Math.min(measure.orderedFrom, ...later);
    // Lists of some people are always in order.
    if (places.includes(1) && !this.#isOfSomePeople()) measure.firstColumn = `${measure.column}_first`;
    this.#measures.set(key, measure);
    return measure;
  }

  /** Returns SQL for the scan. The moments of a column are in order where a place after the first is read. */
  toSql(): RawBuilder<unknown> {
    const columns = this.#columns().map(({ name, measure, isList }) => {
      const { orderedFrom } = measure;
      if (!isList || orderedFrom > maxInteger || this.#isOfSomePeople()) return name;
      const sorted = sql`(select array_agg(moment order by moment) from unnest(${name}) as moment)`;
      return sql`case when cardinality(${name}) >= ${sql.lit(orderedFrom)} then ${sorted} else ${name} end as ${name}`;
    });
    const scan = this.#scanSql();
    return sql`${this.#source.steps.toSql()} select person, ${sql.join(columns)} from (${scan}) as measured`;
  }

  #columns(): Column[] {
    return [...this.#measures.values()].flatMap((measure) => {
      const { column, firstColumn, needsAll } = measure;
      if (!needsAll) return [{ name: sql.id(column), measure, isList: false }];
      const list = { name: sql.id(column), measure, isList: true };
      const first = { name: sql.id(firstColumn ?? column), measure, isList: false };
      return firstColumn === undefined ? [list] : [list, first];
    });
  }

  #scanSql(): RawBuilder<unknown> {
    const columns = this.#columns();
    const source = this.#source;
    const [only] = columns;
    const allConditions = columns.flatMap(({ measure }) => measure.conditions);
    const from = needsLabels(allConditions) ? source.fromWithLabels : source.from;
    if (this.#measures.size === 1 && only !== undefined) {
      const aggregates = columns.map((column) => sql`${this.#aggregate(column)} as ${column.name}`);
      return sql`select ${source.person} as person, ${sql.join(aggregates)}
        from ${from} and ${this.#counts(only.measure)} group by 1`;
    }
    const aggregates = columns.map((column) => {
      const { name, measure } = column;
      const isOfAll = measure.conditions.length === 0 && source.window === undefined;
      const filter = isOfAll ? sql`` : sql`filter (where ${this.#counts(measure)})`;
      return sql`${this.#aggregate(column)} ${filter} as ${name}`;
    });
    return sql`select ${source.person} as person, ${sql.join(aggregates)} from ${from} group by 1`;
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

  #aggregate({ measure, isList }: Column): RawBuilder<unknown> {
    const at = this.#at(measure);
    if (!isList) return sql`min(${at})`;
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
const costs: readonly Checked['kind'][] = ['flag', 'number', 'date', 'reason', 'state', 'age', 'or', 'list'];

function toOrder([key, { kind }]: [string, Checked]): string {
  return `${costs.indexOf(kind)} ${key}`;
}

/** Returns each condition once, in a fixed order, however they were joined by "&". */
function flatten(conditions: readonly Checked[]): Checked[] {
  const parts = conditions.flatMap((condition) => (condition.kind === 'and' ? flatten(condition.terms) : [condition]));
  const byKey = new Map(parts.map((part) => [toKey([part]), part]));
  return [...byKey].toSorted((one, other) => (toOrder(one) < toOrder(other) ? -1 : 1)).map(([, part]) => part);
}

const keys = new WeakMap<Checked, string>();

/** Returns the same key for conditions with the same meaning, regardless of their places in the file. */
function toKey(conditions: readonly Checked[]): string {
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
export function countInSql({ column }: Measure): RawBuilder<unknown> {
  return sql`coalesce(cardinality(${sql.id(column)}), 0)`;
}

/** Returns SQL for the moment of the n-th contribution; null when there are fewer. */
export function momentInSql({ column, firstColumn, needsAll }: Measure, place: number): RawBuilder<unknown> {
  if (place > maxInteger) return sql`null::timestamptz`;
  if (!needsAll) return sql`${sql.id(column)}`;
  return place === 1 && firstColumn !== undefined
    ? sql`${sql.id(firstColumn)}`
    : sql`${sql.id(column)}[${sql.lit(place)}]`;
}

/** Returns SQL for the moment at which a contribution that satisfies the conditions began to do so. */
export function satisfiedAt(conditions: readonly Checked[], source: ItemSource): RawBuilder<unknown> {
  return latest(conditions, source);
}

function latest(conditions: readonly Checked[], source: ItemSource): RawBuilder<unknown> {
  const ends = conditions.map((condition) => toEnds(condition, source));
  const shared = new Set(ends.flatMap((end) => [...(end ?? [])]));
  const dates = [...shared].map((end) => sql`i.${sql.ref(end)}`);
  const others = conditions
    .filter((_, index) => ends[index] === undefined)
    .map((condition) => instantInSql(condition, source));
  const parts = [source.doneAt, ...dates, ...others];
  return parts.length === 1 ? source.doneAt : sql`greatest(${sql.join(parts)})`;
}

/**
 * Returns SQL for the moment since which one condition is satisfied: the earliest one when it is satisfied in several
 * ways.
 */
function instantInSql(condition: Checked, source: ItemSource): RawBuilder<unknown> {
  if (condition.kind !== 'or') return latest(condition.kind === 'and' ? condition.terms : [condition], source);
  const ways = condition.terms.map((term) => sql`case when ${holds(term, source)} then ${latest([term], source)} end`);
  return sql`least(${sql.join(ways)})`;
}

/** @returns undefined when the dates depend on the contribution. */
function toEnds(condition: Checked, source: ItemSource): Ends | undefined {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const ends = condition.terms.map((term) => toEnds(term, source));
      const [first] = ends;
      const known = ends.filter((end) => end !== undefined);
      if (known.length < ends.length || first === undefined) return undefined;
      if (condition.kind === 'and') return new Set(known.flatMap((end) => [...end]));
      return known.every((end) => isSame(end, first)) ? first : undefined;
    }
    case 'flag':
      if (!condition.value) return new Set();
      return endsOfFlag(condition.field, source);
    case 'date':
      return condition.field === 'merged_at' ? merged : condition.field === 'closed_at' ? closed : new Set();
    case 'age':
      return source.action === 'pull_request' ? merged : closed;
    case 'reason':
      return closed;
    case 'number':
    case 'state':
    case 'list':
    case 'count':
    case 'sum':
    case 'rank':
      return new Set();
    default:
      return condition satisfies never;
  }
}

function endsOfFlag(field: FieldOf<'flag'>, { action }: ItemSource): Ends {
  const isOfMerged = field === 'merged' || (field.startsWith('first') && action === 'pull_request');
  if (isOfMerged) return merged;
  return field === 'closed' ? closed : field === 'answered' ? answered : new Set();
}

function isSame(one: Ends, other: Ends): boolean {
  return one.size === other.size && [...one].every((end) => other.has(end));
}
