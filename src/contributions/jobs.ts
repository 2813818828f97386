import { type Static, Type } from 'typebox';
import type { Job } from '../database/queue.ts';

/** What a job about one repository is told: its name, for it may not be stored yet. */
export const RepositoryOfAccount = Type.Object({ accountId: Type.String(), repository: Type.String() });
export type RepositoryOfAccount = Static<typeof RepositoryOfAccount>;

/** Reads all contributions to the public repositories that an account owns. */
export function collectJob(accountId: string): Job {
  return { task: 'collect', payload: { accountId }, key: `collect ${accountId}`, priority: 30 };
}

/** Reads all contributions to one repository; somebody may wait. */
export function collectRepositoryJob({ accountId, repository }: RepositoryOfAccount): Job {
  const key = `collect_repository ${accountId}/${repository.toLowerCase()}`;
  return { task: 'collect_repository', payload: { accountId, repository }, key, priority: 20 };
}
