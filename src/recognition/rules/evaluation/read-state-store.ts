import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import type { Detail, ItemKind } from '../../../model/contribution.ts';
import type { Kind } from '../kinds.ts';

/** How far the data of a repository was read. */
export interface ReadState {
  isInstalled: boolean;
  /** The details on demand that are kept current. */
  needs: readonly Detail[];
  streams: readonly ReadStream[];
  /** The number of contributions that were read only for counting, by kind. */
  withoutDetails: ReadonlyMap<Kind, number>;
  /** The number of items that could not be read, by kind. */
  skipped: ReadonlyMap<Kind, number>;
  /** By detail: the number of items of which it is pending, and of those of which it is not stored. */
  onDemand: Readonly<Record<Detail, { pending: number; absent: number }>>;
}

export interface ReadStream {
  covers: readonly (ItemKind | 'commit')[];
  isComplete: boolean;
  isBeingRead: boolean;
  /** True when the host did not show the list with the credential of the service. */
  isWithheld: boolean;
  /** The reason why the last read failed; null when it did not. */
  failure: string | null;
}

/** Returns how far a repository was read. Contributions that were read only for counting have no `labels`. */
export async function findReadState(connection: Connection, repositoryId: string): Promise<ReadState> {
  const [streams, stored, skipped, onDemand] = await Promise.all([
    sql<ReadStream>`
      select covers, completed_at is not null as "isComplete", scan_started_at is not null as "isBeingRead",
        withheld_at is not null as "isWithheld", coalesce(failure_reason, failure) as failure
      from streams where repository_id = ${repositoryId}`.execute(connection),
    sql<{ kind: Kind; count: number }>`
      select kind, count(*) as count from contributions
      where repository_id = ${repositoryId} and labels is null group by kind`.execute(connection),
    sql<{ kind: Kind; count: number }>`
      select u.kind, sum(items) as count from skipped_items k cross join unnest(case k.kind
        when 'issue_or_pull_request' then '{issue,pull_request}'::text[]
        when 'comment' then '{issue_comment,pull_request_comment}'::text[] else array[k.kind] end) as u (kind)
      where repository_id = ${repositoryId} and not is_stored group by u.kind`.execute(connection),
    findOnDemand(connection, repositoryId),
  ]);
  return {
    ...onDemand,
    streams: streams.rows,
    withoutDetails: new Map(stored.rows.map(({ kind, count }) => [kind, count])),
    skipped: new Map(skipped.rows.map(({ kind, count }) => [kind, count])),
  };
}

/** Counts pending details. A row of `pending_details` with an empty key stands for items that are still to be noted. */
async function findOnDemand(
  connection: Connection,
  repositoryId: string,
): Promise<Pick<ReadState, 'isInstalled' | 'needs' | 'onDemand'>> {
  const { rows } = await sql<{
    isInstalled: boolean;
    needs: Detail[];
    pending: Partial<Record<Detail, number>> | null;
    /** The details that are still being noted as pending for all items without them. */
    noted: Detail[] | null;
    lines: number;
    commitFiles: number;
    changedFiles: number;
  }>`
    with pending as (
      select json_object_agg(detail, count) filter (where rest is null) as pending,
        json_agg(detail) filter (where rest <> 'forget') as noted
      from (
        select detail, count(*) filter (where key <> '') as count, max(rest) filter (where key = '') as rest
        from pending_details where repository_id = ${repositoryId} group by detail) p
    ), of_commits as (
      select count(*) filter (where additions is null) as lines, count(*) filter (where files is null) as files
      from commits where repository_id = ${repositoryId}
    ), of_requests as (
      select count(*) as files from contributions
      where repository_id = ${repositoryId} and kind = 'pull_request' and files is null
    )
    select r.installed_at is not null as "isInstalled", r.needs, p.pending, p.noted, c.lines, c.files as "commitFiles",
      i.files as "changedFiles"
    from repositories r cross join pending p cross join of_commits c cross join of_requests i
    where r.id = ${repositoryId}`.execute(connection);
  const [row] = rows;
  // While items are still being noted, each item without the detail is pending.
  const of = (detail: Detail, absent = 0): ReadState['onDemand'][Detail] => ({
    pending: row?.noted?.includes(detail) === true ? absent : (row?.pending?.[detail] ?? 0),
    absent,
  });
  return {
    isInstalled: row?.isInstalled ?? false,
    needs: row?.needs ?? [],
    onDemand: {
      commit_lines: of('commit_lines', row?.lines),
      commit_files: of('commit_files', row?.commitFiles),
      pull_request_files: of('pull_request_files', row?.changedFiles),
    },
  };
}
