import { eraseNext } from '../src/access/erasure/erase.ts';
import { beginErasure } from '../src/access/erasure/store.ts';
import type { Account } from '../src/accounts/store.ts';
import type { Connection } from '../src/database/connection.ts';
import { inTransaction } from '../src/database/transaction.ts';

/** Erases an account to the end. */
export async function erasePerson(connection: Connection, account: Account, now: Date): Promise<void> {
  await inTransaction(connection, (transaction) => beginErasure(transaction, account, now));
  await eraseRest(connection, now);
}

/** Removes the rest of all accounts that are being erased. */
export async function eraseRest(connection: Connection, now: Date): Promise<void> {
  while ((await eraseNext(connection, now)) > 0);
}
