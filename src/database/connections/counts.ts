import { createHash } from 'node:crypto';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Batches } from '../reads/batches.ts';
import { deleteSome } from '../schema/delete-some.ts';
import type { Connection } from './connection.ts';

/** The number of times that an action was done within its current period. */
export interface Count {
  count: number;
  resetsAt: Date;
}

interface Added {
  key: string;
  periodMs: number;
}

const maxAtOnce = 1000;

/** Counts that all nodes share. Concurrent actions of a node share a statement, so they do not wait for each other's row. */
export class SharedCounts {
  readonly #batches: Batches<Added, Count>;

  constructor(connection: Connection, now: () => Date) {
    this.#batches = new Batches(maxAtOnce, (added) => addCounts(connection, added, now()));
  }

  /**
   * Counts an action once more. A period of `periodMs` begins with the first action after the end of the one before.
   * @param action the name of the action; only a hash of it is stored, because it may name a person.
   * @returns the number of actions in the period, with this one.
   */
  add(action: string, periodMs: number): Promise<Count> {
    return this.#batches.add({ key: hashAction(action), periodMs });
  }
}

/**
 * Adds counts.
 * @returns the count that each one reached, as if they were added one after the other.
 */
async function addCounts(connection: Connection, added: readonly Added[], now: Date): Promise<Count[]> {
  const groups = Map.groupBy(added, ({ key }) => key);
  const rows = [...groups]
    .map(([key, group]) => ({
      key,
      count: group.length,
      resets_at: new Date(now.getTime() + (group[0]?.periodMs ?? 0)),
    }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const saved = await sql<{ key: string; count: number; resets_at: Date }>`
    insert into rate_limits as r (key, count, resets_at)
    select key, count, resets_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as n (key text, count integer, resets_at timestamptz)
    order by key
    on conflict (key) do update set
      count = case when r.resets_at <= ${now} then excluded.count else r.count + excluded.count end,
      resets_at = case when r.resets_at <= ${now} then excluded.resets_at else r.resets_at end
    returning key, count, resets_at`.execute(connection);
  const totals = new Map(saved.rows.map((row) => [row.key, row]));
  const seen = new Map<string, number>();
  return added.map(({ key }) => {
    const total = totals.get(key);
    if (total === undefined) throw new Error('a count was not stored');
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return { count: total.count - (groups.get(key)?.length ?? 0) + before + 1, resetsAt: total.resets_at };
  });
}

/** The number of actions an hour that an address, network or account may cause. */
export interface Allowance {
  /** The names of the address, network or account and of its action; only a hash of it is stored, because it may name a person. */
  action: string;
  perHour: number;
}

const hourMs = 3_600_000;
/** The longest time, in ms, for which an action waits for its allowance; callers refuse actions that would wait longer. */
export const maxAllowanceWaitMs = hourMs;

/**
 * Counts one action against each of several allowances, as part of the surrounding transaction. An hour's actions can be
 * done at once; after that, one is allowed each hour / `perHour` (the generic cell rate algorithm, ITU-T I.371).
 * `resets_at` is the time at which the whole allowance is available again, so a row whose time is past has no effect.
 * @returns the time at which all allowances permit the action; not after `now`: it may be done at once.
 */
export async function useAllowances(
  transaction: Connection,
  allowances: readonly Allowance[],
  now: Date,
): Promise<Date> {
  const rows = allowances.map(({ action, perHour }) => ({
    key: hashAction(action),
    resets_at: new Date(now.getTime() + hourMs / perHour),
  }));
  // A later time was stored by a clock that was wrong.
  const latestValid = new Date(now.getTime() + hourMs + maxAllowanceWaitMs);
  const taken = await sql<{ resets_at: Date }>`
    insert into rate_limits as r (key, count, resets_at)
    select key, 1, resets_at
    from json_to_recordset(${JSON.stringify(rows)}::json) as n (key text, resets_at timestamptz)
    order by key
    on conflict (key) do update set
      count = r.count + 1,
      resets_at = excluded.resets_at
        + case when r.resets_at between ${now} and ${latestValid} then r.resets_at - ${now}::timestamptz else interval '0' end
    returning resets_at`.execute(transaction);
  const latest = Math.max(...taken.rows.map((row) => row.resets_at.getTime()));
  return new Date(latest - hourMs);
}

/** Returns the allowances that an action counted against, as a text for the payload of its job; it names no person. */
export function formatCounted(allowances: readonly Allowance[]): string {
  return JSON.stringify(allowances.map(({ action, perHour }) => ({ key: hashAction(action), perHour })));
}

const Counted = Compile(Type.Array(Type.Object({ key: Type.String(), perHour: Type.Number({ minimum: 1 }) })));

/** Takes back the count of one action, whose allowances `formatCounted` wrote. */
export async function takeBackCount(connection: Connection, counted: string): Promise<void> {
  for (const { key, perHour } of Counted.Parse(JSON.parse(counted))) {
    await sql`
      update rate_limits set count = count - 1, resets_at = resets_at - ${hourMs / perHour} * interval '1 millisecond'
      where key = ${key} and count > 0`.execute(connection);
  }
}

/** Returns the SQL condition that all allowances permit an action now. It does not count one. */
export function permitNow(allowances: readonly Allowance[], now: Date): RawBuilder<SqlBool> {
  const rows = allowances.map(({ action, perHour }) => ({
    key: hashAction(action),
    free_until: new Date(now.getTime() + hourMs - hourMs / perHour),
  }));
  return sql<SqlBool>`not exists (
    select from json_to_recordset(${JSON.stringify(rows)}::json) as n (key text, free_until timestamptz)
    join rate_limits r using (key) where r.resets_at > n.free_until)`;
}

function hashAction(action: string): string {
  return createHash('sha256').update(action).digest('base64url');
}

/** Deletes some counts of periods that are over. @returns how many. */
export function deleteCounts(connection: Connection, now: Date, limit: number): Promise<number> {
  const where = sql`resets_at <= ${now}`;
  return deleteSome(connection, 'rate_limits', { where, orderBy: sql`resets_at`, limit });
}
