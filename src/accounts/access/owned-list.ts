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

/** A page of a listing for the owner of an account, newest first: the items after one id, or before another. */
export interface OwnedPage {
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
