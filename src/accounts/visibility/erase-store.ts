import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { deleteReferring } from '../../database/schema/delete-some.ts';

/** Accounts that are being erased: empty rows without a name, to which other rows refer until all of those are removed. */

/**
 * Empties the row of an account, which no reader finds from then on. The account may be stored again, under another id.
 * Must run in a transaction that holds the erasure lock.
 * @param optedOutAs the key of the person's opt-out, with which the remaining addresses are opted out.
 */
export async function emptyAccount(
  transaction: Connection,
  id: string,
  now: Date,
  optedOutAs: Buffer | null = null,
): Promise<void> {
  await sql`
    update accounts set erased_at = ${now}, opted_out_as = ${optedOutAs}, deleted_at = coalesce(deleted_at, ${now}), updated_at = ${now},
      external_id = 'erased ' || id, handle = '', name = 'erased ' || id, display_name = '', avatar_url = '', website = '',
      description = '', socials = null, followers = 0, following = 0, experience = 0, pinned = false, fetched_at = null,
      provider_memory = null, listing_cursor = null, listing_started_at = null, listed_at = null,
      listing_wanted_at = null, publishes_private = false, boards_repository = null
    where id = ${id}`.execute(transaction);
}

export interface ErasedAccount {
  id: string;
  provider: string;
  /** The key of the person's opt-out; null when the host had deleted the account. */
  optedOutAs: Buffer | null;
}

/** Finds the account that has been erased for longest of which rows are left. */
export function findErased(connection: Connection): Promise<ErasedAccount | undefined> {
  return connection
    .selectFrom('accounts')
    .select(['id', 'provider', 'opted_out_as as optedOutAs'])
    .where('erased_at', 'is not', null)
    .orderBy('erased_at')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Removes the row of an erased account, and by cascade what refers to it: nothing, as long as it is called last. Must run in a
 * transaction that holds the erasure lock.
 * @returns false when the account still owns repositories, or seasons of boards list it.
 */
export async function removeAccount(transaction: Connection, id: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from accounts where id = ${id} and erased_at is not null
      and not exists (select from repositories where owner_id = ${id})
      and not exists (select from board_season_ranks where account_id = ${id})`.execute(transaction);
  return numAffectedRows > 0n;
}

/**
 * Deletes some rows that belong to an account: those that would be deleted with it, except repositories.
 * @returns how many rows.
 */
export function removeRows(connection: Connection, accountId: string, limit: number): Promise<number> {
  return deleteReferring(connection, 'accounts', sql<boolean>`id = ${accountId}`, { limit, except: ['repositories'] });
}
