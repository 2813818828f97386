import { lockTotals } from '../../contributions/items/write-store.ts';
import {
  type Addresses,
  doLanguageSumsDiffer,
  findEndOfAddresses,
  recountLanguageSums,
} from '../../contributions/languages/sum-store.ts';
import { findDifferentPeople, findNextDays } from '../../contributions/totals/compare-totals-store.ts';
import { recountParts } from '../../contributions/totals/recount-store.ts';
import {
  beforeAddresses,
  beforePeople,
  findLostPeople,
  findLostPeopleOf,
  findNextPeople,
  moveRepair,
} from '../../contributions/totals/repair-store.ts';
import { markTotalsChanged } from '../../contributions/totals/total-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import type { Repair } from '../../database/schema/repair.ts';
import { storedCounters } from '../../model/kinds.ts';

/** The number of rows of a part for each person that it compares at most. */
const rowsOfPerson = 20;

/** A part that was repaired. */
export interface Repaired {
  /** The number of totals that differed. */
  differences: number;
  /** The next part; null: none is left. */
  next: Repair | null;
}

/** Totals that differ, and the next part when they are right. */
interface Found {
  next: Repair | null;
  recount: ((transaction: Connection) => Promise<number>) | null;
}

/** A repository whose totals are repaired. */
interface Repairing {
  repositoryId: string;
  /** The rows of a day, a person or an address after which a part ends. */
  rows: number;
  signal: AbortSignal;
}

/**
 * Repairs the next totals of people or languages of a repository: compares them without a lock, counts those that
 * differ again, and stores the next place in the same transaction, so that a stop loses one part at most.
 */
export async function repairNext(connection: Connection, repairing: Repairing, repair: Repair): Promise<Repaired> {
  const { repositoryId } = repairing;
  const { next, recount } = await find(connection, repairing, repair);
  const differences = await inTransaction(connection, async (transaction) => {
    let different = 0;
    if (recount !== null) {
      await lockTotals(transaction, repositoryId);
      different = await recount(transaction);
    }
    await moveRepair(transaction, repositoryId, { from: repair, to: next });
    return different;
  });
  return { differences, next };
}

function find(connection: Connection, repairing: Repairing, repair: Repair): Promise<Found> {
  const { repositoryId, rows } = repairing;
  if (repair.part === 'days') return findLost(connection, repairing, repair);
  if (repair.part === 'people') return findPeople(connection, repositoryId, repair.after, rows);
  return findLanguages(connection, repositoryId, repair.after, rows);
}

/** Finds people of the next days without totals. A part with many of them is searched again for the rest. */
async function findLost(
  connection: Connection,
  { repositoryId, rows, signal }: Repairing,
  repair: Repair & { part: 'days' },
): Promise<Found> {
  const { isLarge, ...days } = await findNextDays(connection, repositoryId, repair.from, rows);
  const limit = mostPeople(rows);
  const lost = isLarge
    ? await findLostPeopleOf(connection, { repositoryId, days, signal }, limit)
    : await findLostPeople(connection, repositoryId, days, limit);
  const following: Repair =
    days.until === null ? { part: 'people', after: beforePeople } : { part: 'days', from: days.until };
  return { next: lost.length === limit ? repair : following, recount: recountOf(repositoryId, lost) };
}

async function findPeople(connection: Connection, repositoryId: string, after: string, rows: number): Promise<Found> {
  const people = await findNextPeople(connection, repositoryId, after, { people: mostPeople(rows), rows });
  const last = people.at(-1);
  if (last === undefined) return { next: { part: 'languages', after: beforeAddresses }, recount: null };
  const different = await findDifferentPeople(connection, repositoryId, people);
  return { next: { part: 'people', after: last }, recount: recountOf(repositoryId, different) };
}

async function findLanguages(
  connection: Connection,
  repositoryId: string,
  after: number,
  rows: number,
): Promise<Found> {
  const until = await findEndOfAddresses(connection, repositoryId, after, rows);
  const addresses = { after, until };
  return {
    next: until === null ? null : { part: 'languages', after: until },
    recount: (await doLanguageSumsDiffer(connection, repositoryId, addresses))
      ? (transaction) => repairLanguages(transaction, repositoryId, addresses)
      : null,
  };
}

async function repairLanguages(transaction: Connection, repositoryId: string, addresses: Addresses): Promise<number> {
  const differences = await recountLanguageSums(transaction, repositoryId, addresses);
  if (differences > 0) await markTotalsChanged(transaction, repositoryId);
  return differences;
}

function recountOf(repositoryId: string, people: readonly string[]): Found['recount'] {
  if (people.length === 0) return null;
  return (transaction) => recountParts(transaction, repositoryId, [{ contributors: people }], storedCounters);
}

function mostPeople(rows: number): number {
  return Math.ceil(rows / rowsOfPerson);
}
