import {
  type Differences,
  findDifferentLanguages,
  findDifferentPeopleOfDay,
  type Pass,
} from '../../contributions/totals/day-differences-store.ts';
import { beginDay, type CountOfDay, type LargeDay } from '../../contributions/totals/large-day-store.ts';
import { addCounted, recountedCounters } from '../../contributions/totals/recount-commits-store.ts';
import { recountCounted } from '../../contributions/totals/recount-store.ts';
import { beforeAddresses, beforePeople } from '../../contributions/totals/repair-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { ofDays, storedCounters } from '../../model/kinds.ts';

/**
 * Counts again what differs on a large day. A pass reads the whole day without a lock, and finds what differs of some
 * people or addresses. Short transactions store it, unless the day changed meanwhile.
 */

/** The result of passes, which end early when the day changed while it was counted. */
interface Recounted {
  /** The number of rows that differed. */
  differences: number;
  isComplete: boolean;
}

/** @param rows the most people of a pass. */
export function recountPeopleOnDay(connection: Connection, day: LargeDay, rows: number): Promise<Recounted> {
  const counters = ofDays(storedCounters);
  return inPasses(connection, day, {
    first: { after: beforePeople, limit: rows },
    find: (pass) => findDifferentPeopleOfDay(connection, day, counters, pass),
    store: (to, count, people) => recountCounted(to, count, { ...day.days, people }),
  });
}

/** @param rows the most addresses of a pass. */
export function recountLanguagesOnDay(connection: Connection, day: LargeDay, rows: number): Promise<Recounted> {
  return inPasses(connection, day, {
    first: { after: beforeAddresses, limit: rows },
    find: (pass) => findDifferentLanguages(connection, day, pass),
    store: (to, count, addresses) => recountCounted(to, count, { languages: { ...day.days, addresses } }),
  });
}

/**
 * Counts the commits of a day at the position of a recount, and moves it behind the day if that is complete.
 * @param rows the most people of a pass.
 */
export function recountCommitsOnDay(connection: Connection, day: LargeDay, rows: number): Promise<Recounted> {
  return inPasses(connection, day, {
    first: { after: beforePeople, limit: rows },
    find: (pass) => findDifferentPeopleOfDay(connection, day, recountedCounters, pass),
    async store(to, count, people, ended) {
      const isStored = await addCounted(to, count, { ...day.days, people }, ended?.commits ?? null);
      return isStored ? people.size : null;
    },
  });
}

interface Passes<Key, Numbers, Others> {
  first: Pass<Key>;
  find: (pass: Pass<Key>) => Promise<Differences<Key, Numbers> & Others>;
  /**
   * Stores some of those that differ.
   * @param ended what the last pass found, with its last part; null: another part follows.
   * @returns the number of rows that differed; null: the day changed.
   */
  store: (
    transaction: Connection,
    counted: CountOfDay,
    some: ReadonlyMap<Key, Numbers>,
    ended: Others | null,
  ) => Promise<number | null>;
}

async function inPasses<Key, Numbers, Others>(
  connection: Connection,
  { repositoryId, days, signal }: LargeDay,
  { first, find, store }: Passes<Key, Numbers, Others>,
): Promise<Recounted> {
  const { from } = days;
  if (from === null) throw new Error('A large day has a date.');
  const begin = (to: Connection): Promise<number | null> => beginDay(to, repositoryId, from);
  let differences = 0;
  let { after } = first;
  for (;;) {
    signal.throwIfAborted();
    let count = await inTransaction(connection, begin);
    const found = await find({ ...first, after });
    const parts = toParts(found.different, Math.ceil(first.limit / partsOfPass));
    for (const [index, some] of parts.entries()) {
      if (count === null) return { differences, isComplete: false };
      const isLast = index === parts.length - 1;
      const ended = isLast && found.until === null ? found : null;
      const counted = { repositoryId, count };
      const stored = await inTransaction(connection, async (to) => {
        const number = await store(to, counted, some, ended);
        // Storing a part removes the mark. The day is still the same for the next part.
        return number === null ? null : { number, count: isLast ? null : await begin(to) };
      });
      if (stored === null) return { differences, isComplete: false };
      differences += stored.number;
      count = stored.count;
    }
    if (found.until === null) return { differences, isComplete: true };
    after = found.until;
  }
}

/** The most transactions that store what a pass found, so that events do not wait for all of it. */
const partsOfPass = 10;

/** Divides a map into parts of a size, one at least. */
function toParts<Key, Value>(map: ReadonlyMap<Key, Value>, size: number): Map<Key, Value>[] {
  const entries = [...map];
  const parts = [new Map(entries.slice(0, size))];
  for (let at = size; at < entries.length; at += size) parts.push(new Map(entries.slice(at, at + size)));
  return parts;
}
