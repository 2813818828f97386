import { checkAdministratorJob } from '../../accounts/jobs.ts';
import type { Account } from '../../accounts/store.ts';
import { addJob } from '../../database/added-jobs.ts';
import type { Connection } from '../../database/connection.ts';
import type { Person } from './store.ts';

/** Queues a check of the holder of a new key or link, so that the owner soon sees whether the service can check. */
export async function requestCheck(
  transaction: Connection,
  { type, provider }: Account,
  person: Person | null,
): Promise<void> {
  if (type !== 'organization' || person === null) return;
  await addJob(transaction, checkAdministratorJob({ provider, person: person.id }));
}
