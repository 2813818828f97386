import type { Connection } from '../database/connection.ts';
import { findByName } from './store.ts';

/** The stored facts about an account that following a hint needs. */
export interface KnownByMention {
  id: string;
  /** The time of the last request for the whole record; null when the account is known only as a contributor. */
  askedAt: Date | null;
}

/** Finds the stored account of a hint: by its external id, or by its name when the external id is null. */
export async function findKnown(
  connection: Connection,
  asked: { provider: string; externalId: string | null; name: string },
): Promise<KnownByMention | undefined> {
  if (asked.externalId === null) {
    const holder = await findByName(connection, asked.provider, asked.name);
    return holder?.state === 'present' ? { id: holder.account.id, askedAt: holder.account.askedAt } : undefined;
  }
  const row = await connection
    .selectFrom('accounts')
    .select(['id', 'asked_at'])
    .where('provider', '=', asked.provider)
    .where('external_id', '=', asked.externalId)
    .executeTakeFirst();
  return row && { id: row.id, askedAt: row.asked_at };
}

/** Requests a new listing of an account's repositories, even when the last one is fresh. */
export async function wantListing(connection: Connection, id: string, now: Date): Promise<void> {
  await connection.updateTable('accounts').set({ listing_wanted_at: now }).where('id', '=', id).execute();
}
