import { type Exchange, requireOwner } from '../accounts/routes.ts';
import { envelope } from '../http/envelope.ts';
import { cutPage, type PageParameters, type Place, staleCursor } from '../http/pagination.ts';
import { sendPrivately } from '../http/replies.ts';
import type { AccessContext } from './context.ts';

const defaultLimit = 30;

/** A listing of an account's items that only its owner sees, newest first. */
export interface OwnedListing<Item extends { id: string }> {
  /** The name that its cursors are bound to. */
  name: string;
  /**
   * Finds the items of a page.
   * @param page the page lies between the items of these ids.
   */
  find: (accountId: string, page: { limit: number; after?: string; before?: string }) => Promise<Item[]>;
  toItem: (item: Item) => object;
}

/** Sends a page of a listing. */
export async function sendOwnedPage<Item extends { id: string }>(
  context: AccessContext,
  exchange: Pick<Exchange, 'request' | 'reply'>,
  asked: { params: { provider: string; name: string }; query: PageParameters },
  listing: OwnedListing<Item>,
): Promise<Exchange['reply']> {
  const { limit = defaultLimit } = asked.query;
  const start = context.cursors.readStart(listing.name, asked.query);
  const owned = await requireOwner(context, exchange, asked.params);
  if (owned === 'redirected') return exchange.reply;
  const { account } = owned;
  const found = await listing.find(account.id, {
    limit: limit + 1,
    ...(start.after && { after: idOf('after', start.after, account.id) }),
    ...(start.before && { before: idOf('before', start.before, account.id) }),
  });
  const { page, hasPrevious, hasNext } = cutPage(found, limit, start);
  const cursor = (item: Item | undefined): string | undefined =>
    item && context.cursors.write(listing.name, [account.id, item.id]);
  return sendPrivately(
    exchange.reply,
    envelope({
      dataType: 'unknown',
      data: page.map(listing.toItem),
      previousCursor: hasPrevious ? cursor(page[0]) : undefined,
      nextCursor: hasNext ? cursor(page.at(-1)) : undefined,
    }),
  );
}

function idOf(parameter: string, [accountId, id]: Place, ownerId: string): string {
  if (accountId !== ownerId || typeof id !== 'string') throw staleCursor(parameter);
  return id;
}
