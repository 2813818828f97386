import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import type { UnreportedKind } from '../../../hosts/interface/provider.ts';
import {
  type ContributionDetails,
  contributionKinds,
  type Detail,
  type ItemKind,
} from '../../../model/contribution.ts';
import { nouns } from '../file/explain-file.ts';
import type { RequiredData } from '../file/required-data.ts';
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

/** Data that a condition needs and that is not stored, so that its result is not known. */
export interface Unread {
  /** The data and why it is not stored, in words for people, without a full stop. */
  reason: string;
  /** True when it can be fetched; false when the host does not report it to this service. */
  canBeRead: boolean;
}

/** The circumstances under which data was read. */
export interface Reading {
  /** The data that the host does not report. */
  unreported: readonly UnreportedKind[];
  /** True when everything that is required has just been fetched, as far as the host shows it. */
  wasRead: boolean;
}

const onDemandNames: Readonly<Record<Detail, (count: number) => string>> = {
  commit_lines: (count) => `the changed lines of ${counted(count, 'commit')}`,
  commit_files: (count) => `the changed files of ${counted(count, 'commit')}`,
  pull_request_files: (count) => `the changed files of ${counted(count, 'pull_request')}`,
};

/** Returns the parts of the required data that are not stored, each reason once. */
export function findUnread(state: ReadState, required: readonly RequiredData[], reading: Reading): Unread[] {
  if (state.streams.length === 0 && required.length > 0)
    return [{ reason: 'the repository has not been collected', canBeRead: true }];
  const unread = required.flatMap((data) => {
    const ofItems = unreadItems(state, data.kind, reading);
    if (ofItems !== undefined) return [ofItems];
    if (data.onDemand !== undefined) return unreadOnDemand(state, data.onDemand, reading);
    return data.detail === undefined
      ? skippedItems(state, data.kind)
      : unreadDetail(state, data.kind, data.detail, reading);
  });
  return [...new Map(unread.map((part) => [part.reason, part])).values()];
}

function counted(count: number, kind: Kind): string {
  return `${count} ${nouns[kind][count === 1 ? 'one' : 'many']}`;
}

/** Returns why the contributions of a kind are not completely stored; undefined when they are. */
function unreadItems(
  { streams, isInstalled }: ReadState,
  kind: Kind,
  { unreported, wasRead }: Reading,
): Unread | undefined {
  const noun = nouns[kind].many;
  const stream = streams.find(({ covers }) => covers.includes(kind));
  if (stream === undefined) {
    const known = unreported.find(
      (part) => part.kind === kind && part.details === undefined && part.isPartial === undefined,
    );
    if (known !== undefined) return { reason: known.why, canBeRead: false };
    const isOfInstalled = !contributionKinds.some((known) => known === kind);
    if (isOfInstalled && !isInstalled && !wasRead)
      return { reason: `${noun} are collected only for installed repositories`, canBeRead: true };
    return { reason: `no credential of this service shows ${noun}`, canBeRead: false };
  }
  if (stream.isWithheld)
    return { reason: `the host does not show ${noun} to the credential of this service`, canBeRead: false };
  if (stream.isComplete) return undefined;
  if (stream.failure !== null) return { reason: `${noun} could not be read: ${stream.failure}`, canBeRead: true };
  return { reason: `${noun} are not collected ${stream.isBeingRead ? 'to the end' : 'yet'}`, canBeRead: true };
}

function skippedItems({ skipped }: ReadState, kind: Kind): Unread[] {
  const count = skipped.get(kind) ?? 0;
  return count === 0 ? [] : [{ reason: `${counted(count, kind)} could not be read`, canBeRead: false }];
}

function unreadDetail(
  { withoutDetails }: ReadState,
  kind: Kind,
  detail: keyof ContributionDetails,
  { unreported, wasRead }: Reading,
): Unread[] {
  const known = unreported.find(
    (part) => part.kind === kind && part.details?.includes(detail) && part.isPartial === undefined,
  );
  if (known !== undefined) return [{ reason: known.why, canBeRead: false }];
  const count = withoutDetails.get(kind) ?? 0;
  if (count === 0) return [];
  return [{ reason: `the details of ${counted(count, kind)}, such as labels and reactions`, canBeRead: !wasRead }];
}

function unreadOnDemand({ needs, onDemand }: ReadState, detail: Detail, { wasRead }: Reading): Unread[] {
  const { pending, absent } = onDemand[detail];
  const formatName = onDemandNames[detail];
  if (pending > 0 && (wasRead || needs.includes(detail))) return [{ reason: formatName(pending), canBeRead: true }];
  if (absent === 0) return [];
  if (!wasRead && !needs.includes(detail)) return [{ reason: formatName(absent), canBeRead: true }];
  return [{ reason: `the host does not show ${formatName(absent)}`, canBeRead: false }];
}
