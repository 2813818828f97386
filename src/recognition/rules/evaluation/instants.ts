import { type RawBuilder, sql } from 'kysely';
import type { Checked } from '../conditions/terms.ts';
import type { FieldOf } from '../conditions/vocabulary.ts';
import type { ItemSource } from './item-sources.ts';
import { holds } from './item-terms.ts';

/**
 * The columns with the times at which a contribution begins to satisfy a condition, if every contribution that
 * satisfies it has the same columns.
 */
type Ends = ReadonlySet<'closed_at' | 'merged_at' | 'answered_at'>;

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

const merged: Ends = new Set(['merged_at'] as const);
const closed: Ends = new Set(['closed_at'] as const);
const answered: Ends = new Set(['answered_at'] as const);

function endsOfFlag(field: FieldOf<'flag'>, { action }: ItemSource): Ends {
  const isOfMerged = field === 'merged' || (field.startsWith('first') && action === 'pull_request');
  if (isOfMerged) return merged;
  return field === 'closed' ? closed : field === 'answered' ? answered : new Set();
}

function isSame(one: Ends, other: Ends): boolean {
  return one.size === other.size && [...one].every((end) => other.has(end));
}
