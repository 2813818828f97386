import { type Static, Type } from 'typebox';
import type { Job } from '../../database/queue/added-jobs.ts';

/** The payload of a job about one repository. It contains the name, because the repository may not be stored yet. */
export const RepositoryOfAccount = Type.Object({
  accountId: Type.String(),
  repository: Type.String(),
  /**
   * True when a private repository may be found. The job itself reveals nothing to callers who may not see the
   * repository.
   */
  withPrivate: Type.Boolean({ default: false }),
});
export type RepositoryOfAccount = Static<typeof RepositoryOfAccount>;

/** Returns the job that reads all contributions to the public repositories that an account owns. */
export function collectJob(accountId: string): Job {
  return { task: 'collect', payload: { accountId }, key: `collect ${accountId}`, priority: 30 };
}

/** Returns the job that reads all contributions to one repository; a client may be waiting for it. */
export function collectRepositoryJob({ accountId, repository, withPrivate }: RepositoryOfAccount): Job {
  const key = `collect_repository ${accountId}/${repository.toLowerCase()}${withPrivate ? ' with private' : ''}`;
  return { task: 'collect_repository', payload: { accountId, repository, withPrivate }, key, priority: 20 };
}

/** Returns the job that fetches the lifetime totals that the provider's credentials see, with private contributions. */
export function fetchReportedTotalsJob(accountId: string): Job {
  return {
    task: 'fetch_reported_totals',
    payload: { accountId },
    key: `fetch_reported_totals ${accountId}`,
    priority: 10,
  };
}

/** Returns the job that fetches a user's calendar from the provider; a client may be waiting for it. */
export function calendarJob(accountId: string): Job {
  return { task: 'fetch_calendar', payload: { accountId }, key: `fetch_calendar ${accountId}`, priority: 10 };
}

/** The payload of a job about days of one account, `YYYY-MM-DD`, both included. */
export const WindowOfAccount = Type.Object({ accountId: Type.String(), first: Type.String(), last: Type.String() });
export type WindowOfAccount = Static<typeof WindowOfAccount>;

/**
 * Returns the job that fetches a user's counters of a range of days from the provider; a client may be waiting for it.
 */
export function fetchWindowJob({ accountId, first, last }: WindowOfAccount): Job {
  const key = `fetch_window ${accountId} ${first} ${last}`;
  return { task: 'fetch_window', payload: { accountId, first, last }, key, priority: 10 };
}

/** The payload of a job about the languages of an account. */
export const LanguagesOfAccount = Type.Object({ accountId: Type.String(), withPrivate: Type.Boolean() });
export type LanguagesOfAccount = Static<typeof LanguagesOfAccount>;

/** Returns the job that requests the languages of the commits of an account's repositories. */
export function countLanguagesJob({ accountId, withPrivate }: LanguagesOfAccount): Job {
  const key = `count_languages ${accountId}${withPrivate ? ' with private' : ''}`;
  return { task: 'count_languages', payload: { accountId, withPrivate }, key, priority: 30 };
}

/** Updates the totals of the accounts whose stored contributions changed. */
export const updateTotalsJob: Job = { task: 'update_totals', payload: {}, key: 'update_totals', priority: 15 };

/** Removes data whose time is over, and what erased repositories left. */
export const cleanUpJob: Job = { task: 'clean_up', payload: {}, key: 'clean_up', priority: 60 };
