import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import type { Connection } from '../../database/connections/connection.ts';
import { addJob, type Job } from '../../database/queue/added-jobs.ts';
import { contributionKinds } from '../../model/contribution.ts';
import { contributionsIn } from '../totals/column-store.ts';
import { publicList, type Scope } from './contributor.ts';
import { findRanking } from './ranking-store.ts';

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

/** The least contributions to an owner's repositories for which its list is prepared: a request makes smaller ones at once. */
const leastContributions = 100_000;

/** Queues the job that prepares the list of an owner that has none, where it is large and its repositories are collected. */
export async function prepareMissingList(connection: Connection, ownerId: string): Promise<void> {
  if ((await findRanking(connection, publicList(ownerId))) === undefined)
    await prepareListsAgain(connection, [ownerId]);
}

/**
 * Queues the jobs that prepare the lists of some owners after the surrounding transaction, which may end those that are stored.
 */
export async function prepareListsAgain(connection: Connection, ownerIds: readonly string[]): Promise<void> {
  for (const id of await findLarge(connection, ownerIds)) await addJob(connection, prepareListJob(id));
}

/**
 * Returns the large ones of some owners by their stored sums, in the order of their ids. Owners whose repositories are being
 * collected for the first time are none yet: a list that exists would follow every page.
 */
export async function findLarge(connection: Connection, ownerIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select owner_id as id from owner_sums s where owner_id = any(${[...ownerIds]}::uuid[]) and not is_private
    group by owner_id having sum(${contributionsIn(contributionKinds, 's')}) >= ${leastContributions} and sum(unfinished) = 0
    order by owner_id`.execute(connection);
  return rows.map(({ id }) => id);
}

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
function prepareListJob(accountId: string): Job {
  const key = `prepare_list ${accountId}`;
  return { task: 'prepare_list', payload: { accountId }, key, priority: 70, delayMs: restMs, keepsRunAt: true };
}
