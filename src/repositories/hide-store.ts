import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import type { Repository } from './store.ts';

/** What is not shown any more is hidden at once, and erased later. */

/** Hides what a whole listing since `listingStartedAt` did not show: deleted, moved away, or not shown to us any more. */
export async function hideUnlisted(
  connection: Connection,
  ownerId: string,
  listingStartedAt: Date,
  now: Date,
): Promise<boolean> {
  const hidden = await connection
    .updateTable('repositories')
    .set({ gone_at: now, updated_at: now })
    .where('owner_id', '=', ownerId)
    .where('listed_at', '<', listingStartedAt)
    .where('gone_at', 'is', null)
    .returning('id')
    .execute();
  return hidden.length > 0;
}

/**
 * Hides repositories that one view of a listing showed before and does not show any more. Those that were listed again since
 * the poll began stay.
 * @param view.access the credential whose view it is; null: the public one.
 * @returns whether there were any.
 */
export async function hideUnseen(
  connection: Connection,
  ownerId: string,
  view: { access: string | null; seen: readonly string[]; startedAt: Date; listedAt: Date },
): Promise<boolean> {
  const { access, seen, startedAt, listedAt } = view;
  const { rows } = await sql`
    update repositories set gone_at = ${listedAt}, updated_at = ${listedAt}, listed_at = ${listedAt}
    where owner_id = ${ownerId} and access is not distinct from ${access}::text and gone_at is null
      and listed_at < ${startedAt} and external_id <> all(${seen}::text[])
    returning id`.execute(connection);
  return rows.length > 0;
}

/** Hides a repository, whatever was told of it; what was answered before shows it no more. */
export async function hideRepository(connection: Connection, id: string, now: Date): Promise<void> {
  await sql`
    update repositories set gone_at = ${now}, updated_at = ${now}, listed_at = greatest(listed_at, ${now})
    where id = ${id}`.execute(connection);
}

/**
 * Hides a repository that its provider did not show to who asked at `askedAt`; what was answered before that shows it no
 * more. @returns false where it was shown since, or is somebody else's by now.
 */
export async function markRepositoryGone(
  connection: Connection,
  { id, ownerId }: Pick<Repository, 'id' | 'ownerId'>,
  askedAt: Date,
): Promise<boolean> {
  const hidden = await connection
    .updateTable('repositories')
    .set({ gone_at: askedAt, updated_at: askedAt, listed_at: askedAt })
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .where('listed_at', '<=', askedAt)
    .returning('id')
    .execute();
  return hidden.length > 0;
}

/**
 * Hides private repositories that only credentials showed which are not among `accesses`.
 * @returns the accounts that own them.
 */
export async function hideWithoutAccess(
  connection: Connection,
  provider: string,
  accesses: readonly string[],
  now: Date,
): Promise<string[]> {
  const { rows } = await sql<{ owner_id: string }>`
    update repositories set gone_at = ${now}, updated_at = ${now}
    where provider = ${provider} and is_private and gone_at is null and access <> all(${accesses})
    returning owner_id`.execute(connection);
  return [...new Set(rows.map((row) => row.owner_id))];
}
