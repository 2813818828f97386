import { type Static, Type } from 'typebox';
import type { Job } from '../database/queue.ts';
import type { Scope } from './contributor.ts';

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
