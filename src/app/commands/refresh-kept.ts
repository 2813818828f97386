import { setTimeout as wait } from 'node:timers/promises';
import { requestListing } from '../../accounts/actor-store.ts';
import { refreshJob, withUrgency } from '../../accounts/jobs.ts';
import { findOwnedRepository } from '../../accounts/repositories/store.ts';
import { findReportedCalendar } from '../../contributions/calendar/calendar-store.ts';
import { findCollection } from '../../contributions/items/collection-store.ts';
import {
  calendarJob,
  collectJob,
  collectRepositoryJob,
  fetchReportedTotalsJob,
} from '../../contributions/items/jobs.ts';
import { findReportedTotals } from '../../contributions/totals/private-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import type { Job } from '../../database/queue/added-jobs.ts';
import { countJobs } from '../../database/queue/job-counts.ts';
import { claimLookup, findLookupsByKey, type StoredLookup } from '../../database/queue/lookups.ts';
import type { Account } from '../../model/account.ts';

const pollMs = 250;

/** The account of a card, and the repository, where the card is about a single one. */
export interface CardSubject {
  account: Account;
  repository: string | undefined;
}

/** Starts lookups of data that is older than `since`. In a service they would start after its first response. */
export async function refreshKept(
  connection: Connection,
  { account, repository }: CardSubject,
  since: Date,
): Promise<void> {
  const { id } = account;
  const isOld = (time: Date | null | undefined): boolean => time !== null && time !== undefined && time < since;
  const jobs: Job[] = isOld(account.fetchedAt) ? [refreshJob(id)] : [];
  if (repository === undefined) {
    const { listedAt } = await findCollection(connection, id, { withPrivate: true });
    if (isOld(listedAt)) {
      await requestListing(connection, id, new Date());
      jobs.push(collectJob(id));
    }
    const totals = await findReportedTotals(connection, id);
    if (totals.some(({ fetchedAt }) => isOld(fetchedAt))) jobs.push(fetchReportedTotalsJob(id));
    if (isOld((await findReportedCalendar(connection, id))?.fetchedAt)) jobs.push(calendarJob(id));
  } else {
    const stored = await findOwnedRepository(connection, id, repository, { withPrivate: true });
    if (isOld(stored?.collectedAt)) jobs.push(collectRepositoryJob({ accountId: id, repository, withPrivate: true }));
  }
  for (const job of jobs) await claimLookup(connection, withUrgency(job, 'interactive'), new Date());
}

/**
 * Waits until no job is due or runs: awards and rankings follow later than reading.
 * @param deadline in ms, of `performance.now()`.
 */
export async function waitForJobs(
  connection: Connection,
  { deadline, signal }: { deadline: number; signal: AbortSignal },
): Promise<void> {
  while (performance.now() < deadline) {
    const jobs = await countJobs(connection);
    if (jobs.every(({ due, running }) => due + running === 0)) return;
    await wait(pollMs, undefined, { signal });
  }
}

/**
 * Waits until no lookup of a card's subject runs or is delayed.
 * @param deadline in ms, of `performance.now()`.
 * @returns the lookups that failed, or that are left at the deadline.
 */
export async function waitForLookups(
  connection: Connection,
  { account: { id }, repository }: CardSubject,
  { deadline, signal }: { deadline: number; signal: AbortSignal },
): Promise<StoredLookup[]> {
  const ofRepository =
    repository === undefined
      ? []
      : [false, true].map((withPrivate) => collectRepositoryJob({ accountId: id, repository, withPrivate }));
  const jobs = [refreshJob(id), collectJob(id), fetchReportedTotalsJob(id), calendarJob(id), ...ofRepository];
  const keys = jobs.map(({ key }) => key);
  for (;;) {
    const lookups = await findLookupsByKey(connection, keys, `fetch_window ${id} `);
    const areOver = lookups.every(({ state }) => state === 'failed');
    if (areOver || performance.now() > deadline) return lookups;
    await wait(pollMs, undefined, { signal });
  }
}
