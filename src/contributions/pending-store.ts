import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { inTransaction } from '../database/transaction.ts';
import { holdRepository } from './write-store.ts';

/**
 * Details of all commits of a repository are noted as pending in parts, because events of the repository wait for each
 * transaction that does so. A row with an empty key stands for the commits after `noted_until` that are still to be noted, so
 * that the detail counts as pending from the beginning.
 */

/** Details of commits, with the column that is null while a detail is pending. */
const columnOf = { commit_lines: 'additions', commit_files: 'files', commit_languages: 'languages' } as const;
export type CommitDetail = keyof typeof columnOf;
export const commitDetails = ['commit_lines', 'commit_files', 'commit_languages'] as const satisfies CommitDetail[];

/** The most commits that one transaction reads. */
const commitsAtOnce = 10_000;

/**
 * Requests that a detail is noted as pending for all stored commits without it, by `notePendingCommits`. Must run in a
 * transaction that holds the repository.
 */
export async function addPendingForAllCommits(
  transaction: Connection,
  repositoryId: string,
  detail: CommitDetail,
): Promise<void> {
  await sql`
    insert into pending_details (repository_id, detail, key)
    select ${repositoryId}, ${detail}, '' where exists (
      select from commits where repository_id = ${repositoryId} and ${sql.ref(columnOf[detail])} is null)
    on conflict (repository_id, detail, key) do update set noted_until = ''`.execute(transaction);
}

/** Notes the details that are pending for all commits of a repository, some commits in each transaction. */
export async function notePendingCommits(
  connection: Connection,
  repositoryId: string,
  { signal, limit = commitsAtOnce }: { signal: AbortSignal; limit?: number },
): Promise<void> {
  for (const detail of commitDetails) {
    let end: 'more' | 'done' = 'more';
    while (end === 'more') {
      signal.throwIfAborted();
      end = await inTransaction(connection, (to) => noteNext(to, repositoryId, detail, limit));
    }
  }
}

async function noteNext(
  transaction: Connection,
  repositoryId: string,
  detail: CommitDetail,
  limit: number,
): Promise<'more' | 'done'> {
  await holdRepository(transaction, repositoryId);
  const { rows } = await sql<{ from: string }>`
    select noted_until as from from pending_details
    where repository_id = ${repositoryId} and detail = ${detail} and key = ''`.execute(transaction);
  const from = rows[0]?.from;
  if (from === undefined) return 'done';
  const isAfter = sql`repository_id = ${repositoryId} and oid > decode(${from}, 'hex')`;
  const { rows: ends } = await sql<{ until: string }>`
    select encode(oid, 'hex') as until from commits where ${isAfter} order by oid offset ${limit - 1} limit 1`.execute(
    transaction,
  );
  const until = ends[0]?.until;
  await sql`
    insert into pending_details (repository_id, detail, key)
    select repository_id, ${detail}, encode(oid, 'hex') from commits
    where ${isAfter} and ${until === undefined ? sql`true` : sql`oid <= decode(${until}, 'hex')`}
      and ${sql.ref(columnOf[detail])} is null
    order by oid on conflict do nothing`.execute(transaction);
  const row = sql`repository_id = ${repositoryId} and detail = ${detail} and key = ''`;
  await (until === undefined
    ? sql`delete from pending_details where ${row}`
    : sql`update pending_details set noted_until = ${until} where ${row}`
  ).execute(transaction);
  return until === undefined ? 'done' : 'more';
}
