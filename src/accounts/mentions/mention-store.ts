import type { Connection } from '../../database/connections/connection.ts';
import { findByName } from '../store.ts';

/** The stored facts about an account that a delivery mentions. */
export interface KnownByMention {
  id: string;
  /** The time of the last request for the whole record; null when the account is known only as a contributor. */
  fetchedAt: Date | null;
}

/**
 * Finds the stored account that a delivery mentions: by its external id, or by its name when the external id is null.
 */
export async function findKnown(
  connection: Connection,
  mention: { provider: string; externalId: string | null; name: string },
): Promise<KnownByMention | undefined> {
  if (mention.externalId === null) {
    const holder = await findByName(connection, mention.provider, mention.name);
    return holder?.state === 'present' ? { id: holder.account.id, fetchedAt: holder.account.fetchedAt } : undefined;
  }
  const row = await connection
    .selectFrom('accounts')
    .select(['id', 'fetched_at'])
    .where('provider', '=', mention.provider)
    .where('external_id', '=', mention.externalId)
    .executeTakeFirst();
  return row && { id: row.id, fetchedAt: row.fetched_at };
}

/** Requests a new listing of an account's repositories, even when the last one is fresh. */
export async function requestListing(connection: Connection, id: string, now: Date): Promise<void> {
  await connection.updateTable('accounts').set({ listing_wanted_at: now }).where('id', '=', id).execute();
}
