import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import type { Caller } from '../../http/pipeline/caller.ts';
import type { Account } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import { findActor, recordAction } from './actor.ts';
import type { AuditAction } from './audit/store.ts';
import type { AccessServices } from './services.ts';

/** The removal of one of an account's items by its owner, which the audit trail records. */
export interface Removal {
  /** The id of the item. */
  subject: string;
  /** The kind of item, for the error when there is none of this id. */
  itemName: string;
  action: AuditAction;
  /**
   * Removes the item.
   * @returns whether it existed.
   */
  remove: (transaction: Connection, accountId: string) => Promise<boolean>;
}

/**
 * Removes an item for its owner, and records it in the audit trail.
 * @throws AppError `not_found`
 */
export async function removeItem(
  services: AccessServices,
  { account, caller }: { account: Account; caller: Caller },
  { subject, itemName, action, remove }: Removal,
): Promise<void> {
  await inTransaction(services.connection, async (transaction) => {
    if (!(await remove(transaction, account.id)))
      throw new AppError('not_found', `The account has no such ${itemName}.`);
    await recordAction(services, transaction, account.id, {
      action,
      subject,
      ...(await findActor(transaction, caller)),
    });
  });
}
