import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import type { Caller } from '../../http/pipeline/caller.ts';
import type { RequestedPage } from '../../http/pipeline/endpoint.ts';
import { type Envelope, envelope } from '../../http/pipeline/envelope.ts';
import {
  type Cursors,
  cutPage,
  neighbourCursors,
  type Page,
  type Place,
  staleCursor,
} from '../../http/pipeline/pagination.ts';
import type { Account } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import { findActor, recordAction } from './actor.ts';
import type { AuditAction } from './audit/store.ts';
import type { AccessServices } from './services.ts';

/** The removal of one of an account's items by its owner, which the audit trail records. */
interface Removal {
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

/** A page of a listing for the owner of an account, newest first: the items after one id, or before another. */
interface OwnedPage {
  limit: number;
  after?: string;
  before?: string;
}

/** Loads a page of a listing, and whether there are items before and after it. */
export async function loadOwnedPage<Item>(
  { account, page }: { account: Account; page: RequestedPage },
  find: (page: OwnedPage) => Promise<Item[]>,
): Promise<Page<Item>> {
  const { limit, start } = page;
  const found = await find({
    limit: limit + 1,
    ...(start.after && { after: readId('after', start.after, account.id) }),
    ...(start.before && { before: readId('before', start.before, account.id) }),
  });
  return cutPage(found, limit, start);
}

/**
 * Returns the envelope of a page.
 * @param listing the name that its cursors are bound to.
 */
export function presentOwnedPage<Item extends { id: string }>(
  { cursors, account, listing }: { cursors: Cursors; account: Account; listing: string },
  page: Page<Item>,
  toItem: (item: Item) => object,
): Envelope {
  return envelope({
    dataType: 'unknown',
    data: page.page.map(toItem),
    ...neighbourCursors(page, ({ id }) => cursors.write(listing, [account.id, id])),
  });
}

function readId(parameter: string, [accountId, id]: Place, ownerId: string): string {
  if (accountId !== ownerId || typeof id !== 'string') throw staleCursor(parameter);
  return id;
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
