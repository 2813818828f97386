import { type Exchange, requireOwner } from '../accounts/routes.ts';
import type { Connection } from '../database/connection.ts';
import { inTransaction } from '../database/transaction.ts';
import { AppError } from '../errors.ts';
import { actorOf, note } from './actor.ts';
import type { AuditAction } from './audit/store.ts';
import type { AccessContext } from './context.ts';

/** The removal of one of an account's items by its owner, which the audit trail records. */
export interface Removal {
  /** The id of the item. */
  subject: string;
  /** The kind of item, for the error when there is none of this id. */
  what: string;
  action: AuditAction;
  /**
   * Removes the item.
   * @returns whether it existed.
   */
  remove: (transaction: Connection, accountId: string) => Promise<boolean>;
}

/**
 * Removes an item for its owner, and responds with 204.
 * @throws AppError `not_found`
 */
export async function removeForOwner(
  context: AccessContext,
  exchange: Pick<Exchange, 'request' | 'reply'>,
  params: { provider: string; name: string },
  { subject, what, action, remove }: Removal,
): Promise<Exchange['reply']> {
  const owned = await requireOwner(context, exchange, params, 'manage');
  if (owned === 'redirected') return exchange.reply;
  const { account, caller } = owned;
  await inTransaction(context.connection, async (transaction) => {
    if (!(await remove(transaction, account.id))) throw new AppError('not_found', `The account has no such ${what}.`);
    await note(context, transaction, account.id, { action, subject, ...(await actorOf(transaction, caller)) });
  });
  return exchange.reply.code(204).header('cache-control', 'private, no-store').send(null);
}
