import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';

/**
 * The names of the streams under which skipped items of listings are stored: of the public view, and of the views of
 * credentials.
 */
export const publicListing = 'repositories';
export const privateListing = 'private repositories';

/** A listing of an account's repositories that has begun and not ended. */
export interface Listing {
  startedAt: Date;
  cursor: string;
}

export async function findListing(connection: Connection, accountId: string): Promise<Listing | undefined> {
  const row = await connection
    .selectFrom('accounts')
    .select(['listing_started_at', 'listing_cursor'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  if (!row?.listing_started_at || row.listing_cursor === null) return undefined;
  return { startedAt: row.listing_started_at, cursor: row.listing_cursor };
}

export async function moveListing(connection: Connection, accountId: string, listing: Listing): Promise<void> {
  await connection
    .updateTable('accounts')
    .set({ listing_started_at: listing.startedAt, listing_cursor: listing.cursor })
    .where('id', '=', accountId)
    .execute();
}

/**
 * Ends a listing. A request for a new listing that came during this one stays, because it may concern repositories that
 * were listed before the request.
 */
export async function finishListing(
  connection: Connection,
  accountId: string,
  listing: { startedAt: Date; listedAt: Date },
): Promise<void> {
  await sql`
    update accounts set listing_started_at = null, listing_cursor = null, listed_at = ${listing.listedAt},
      listing_wanted_at = case when listing_wanted_at >= ${listing.startedAt} then listing_wanted_at end
    where id = ${accountId}`.execute(connection);
}
