import { eraseNext } from '../src/app/owners/erasure/erase.ts';
import { beginErasure } from '../src/app/owners/erasure/store.ts';
import type { Connection } from '../src/database/connections/connection.ts';
import { inTransaction } from '../src/database/connections/transaction.ts';
import type { Account } from '../src/model/account.ts';

/** Erases an account to the end. */
export async function erasePerson(connection: Connection, account: Account, now: Date): Promise<void> {
  await inTransaction(connection, (transaction) => beginErasure(transaction, account, now));
  await eraseRest(connection, now);
}

/** Removes the rest of all accounts that are being erased. */
export async function eraseRest(connection: Connection, now: Date): Promise<void> {
  while ((await eraseNext(connection, now)) > 0);
}
