import { checkAdministratorJob } from '../../accounts/jobs.ts';
import type { Account } from '../../accounts/store.ts';
import type { Connection } from '../../database/connection.ts';
import { addJob } from '../../database/queue.ts';
import type { Person } from './store.ts';

/** Queues a first check of a new holder, so that the owner soon sees whether holders can be checked at all. */
export async function requestCheck(
  transaction: Connection,
  { type, provider }: Account,
  person: Person | null,
): Promise<void> {
  if (type !== 'organization' || person === null) return;
  await addJob(transaction, checkAdministratorJob({ provider, person: person.id }));
}
