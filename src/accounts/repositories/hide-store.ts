import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import type { Repository } from './store.ts';

/**
 * Hides repositories that a complete listing since `listingStartedAt` did not show, because they were deleted, moved to
 * another owner, or are no longer visible to the service. Another job erases them later.
 * @returns true when it hid any.
 */
export async function hideUnlisted(
  connection: Connection,
  ownerId: string,
  listingStartedAt: Date,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    update repositories set deleted_at = ${now}, updated_at = ${now}
    where id in (
      select id from repositories
      where owner_id = ${ownerId} and listed_at < ${listingStartedAt} and deleted_at is null
      order by id for no key update)
    returning id`.execute(connection);
  return rows.length > 0;
}

/**
 * Hides repositories of one view of an account that a poll did not find any more. Repositories that another request has
 * found since the poll began stay.
 * @param view.credentialName the credential whose view it is; null: the public view.
 * @param view.seen the external ids of the repositories that the poll found.
 * @returns true when it hid any.
 */
export async function hideUnseen(
  connection: Connection,
  ownerId: string,
  view: { credentialName: string | null; seen: readonly string[]; startedAt: Date; listedAt: Date },
): Promise<boolean> {
  const { credentialName, seen, startedAt, listedAt } = view;
  const { rows } = await sql`
    update repositories set deleted_at = ${listedAt}, updated_at = ${listedAt}, listed_at = ${listedAt}
    where id in (
      select id from repositories
      where owner_id = ${ownerId} and credential_name is not distinct from ${credentialName}::text and deleted_at is null
        and listed_at < ${startedAt} and external_id <> all(${seen}::text[])
      order by id for no key update)
    returning id`.execute(connection);
  return rows.length > 0;
}

/** Hides some repositories of an account that is being erased. @returns how many. */
export async function hideSomeRepositories(
  connection: Connection,
  ownerId: string,
  { limit, now }: { limit: number; now: Date },
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update repositories set deleted_at = ${now}, updated_at = ${now} where id = any(array(
      select id from repositories where owner_id = ${ownerId} and deleted_at is null
      order by id limit ${limit} for no key update skip locked))`.execute(connection);
  return Number(numAffectedRows);
}

/**
 * Hides a repository in any state. Responses to earlier requests cannot make it visible again, because `listed_at` is
 * later than these requests.
 */
export async function hideRepository(connection: Connection, id: string, now: Date): Promise<void> {
  await sql`
    update repositories set deleted_at = ${now}, updated_at = ${now}, listed_at = greatest(listed_at, ${now})
    where id = ${id}`.execute(connection);
}

/**
 * Hides a repository that its provider did not return to a request at `requestedAt`. Responses to earlier requests
 * cannot make it visible again.
 * @returns false when a later response contained it, or it belongs to another account by now.
 */
export async function markRepositoryDeleted(
  connection: Connection,
  { id, ownerId }: Pick<Repository, 'id' | 'ownerId'>,
  requestedAt: Date,
): Promise<boolean> {
  const hidden = await connection
    .updateTable('repositories')
    .set({ deleted_at: requestedAt, updated_at: requestedAt, listed_at: requestedAt })
    .where('id', '=', id)
    .where('owner_id', '=', ownerId)
    .where('listed_at', '<=', requestedAt)
    .returning('id')
    .execute();
  return hidden.length > 0;
}
