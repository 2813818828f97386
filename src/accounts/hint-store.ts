import type { Connection } from '../database/connection.ts';
import { findByName } from './store.ts';

/** What has to be known of an account to follow a hint about it. */
export interface KnownByHint {
  id: string;
  /** Null: it is known only as somebody's contributor. */
  askedAt: Date | null;
}

/** @param asked.externalId null: the provider named it by its name alone. */
export async function findKnown(
  connection: Connection,
  asked: { provider: string; externalId: string | null; name: string },
): Promise<KnownByHint | undefined> {
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

/** Has what an account owns listed anew, however fresh the last list is. */
export async function wantListing(connection: Connection, id: string, now: Date): Promise<void> {
  await connection.updateTable('accounts').set({ listing_wanted_at: now }).where('id', '=', id).execute();
}
