import { recordTotalsChanged } from '../../contributions/items/collection-store.ts';
import { markAddressesInParts, markNextUncounted } from '../../contributions/items/identity-store.ts';
import { lockTotals } from '../../contributions/items/write-store.ts';
import { needsLanguages } from '../../contributions/languages/store.ts';
import {
  type Addresses,
  doLanguageSumsDiffer,
  findEndOfAddresses,
  recountLanguageSums,
} from '../../contributions/languages/sum-store.ts';
import {
  differ,
  findDifferentPeople,
  findNextDays,
  type NextDays,
} from '../../contributions/totals/compare-totals-store.ts';
import { countDay } from '../../contributions/totals/count-day-store.ts';
import type { Days } from '../../contributions/totals/expected-totals-store.ts';
import { beginDay } from '../../contributions/totals/large-day-store.ts';
import { type DaysPart, recountPart, recountParts } from '../../contributions/totals/recount-store.ts';
import {
  beforeAddresses,
  beforePeople,
  findLostPeople,
  findLostPeopleOfDay,
  findNextPeople,
  findRepair,
  moveRepair,
} from '../../contributions/totals/repair-store.ts';
import {
  type CountedDay,
  compareChecked,
  correctWhole,
  endChecked,
  findChecked,
  moveChecked,
} from '../../contributions/totals/running-check-store.ts';
import { areCommitsCounted, countNewCommits, markTotalsChanged } from '../../contributions/totals/total-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inBatches, inTransaction } from '../../database/connections/transaction.ts';
import type { Repair } from '../../database/tables/contribution-tables.ts';
import { storedCounters } from '../../model/kinds.ts';
import type { SyncContext } from '../context.ts';
import { recordState } from '../lookups/record-state.ts';
import { recountLanguagesOnDay, recountPeopleOnDay } from './recount-large-day.ts';

/** The number of rows of a part for each person that it compares at most. */
const rowsOfPerson = 20;

/** A part that was repaired. */
interface Repaired {
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

export interface CheckLimits {
  /** The items of one kind, commits, stored days or sums of languages that one statement compares. */
  rows: number;
  /** The parts of that many rows that one call checks. */
  parts: number;
}

export const usualLimits: CheckLimits = { rows: 10_000, parts: 5 };

export interface CheckResult {
  /** The number of stored totals that differed. */
  differences: number;
  /** True when a repair of totals is not complete, which the next call continues. */
  isRepairing: boolean;
}

type Context = Pick<SyncContext, 'connection' | 'now' | 'providers'>;

/** The repository whose totals are checked. */
interface Checked {
  repositoryId: string;
  ownerId: string;
}

/**
 * Checks that the next days of a repository agree with its stored contributions, part by part, and after the last day that
 * the totals of people and of the whole agree with the days; the next call begins with the first day then. A part that
 * differs is counted again in a transaction of its own, and the position is stored after each part, so that a stop loses
 * one part at most. People and languages are repaired in parts as well, before the next day is checked. Comparing locks
 * nothing; moving the position holds the totals while the part is summed.
 */
export async function checkTotals(
  context: Context,
  checked: Checked,
  signal: AbortSignal,
  { rows, parts }: CheckLimits = usualLimits,
): Promise<CheckResult> {
  const { connection } = context;
  const { repositoryId } = checked;
  await inBatches(() => markNextUncounted(connection));
  await countNew(connection, repositoryId, { rows, signal });
  let differences = 0;
  let from = await findChecked(connection, repositoryId);
  let repair = await findRepair(connection, repositoryId);
  for (let part = 0; part < parts; part += 1) {
    signal.throwIfAborted();
    if (repair !== null) {
      const repaired = await repairNext(connection, { repositoryId, rows, signal }, repair);
      differences += await recorded(context, checked, repaired.differences);
      repair = repaired.next;
      if (repair === null) break;
      continue;
    }
    const days = await findNextDays(connection, repositoryId, from, rows);
    const moved = await checkPart(context, checked, { from, days, rows, signal });
    differences += moved.differences;
    if (days.until === null) {
      const compared = await compareSums(context, checked, from);
      differences += compared.differences;
      repair = compared.repair;
      if (repair === null) break;
      from = null;
      continue;
    }
    if (!moved.isMoved) break;
    from = days.until;
  }
  await inTransaction(connection, (transaction) => recordTotalsChanged(transaction, [repositoryId]));
  return { differences, isRepairing: repair !== null };
}

/** Days that are checked, which follow the position `from`. */
interface Part {
  from: string | null;
  days: NextDays;
  /** The most people or addresses of a large day that are counted again at once. */
  rows: number;
  signal: AbortSignal;
}

/** Checks days, and moves the position behind them, unless they are the last ones or the sums cannot be stored. */
async function checkPart(context: Context, checked: Checked, part: Part): Promise<Moved> {
  const { from, days } = part;
  if (days.isLarge) return checkLargeDay(context, checked, part);
  const { until } = days;
  const differences = await checkDays(context, checked, days);
  if (until === null) return { differences, isMoved: false };
  const move = (to: Connection): Promise<boolean> => moveChecked(to, checked.repositoryId, { from, until });
  return { differences, isMoved: await inTransaction(context.connection, move) };
}

interface Moved {
  differences: number;
  isMoved: boolean;
}

/** The number of times that one call counts a large day, which may change meanwhile, before it leaves it to the next call. */
const countsOfDay = 3;

/** Checks a large day. Its rows are counted without a lock, so that events do not wait for them. */
async function checkLargeDay(context: Context, checked: Checked, { from, days, rows, signal }: Part): Promise<Moved> {
  const { connection } = context;
  const { repositoryId } = checked;
  const { from: day, until } = days;
  if (day === null || until === null) throw new Error('A large day has an end.');
  const move = (position: { from: string | null; until: string }, counted?: CountedDay): Promise<boolean> =>
    inTransaction(connection, (to) => moveChecked(to, repositoryId, position, counted));
  // Changes of days before the first one are in the sums from now on.
  if (from === null && !(await move({ from, until: day }))) return { differences: 0, isMoved: false };
  const large = { repositoryId, days, signal };
  const begin = async (to: Connection): Promise<number | null> =>
    (await areCommitsCounted(to, repositoryId)) ? beginDay(to, repositoryId, day) : null;
  let differences = 0;
  for (let attempt = 0; attempt < countsOfDay; attempt += 1) {
    const count = await inTransaction(connection, begin);
    if (count === null) break;
    const withLanguages = await needsLanguages(connection, repositoryId);
    const { sums, isRight } = await countDay(connection, large, withLanguages);
    if (!isRight) {
      for (const recount of [recountPeopleOnDay, ...(withLanguages ? [recountLanguagesOnDay] : [])]) {
        const recounted = await recount(connection, large, rows);
        differences += await recorded(context, checked, recounted.differences);
      }
      continue;
    }
    if (await move({ from: day, until }, { count, sums })) return { differences, isMoved: true };
  }
  return { differences, isMoved: false };
}

/** Compares days of people and languages, and counts them again when they differ. */
async function checkDays(context: Context, checked: Checked, days: Days): Promise<number> {
  const ofPeople = await compareAgain(context, checked, days);
  return ofPeople + (await compareAgain(context, checked, { languages: days }));
}

async function compareAgain(context: Context, checked: Checked, part: DaysPart): Promise<number> {
  const { connection } = context;
  const { repositoryId } = checked;
  if (!(await differ(connection, repositoryId, part))) return 0;
  // A change between the two statements is no difference.
  const different = await inTransaction(connection, (to) => recountPart(to, repositoryId, part));
  return recorded(context, checked, different);
}

/** Compares the sums of all days, corrects the totals of the whole, and ends the check. @returns the repair that follows. */
async function compareSums(
  context: Context,
  checked: Checked,
  from: string | null,
): Promise<{ differences: number; repair: Repair | null }> {
  const { connection } = context;
  const { repositoryId } = checked;
  const differing = await compareChecked(connection, repositoryId, from);
  let differences = 0;
  if (differing.includes('whole')) {
    const wrong = await inTransaction(connection, (to) => correctWhole(to, repositoryId, from));
    differences = await recorded(context, checked, wrong);
  }
  let repair: Repair | null = null;
  if (differing.includes('people')) repair = { part: 'days', from: null };
  else if (differing.includes('languages')) repair = { part: 'languages', after: beforeAddresses };
  if (from !== null || repair !== null) {
    await inTransaction(connection, async (transaction) => {
      if (from !== null) await endChecked(transaction, repositoryId, from);
      if (repair !== null) await moveRepair(transaction, repositoryId, { from: null, to: repair });
    });
  }
  return { differences, repair };
}

/** Updates the numbers of the owner after totals differed, in a transaction of its own: accounts are locked before totals. */
async function recorded(context: Context, { ownerId }: Checked, differences: number): Promise<number> {
  if (differences > 0) await inTransaction(context.connection, (to) => recordState(context, to, ownerId));
  return differences;
}

/** Counts new commits in parts, because a part of the totals is counted again with all of them. */
async function countNew(
  connection: Connection,
  repositoryId: string,
  { rows, signal }: { rows: number; signal: AbortSignal },
): Promise<void> {
  if (!(await areCommitsCounted(connection, repositoryId))) return;
  await markAddressesInParts(connection, repositoryId, { rows, signal });
  let counted = rows;
  while (counted === rows) {
    signal.throwIfAborted();
    counted = await inTransaction(connection, (to) => countNewCommits(to, repositoryId, rows));
  }
}

/**
 * Repairs the next totals of people or languages of a repository: compares them without a lock, counts those that
 * differ again, and stores the next place in the same transaction, so that a stop loses one part at most.
 */
async function repairNext(connection: Connection, repairing: Repairing, repair: Repair): Promise<Repaired> {
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
    ? await findLostPeopleOfDay(connection, { repositoryId, days, signal }, limit)
    : await findLostPeople(connection, repositoryId, days, limit);
  const following: Repair =
    days.until === null ? { part: 'people', after: beforePeople } : { part: 'days', from: days.until };
  return { next: lost.length === limit ? repair : following, recount: createRecount(repositoryId, lost) };
}

async function findPeople(connection: Connection, repositoryId: string, after: string, rows: number): Promise<Found> {
  const people = await findNextPeople(connection, repositoryId, after, { people: mostPeople(rows), rows });
  const last = people.at(-1);
  if (last === undefined) return { next: { part: 'languages', after: beforeAddresses }, recount: null };
  const different = await findDifferentPeople(connection, repositoryId, people);
  return { next: { part: 'people', after: last }, recount: createRecount(repositoryId, different) };
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

function createRecount(repositoryId: string, people: readonly string[]): Found['recount'] {
  if (people.length === 0) return null;
  return (transaction) => recountParts(transaction, repositoryId, [{ contributors: people }], storedCounters);
}

function mostPeople(rows: number): number {
  return Math.ceil(rows / rowsOfPerson);
}
