import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { announce } from '../../database/queue/announcements.ts';
import { isWithdrawnInSql } from './present-store.ts';
import type { Repository } from './store.ts';

/**
 * A credential that its provider does not accept any more. Its row at once hides all data that the credential showed
 * (docs/decisions/0012-private-repositories.md). The private repositories are then hidden one by one in batches, and
 * the row is deleted after the last one.
 */
export interface WithdrawnCredential {
  provider: string;
  credentialName: string;
  withdrawnAt: Date;
}

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

/**
 * Records the withdrawn credentials of a provider: all that showed private data and are not in `credentialNames`. The
 * recursive queries step from name to name in the indexes, so that the cost grows with the number of credentials, not
 * of rows.
 * @param known.elsewhere the names of the credentials of other providers, because private totals do not name their
 * provider.
 * @returns true when the provider has withdrawn credentials, from this call or an earlier one.
 */
export async function recordWithdrawn(
  transaction: Connection,
  provider: string,
  known: { credentialNames: readonly string[]; elsewhere: readonly string[] },
  now: Date,
): Promise<boolean> {
  await acceptCredentials(transaction, provider, known.credentialNames);
  const names = [...known.credentialNames];
  await sql`
    with recursive shown as (
      (select credential_name from repositories
        where provider = ${provider} and is_private and deleted_at is null and credential_name is not null
        order by credential_name limit 1)
      union all
      select (select r.credential_name from repositories r
        where r.provider = ${provider} and r.is_private and r.deleted_at is null
          and r.credential_name > shown.credential_name
        order by r.credential_name limit 1)
      from shown where shown.credential_name is not null
    ), reported as (
      (select credential_name from reported_totals order by credential_name limit 1)
      union all
      select (select t.credential_name from reported_totals t where t.credential_name > reported.credential_name
        order by t.credential_name limit 1)
      from reported where reported.credential_name is not null
    )
    insert into withdrawn_credentials (provider, credential_name, withdrawn_at)
    select ${provider}, credential_name, ${now} from (
      select credential_name from shown
      union
      select reported.credential_name from reported cross join lateral (
        select from reported_totals t
        where t.credential_name = reported.credential_name
          and (select a.provider from accounts a where a.id = t.account_id) = ${provider}
        limit 1) one
      where reported.credential_name <> all(${[...known.elsewhere, ...known.credentialNames]}::text[])) found
    where credential_name is not null and credential_name <> all(${names}::text[])
    order by credential_name
    on conflict (provider, credential_name) do update set withdrawn_at = excluded.withdrawn_at`.execute(transaction);
  const withdrawn = await transaction
    .selectFrom('withdrawn_credentials')
    .select('credential_name')
    .where('provider', '=', provider)
    .limit(1)
    .executeTakeFirst();
  if (withdrawn === undefined) return false;
  await announce(transaction, { kind: 'withdrawn', key: provider });
  return true;
}

/**
 * Ends the withdrawal of credentials that are accepted again. Repositories that were hidden in the meantime stay hidden
 * until the next listing.
 */
export async function acceptCredentials(
  connection: Connection,
  provider: string,
  credentialNames: readonly string[],
): Promise<void> {
  const { rows } = await sql`
    delete from withdrawn_credentials
    where provider = ${provider} and credential_name = any(${[...credentialNames]}::text[])
    returning 1`.execute(connection);
  if (rows.length > 0) await announce(connection, { kind: 'withdrawn', key: provider });
}

/**
 * Finds all withdrawn credentials that have a row, because some of their repositories may not be hidden one by one yet.
 */
export async function findWithdrawn(connection: Connection): Promise<WithdrawnCredential[]> {
  return connection
    .selectFrom('withdrawn_credentials')
    .select(['provider', 'credential_name as credentialName', 'withdrawn_at as withdrawnAt'])
    .orderBy('provider')
    .orderBy('credential_name')
    .execute();
}

/**
 * Hides up to `limit` private repositories of a withdrawn credential. Repositories that another transaction is changing
 * are left to a later batch.
 * @returns the owners of the hidden repositories; `isMore` is true when more repositories of the owner are left.
 */
export async function hideWithdrawn(
  transaction: Connection,
  { provider, credentialName }: WithdrawnCredential,
  { limit, now }: { limit: number; now: Date },
): Promise<{ ownerId: string; isMore: boolean }[]> {
  const { rows } = await sql<{ ownerId: string; isMore: boolean }>`
    with taken as (
      select r.id from repositories r
      where r.provider = ${provider} and r.credential_name = ${credentialName} and r.is_private and r.deleted_at is null
        and exists (
          select from withdrawn_credentials w
          where w.provider = ${provider} and w.credential_name = ${credentialName})
      order by r.owner_id limit ${limit}
      for no key update of r skip locked
    ), hidden as (
      update repositories r set deleted_at = ${now}, updated_at = ${now}
      where r.id = any(array(select id from taken))
      returning r.id, r.owner_id
    )
    select o.owner_id as "ownerId", (
        select true from repositories r
        where r.owner_id = o.owner_id and r.deleted_at is null and ${isWithdrawnInSql('r')}
          and r.id <> all(array(select id from hidden))
        limit 1) is not null as "isMore"
    from (select distinct owner_id from hidden) o order by o.owner_id`.execute(transaction);
  return rows;
}

/**
 * Deletes the row of a withdrawn credential after all its private repositories are hidden.
 * @returns false when some are left, because another transaction was changing them or has just stored them.
 */
export async function endWithdrawal(
  connection: Connection,
  { provider, credentialName, withdrawnAt }: WithdrawnCredential,
): Promise<boolean> {
  const { rows } = await sql`
    delete from withdrawn_credentials w
    where w.provider = ${provider} and w.credential_name = ${credentialName} and w.withdrawn_at = ${withdrawnAt}
      and not exists (
        select from repositories r
        where r.provider = ${provider} and r.credential_name = ${credentialName} and r.is_private
          and r.deleted_at is null)
    returning 1`.execute(connection);
  return rows.length > 0;
}
