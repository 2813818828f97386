import type { Connection } from '../../../database/connections/connection.ts';
import { addJob } from '../../../database/queue/added-jobs.ts';
import type { Account } from '../../../model/account.ts';
import { checkAdministratorJob } from '../../jobs.ts';
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
