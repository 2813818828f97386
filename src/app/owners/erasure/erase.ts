import { eraseInstallations } from '../../../accounts/installations/store.ts';
import { eraseNextRepositories, eraseSomeRepositories } from '../../../accounts/repositories/erase-store.ts';
import { hideSomeRepositories } from '../../../accounts/repositories/hide-store.ts';
import { hasFormerNames, removeFormerNames } from '../../../accounts/store.ts';
import { type ErasedAccount, findErased, removeAccount, removeRows } from '../../../accounts/visibility/erase-store.ts';
import { isPersonOptedOut } from '../../../accounts/visibility/opt-out-store.ts';
import { removeLists } from '../../../contributions/contributors/ranking-store.ts';
import { removeFromSomeRows } from '../../../contributions/items/erase-store.ts';
import { hasAddresses, releaseAddresses } from '../../../contributions/items/identity-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { inTransaction } from '../../../database/connections/transaction.ts';
import { announce } from '../../../database/queue/announcements.ts';
import { takeErasureLock } from '../../../database/schema/erasure.ts';
import { makeRanksAnonymous, withdrawSome } from '../../../recognition/boards/seasons/withdrawal-store.ts';
import { deleteEvaluations, deleteFormerNames, deleteLookups, optOutAddresses } from './store.ts';

/** The most that one step of an erasure changes. */
export interface ErasedAtOnce {
  /** Repositories that one transaction hides. */
  hidden: number;
  /** Repositories that one transaction erases. */
  erased: number;
  /** Contributions that one search finds. */
  found: number;
  /** Contributions that one transaction changes. */
  changed: number;
  /** People of a list that one transaction deletes. */
  listed: number;
  /** Seasons whose statements one transaction withdraws. */
  seasons: number;
  /** Addresses that one transaction releases, and other rows that one changes or deletes. */
  others: number;
}

const usual: ErasedAtOnce = {
  hidden: 100,
  erased: 10,
  found: 10_000,
  changed: 1000,
  listed: 10_000,
  seasons: 100,
  others: 1000,
};

/**
 * Removes some of the rest of one account that is being erased; its row comes last. Others store meanwhile. A process that
 * is killed between any two statements leaves the rest to the next call.
 * @returns the number of removed rows and repositories; 0 when no account is left, or others hold the rest.
 */
export async function eraseNext(connection: Connection, now: Date, atOnce = usual): Promise<number> {
  const account = await findErased(connection);
  if (account === undefined) return 0;
  const { id } = account;
  const steps = [
    () => releaseAccountAddresses(connection, account, { limit: atOnce.others, now }),
    () => releaseAccountNames(connection, account, { limit: atOnce.others, now }),
    () => eraseInstallations(connection, account, atOnce.others),
    () => deleteLookups(connection, id, atOnce.others),
    () => deleteEvaluations(connection, id, atOnce.others),
    () => hideSomeRepositories(connection, id, { limit: atOnce.hidden, now }),
    () => eraseRepositories(connection, id, atOnce),
    () => removeFromSomeRows(connection, id, atOnce),
    () => removeLists(connection, id, { limit: atOnce.listed, now }),
    () => withdrawSome(connection, { accountId: id, limit: atOnce.seasons }),
    () => makeRanksAnonymous(connection, id, atOnce.others),
    () => removeRows(connection, id, atOnce.others),
  ];
  for (const step of steps) {
    const done = await step();
    if (done > 0) return done;
  }
  const isRemoved = await inTransaction(connection, async (transaction) => {
    await takeErasureLock(transaction);
    return removeAccount(transaction, id);
  });
  return isRemoved ? 1 : 0;
}

/** Removes an account from some of its addresses, and the addresses themselves if its owner has opted out. */
async function releaseAccountAddresses(
  connection: Connection,
  { id, provider, optedOutAs: personKey }: ErasedAccount,
  { limit, now }: { limit: number; now: Date },
): Promise<number> {
  // Otherwise each step would keep out all that store people.
  if (!(await hasAddresses(connection, id))) return 0;
  return inTransaction(connection, async (transaction) => {
    await takeErasureLock(transaction);
    // The owner may have returned since, and then has the addresses looked up again.
    if (personKey === null || !(await isPersonOptedOut(transaction, personKey)))
      return releaseAddresses(transaction, id, limit);
    return optOutAddresses(transaction, { id, provider, personKey }, { limit, now });
  });
}

/** Removes some former names of an account, and opts them out if its owner has opted out. */
async function releaseAccountNames(
  connection: Connection,
  { id, provider, optedOutAs: personKey }: ErasedAccount,
  { limit, now }: { limit: number; now: Date },
): Promise<number> {
  // Those of an account that the host had deleted are removed with its other rows.
  if (personKey === null || !(await hasFormerNames(connection, id))) return 0;
  return inTransaction(connection, async (transaction) => {
    await takeErasureLock(transaction);
    if (await isPersonOptedOut(transaction, personKey))
      return deleteFormerNames(transaction, { id, provider, personKey }, { limit, now });
    return (await removeFormerNames(transaction, id, limit)).length;
  });
}

async function eraseRepositories(connection: Connection, ownerId: string, atOnce: ErasedAtOnce): Promise<number> {
  const begun = await eraseSomeRepositories(connection, ownerId, atOnce.erased);
  if (begun > 0) return begun;
  const most = { repositories: atOnce.erased, rows: atOnce.others };
  // Nodes delete their copies of histories.
  const onErased = (transaction: Connection): Promise<void> => announce(transaction, { kind: 'erased', key: ownerId });
  return eraseNextRepositories(connection, most, { ownerId, onErased });
}
