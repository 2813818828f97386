import { type Static, Type } from 'typebox';
import type { Job } from '../database/queue.ts';

/** What a job about one repository is told: its name, for it may not be stored yet. */
export const RepositoryOfAccount = Type.Object({
  accountId: Type.String(),
  repository: Type.String(),
  /** Whether a private one may be found. That it was asked for tells nothing to those who may not see it. */
  withPrivate: Type.Boolean({ default: false }),
});
export type RepositoryOfAccount = Static<typeof RepositoryOfAccount>;

/** Reads all contributions to the public repositories that an account owns. */
export function collectJob(accountId: string): Job {
  return { task: 'collect', payload: { accountId }, key: `collect ${accountId}`, priority: 30 };
}

/** Reads all contributions to one repository; somebody may wait. */
export function collectRepositoryJob({ accountId, repository, withPrivate }: RepositoryOfAccount): Job {
  const key = `collect_repository ${accountId}/${repository.toLowerCase()}${withPrivate ? ' with private' : ''}`;
  return { task: 'collect_repository', payload: { accountId, repository, withPrivate }, key, priority: 20 };
}

/** Asks for the lifetime totals that the provider's credentials see, private contributions included. */
export function seeTotalsJob(accountId: string): Job {
  return { task: 'see_totals', payload: { accountId }, key: `see_totals ${accountId}`, priority: 10 };
}

/** Fetches a user's calendar from the provider; somebody may wait. */
export function calendarJob(accountId: string): Job {
  return { task: 'fetch_calendar', payload: { accountId }, key: `fetch_calendar ${accountId}`, priority: 10 };
}

/** Brings the totals of people up to date whose stored contributions changed. */
export const updateTotalsJob: Job = { task: 'update_totals', payload: {}, key: 'update_totals', priority: 15 };
