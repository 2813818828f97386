import { type RawBuilder, sql } from 'kysely';
import {
  type CountedOfPerson,
  type CounterName,
  lifetimeOfPeople,
  type StoredCounter,
  storedCounters,
} from '../../model/kinds.ts';

/** SQL for the columns of stored counters, which `kinds.ts` lists. */

/** @param alias the alias of the table with the columns. */
export function columnsInSql(counters: readonly StoredCounter[], alias?: string): RawBuilder<unknown> {
  return sql.join(counters.map(({ name }) => columnInSql(name, alias)));
}

export function columnInSql(name: string, alias?: string): RawBuilder<number> {
  return sql.ref(alias === undefined ? name : `${alias}.${name}`);
}

/** Sums of all rows, each with the name of its column. */
export function sumsInSql(counters: readonly StoredCounter[], alias?: string): RawBuilder<unknown> {
  return sql.join(
    counters.map(({ name }) => sql`coalesce(sum(${columnInSql(name, alias)}), 0)::integer as ${sql.ref(name)}`),
  );
}

/**
 * Returns SQL for the lifetime counters, summed over rows of totals.
 * @param alias the alias of the totals.
 * @param derived SQL for the counters that follow from repositories, by name.
 */
export function lifetimeSums(
  alias: string,
  derived: Record<Exclude<CounterName, CountedOfPerson>, RawBuilder<unknown>>,
): RawBuilder<unknown> {
  const others = Object.entries(derived).map(([name, number]) => sql`(${number})::integer as ${sql.ref(name)}`);
  return sql.join([sumsInSql(lifetimeOfPeople, alias), ...others]);
}

/** The sum of the columns of one row whose counters count all contributions of some kinds. */
export function contributionsIn(kinds: readonly string[], alias: string): RawBuilder<number> {
  const counters = storedCounters.filter(({ kind, isContribution }) => isContribution === true && kinds.includes(kind));
  return sql`(${sql.join(
    counters.map(({ name }) => columnInSql(name, alias)),
    sql` + `,
  )})`;
}

/** The assignments of ON CONFLICT that replace the stored values. */
export function replacing(counters: readonly StoredCounter[]): RawBuilder<unknown> {
  return sql.join(counters.map(({ name }) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`));
}

/** Returns the condition that the contribution `c` counts for a counter. */
export function counts({ kind, where }: StoredCounter): RawBuilder<boolean> {
  const isOfKind = sql<boolean>`c.kind = ${kind}`;
  return where === undefined ? isOfKind : sql`${isOfKind} and ${sql.raw(where)}`;
}

/**
 * Returns SQL for the entries of the contribution `c`, separated by commas: the name of each counter for which it
 * counts, and after spaces its day (UTC) and the account where the counter is kept by account. Empty when it counts for
 * nothing.
 */
export function countedInSql(counters: readonly StoredCounter[]): RawBuilder<string> {
  const entries = counters.flatMap(({ name, kind, where, person = 'account_id', per }) => {
    if (kind === 'commit') return [];
    const day = `(c.created_at at time zone 'UTC')::date`;
    const account = per === 'repository' ? '' : ` || coalesce(' ' || c.${person}, '')`;
    const isCounted = `c.kind = '${kind}'${where === undefined ? '' : ` and ${where}`}`;
    return [`case when ${isCounted} then '${name} ' || ${day}${account} end`];
  });
  return sql.raw(`concat_ws(',', ${entries.join(', ')})`);
}
