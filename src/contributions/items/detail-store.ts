import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import type { Detail, LineCounts, PendingKind } from '../../model/contribution.ts';
import { setCommitDetails } from './commit-store.ts';
import { addPendingForAll, type CommitDetail, commitDetails, deleteAllPending, pendingKinds } from './pending-store.ts';
import { changeContributions, holdRepository } from './write-store.ts';

/**
 * Some details are expensive to read, and are read only for repositories that need them. The table `pending_details`
 * lists the pending ones.
 */

/**
 * Changes the details that a repository's achievements need, and notes the pending ones of added details. Must run in a
 * transaction.
 */
export async function changeNeeds(
  connection: Connection,
  repositoryId: string,
  wanted: readonly Detail[],
): Promise<void> {
  await holdRepository(connection, repositoryId);
  const { rows } = await sql<{ needs: PendingKind[] }>`
    select needs from repositories where id = ${repositoryId} for update`.execute(connection);
  const needs: PendingKind[] = [...wanted];
  // No file of achievements needs languages.
  if (rows[0]?.needs.includes('commit_languages')) needs.push('commit_languages');
  await sql`update repositories set needs = ${[...needs]}::text[] where id = ${repositoryId}`.execute(connection);
  for (const detail of pendingKinds) {
    if (!needs.includes(detail)) await deleteAllPending(connection, repositoryId, detail);
    else if (!rows[0]?.needs.includes(detail)) {
      await addPendingForAll(connection, repositoryId, detail, detail === 'pull_request_files' ? 'all' : 'absent');
    }
  }
}

/** Requests the languages of all present and future commits of a repository. Must run in a transaction. */
export async function needLanguages(transaction: Connection, repositoryId: string): Promise<void> {
  const { rows } = await sql`
    update repositories set needs = needs || '{commit_languages}'
    where id = ${repositoryId} and not 'commit_languages' = any(needs) returning id`.execute(transaction);
  if (rows.length > 0) await addPendingForAll(transaction, repositoryId, 'commit_languages');
}

/**
 * Notes a detail as pending for all commits or pull requests without it, also where no file of achievements needs it.
 * Must run in a transaction.
 */
export async function addPendingWhereAbsent(
  connection: Connection,
  repositoryId: string,
  detail: Detail,
): Promise<void> {
  await holdRepository(connection, repositoryId);
  await addPendingForAll(connection, repositoryId, detail);
}

/** Notes the pending details of all commits of a repository. Must run in a transaction. */
export async function addPendingForStoredCommits(connection: Connection, repositoryId: string): Promise<void> {
  await holdRepository(connection, repositoryId);
  for (const detail of await findNeededOfCommits(connection, repositoryId)) {
    await addPendingForAll(connection, repositoryId, detail);
  }
}

/**
 * Notes the pending details of the first `limit` commits that are not counted yet. Must run in the transaction that counts
 * them, which holds the repository.
 */
export async function addPendingForNewCommits(
  connection: Connection,
  repositoryId: string,
  limit: number | null,
): Promise<void> {
  for (const detail of await findNeededOfCommits(connection, repositoryId)) {
    await sql`
      insert into pending_details (repository_id, detail, key)
      select repository_id, ${detail}, encode(oid, 'hex') from uncounted_commits
      where repository_id = ${repositoryId} order by oid limit ${limit} on conflict do nothing`.execute(connection);
  }
}

/**
 * Notes pull requests that the provider reported again, because they may change other files than before. Where no
 * file of achievements needs their files, the stored ones are deleted, because they would become outdated.
 */
export async function addPendingForPullRequests(
  connection: Connection,
  repositoryId: string,
  externalIds: readonly string[],
): Promise<void> {
  if (externalIds.length === 0) return;
  const isReported = sql<boolean>`c.kind = 'pull_request' and c.external_id = any(${[...externalIds]}::text[])`;
  if (!(await findNeeds(connection, repositoryId)).has('pull_request_files')) {
    await changeContributions(connection, repositoryId, (change) =>
      change.setDetails(sql`files = null`, sql`${isReported} and c.files is not null`),
    );
    return;
  }
  await holdRepository(connection, repositoryId);
  await sql`
    insert into pending_details as p (repository_id, detail, key)
    select distinct repository_id, 'pull_request_files', number::text from contributions c
    where c.repository_id = ${repositoryId} and ${isReported} and number is not null
    order by 3
    on conflict (repository_id, detail, key) do update set revision = p.revision + 1`.execute(connection);
}

async function findNeeds(connection: Connection, repositoryId: string): Promise<ReadonlySet<PendingKind>> {
  const { rows } = await sql<{ needs: PendingKind[] }>`
    select needs from repositories where id = ${repositoryId}`.execute(connection);
  return new Set(rows[0]?.needs);
}

async function findNeededOfCommits(connection: Connection, repositoryId: string): Promise<CommitDetail[]> {
  const needs = await findNeeds(connection, repositoryId);
  return commitDetails.filter((detail) => needs.has(detail));
}

/** A pending detail. */
export interface PendingDetail {
  /** A commit's id (hexadecimal), or a pull request's number. */
  key: string;
  /** The number of times that the detail was recorded as pending. */
  revision: number;
}

/**
 * Finds pending details, in the order of their keys.
 * @param page.after the key after which the page begins.
 */
export function findPendingDetails(
  connection: Connection,
  repositoryId: string,
  detail: PendingKind,
  { limit, after = '' }: { limit: number; after?: string },
): Promise<PendingDetail[]> {
  return connection
    .selectFrom('pending_details')
    .select(['key', 'revision'])
    .where('repository_id', '=', repositoryId)
    .where('detail', '=', detail)
    .where('key', '>', after)
    .orderBy('key')
    .limit(limit)
    .execute();
}

/**
 * Stores the numbers of changed lines and files of commits, by commit id. Requested commits without a result do not
 * stay pending. Must run in a transaction.
 */
export async function saveLineCounts(
  connection: Connection,
  repositoryId: string,
  requested: readonly PendingDetail[],
  found: ReadonlyMap<string, LineCounts>,
): Promise<void> {
  const rows = [...found].map(([oid, { additions, deletions, changedFiles }]) => ({
    oid: `\\x${oid}`,
    additions,
    deletions,
    changed_files: changedFiles,
  }));
  await setCommitDetails(
    connection,
    repositoryId,
    sql`additions = f.additions, deletions = f.deletions, changed_files = f.changed_files
      from json_to_recordset(${JSON.stringify(rows)}::json)
        as f (oid bytea, additions integer, deletions integer, changed_files integer)`,
    sql`c.oid = f.oid and (c.additions, c.deletions, c.changed_files)
      is distinct from (f.additions, f.deletions, f.changed_files)`,
  );
  await deletePending(connection, repositoryId, 'commit_lines', requested);
}

/**
 * Stores which files commits change, by commit id. Commits without a result stay pending. Must run in a transaction.
 */
export async function saveCommitFiles(
  connection: Connection,
  repositoryId: string,
  requested: readonly PendingDetail[],
  found: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const rows = [...found].map(([oid, files]) => ({ oid: `\\x${oid}`, files }));
  await setCommitDetails(
    connection,
    repositoryId,
    sql`files = f.files from json_to_recordset(${JSON.stringify(rows)}::json) as f (oid bytea, files text[])`,
    sql`c.oid = f.oid and c.files is distinct from f.files`,
  );
  await deleteFoundPending(connection, repositoryId, 'commit_files', { requested, found });
}

/**
 * Stores which files pull requests change, by number. Requested ones without a result do not stay pending. Must run in
 * a transaction.
 */
export async function saveChangedFiles(
  connection: Connection,
  repositoryId: string,
  requested: readonly PendingDetail[],
  found: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const rows = [...found].map(([number, files]) => ({ number: Number(number), files }));
  await changeContributions(connection, repositoryId, (change) =>
    change.setDetails(
      sql`files = f.files from json_to_recordset(${JSON.stringify(rows)}::json) as f (number integer, files text[])`,
      sql`c.kind = 'pull_request' and c.number = f.number and c.files is distinct from f.files`,
    ),
  );
  await deletePending(connection, repositoryId, 'pull_request_files', requested);
}

/** Deletes those of the requested pending details that were found, unless they were recorded again meanwhile. */
export async function deleteFoundPending(
  connection: Connection,
  repositoryId: string,
  detail: CommitDetail,
  { requested, found }: { requested: readonly PendingDetail[]; found: ReadonlyMap<string, unknown> },
): Promise<void> {
  const read = requested.filter(({ key }) => found.has(key));
  await deletePending(connection, repositoryId, detail, read);
}

/**
 * Deletes pending details that were requested, also those without a result, unless they were recorded again meanwhile.
 */
async function deletePending(
  connection: Connection,
  repositoryId: string,
  detail: PendingKind,
  requested: readonly PendingDetail[],
): Promise<void> {
  await sql`
    delete from pending_details p
    using json_to_recordset(${JSON.stringify(requested)}::json) as a (key text, revision integer)
    where p.repository_id = ${repositoryId} and p.detail = ${detail}
      and p.key = a.key and p.revision = a.revision`.execute(connection);
}
