import { type Static, Type } from 'typebox';
import type { Job } from '../../database/queue/added-jobs.ts';
import type { Scope } from './contributor.ts';

/** The delay, in ms, in which repositories of one owner that are hidden or shown one after another become one job. */
const restMs = 10_000;

/**
 * The payload of a job about a list of contributors: to one repository, or without `repositoryId` to all of an account.
 */
export const ListOfAccount = Type.Object({
  accountId: Type.String(),
  repositoryId: Type.Optional(Type.String()),
  includesPrivate: Type.Boolean(),
});
export type ListOfAccount = Static<typeof ListOfAccount>;

/** Returns the job that makes a list for which the time of a request does not suffice. */
export function makeListJob({ accountId, repositoryId, includesPrivate }: Scope): Job {
  return {
    task: 'make_list',
    payload: { accountId, ...(repositoryId !== null && { repositoryId }), includesPrivate },
    key: `make_list ${accountId} ${repositoryId ?? 'all'}${includesPrivate ? ' with private' : ''}`,
    priority: 10,
  };
}

/** Returns the job that makes the public list of an account before a client requests it. */
export function prepareListJob(accountId: string): Job {
  const key = `prepare_list ${accountId}`;
  return { task: 'prepare_list', payload: { accountId }, key, priority: 70, delayMs: restMs, keepsRunAt: true };
}
