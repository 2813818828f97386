import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import { takeSharedErasureLock } from '../../database/schema/erasure.ts';
import { updateTotalsJob } from '../items/jobs.ts';

/**
 * Accounts whose stored numbers changed. Each change is recorded in the transaction that makes it
 * (`schema/changed-contributors.sql`); this module takes the records in batches.
 */

/** The most changes that one transaction deletes. */
const deletedAtOnce = 5000;

/** An account whose stored numbers changed. */
export interface ChangedContributor {
  accountId: string;
  /**
   * False when the repositories were read for the first time, so that their contributions are not new to the provider.
   */
  isUpdate: boolean;
  /** True when a repository was shown or hidden, so that contributions of any time count otherwise than before. */
  isVisibility: boolean;
}

/** Requests an update of the totals of the accounts whose numbers in some repositories changed, if there are any. */
export async function requestTotals(transaction: Connection, repositoryIds: readonly string[]): Promise<void> {
  const changed = await transaction
    .selectFrom('changed_contributors')
    .select('account_id')
    .where(sql<boolean>`repository_id = any(${repositoryIds}::uuid[])`)
    .limit(1)
    .executeTakeFirst();
  if (changed !== undefined) await addJob(transaction, updateTotalsJob);
}

/**
 * Records, in one transaction, that the numbers of the next `limit` contributors, except the owner, changed because their
 * repository became visible or hidden, or moved to another account. Skips repositories that another transaction is recording
 * or erasing; an erasure locks the repository before the records.
 * @returns false when no such repository is left.
 */
export async function recordContributorsOfChanged(connection: Connection, limit: number): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    select c.repository_id as id from changed_repositories c join repositories r on r.id = c.repository_id
    order by c.repository_id limit 1 for update of c skip locked for key share of r skip locked`.execute(connection);
  const [changed] = rows;
  if (changed === undefined) return false;
  await inTransaction(connection, async (transaction) => {
    // The rows refer to accounts.
    await takeSharedErasureLock(transaction);
    // Others record people of the repository several times in a transaction, so not in the order of their ids.
    await sql`select lock_totals(${changed.id}::uuid)`.execute(transaction);
    await recordNext(transaction, changed.id, limit);
  });
  return true;
}

/** Records the next contributors of a repository. The row of the repository may be deleted or locked by now. */
async function recordNext(transaction: Connection, repositoryId: string, limit: number): Promise<void> {
  await sql`
    with changed as (
      select c.repository_id, c.position, r.owner_id from changed_repositories c join repositories r on r.id = c.repository_id
      where c.repository_id = ${repositoryId} for update of c skip locked for key share of r skip locked
    ), people as (
      select t.repository_id, t.account_id from changed c join contributor_totals t using (repository_id)
      where t.account_id <> c.owner_id and (c.position is null or t.account_id > c.position)
      order by t.account_id limit ${limit}
    ), recorded as (
      insert into changed_contributors as c (repository_id, account_id, is_update, is_visibility)
      select repository_id, account_id, true, true from people order by account_id
      on conflict (repository_id, account_id) do update set is_update = true, is_visibility = true
      where not c.is_update or not c.is_visibility
    ), moved as (
      update changed_repositories c set position = (select account_id from people order by account_id desc limit 1)
      from changed where c.repository_id = changed.repository_id and (select count(*) from people) = ${limit}
    ), ended as (
      delete from changed_repositories c using changed
      where c.repository_id = changed.repository_id and (select count(*) from people) < ${limit}
    )
    select from changed`.execute(transaction);
}

/** Returns whether a repository of an account was shown, hidden or moved since its contributors were last recorded. */
export async function hasShownOtherwise(connection: Connection, ownerId: string): Promise<boolean> {
  const { rows } = await sql`
    select from changed_repositories c
      cross join lateral (select owner_id from repositories where id = c.repository_id offset 0) r
    where r.owner_id = ${ownerId}::uuid limit 1`.execute(connection);
  return rows.length > 0;
}

/**
 * Deletes some changes of accounts whose totals are not updated: never looked up, hidden, or organizations. Changes
 * that another transaction is recording stay until a later call, because that transaction may wait for this one.
 * @returns how many.
 */
export async function deleteUncounted(connection: Connection, limit = deletedAtOnce): Promise<number> {
  // A subquery with a limit that a plan runs again for each row would delete more.
  const { numAffectedRows = 0n } = await sql`
    with free as materialized (
      select n.repository_id, n.account_id from changed_contributors n join accounts a on a.id = n.account_id
      where a.fetched_at is null or a.deleted_at is not null or a.type = 'organization'
      limit ${limit} for update of n skip locked)
    delete from changed_contributors c using free
    where c.repository_id = free.repository_id and c.account_id = free.account_id`.execute(connection);
  return Number(numAffectedRows);
}

/**
 * Takes some of the accounts whose numbers changed and locks them, so that no other process counts them at the same
 * time. Must run in the transaction that updates them.
 */
export async function takeChangedContributors(transaction: Connection, limit: number): Promise<ChangedContributor[]> {
  // Accounts are locked first, as in the transactions that store contributions.
  const { rows: locked } = await sql<{ id: string }>`
    select a.id from accounts a
    where a.id in (
      select c.account_id from changed_contributors c join accounts p on p.id = c.account_id
      where p.fetched_at is not null and p.deleted_at is null and p.type <> 'organization'
      order by c.account_id limit ${limit})
    order by a.id for no key update`.execute(transaction);
  // A transaction that holds a record may wait for its accounts, and requests another update itself.
  const { rows } = await sql<ChangedContributor>`
    with free as (
      select repository_id, account_id from changed_contributors
      where account_id = any(${locked.map(({ id }) => id)}::uuid[]) for update skip locked
    ), taken as (
      delete from changed_contributors c using free
      where c.repository_id = free.repository_id and c.account_id = free.account_id
      returning c.account_id, c.is_update, c.is_visibility)
    select account_id as "accountId", bool_or(is_update) as "isUpdate", bool_or(is_visibility) as "isVisibility" from taken
    group by account_id order by account_id`.execute(transaction);
  return rows;
}
