import { sql } from 'kysely';
import type { ItemKind } from '../contributions/contribution.ts';
import type { Connection } from '../database/connection.ts';
import { AppError } from '../errors.ts';
import type { ListedRepository, Stream, StreamTip } from '../providers/provider.ts';
import { historyStream } from '../providers/provider.ts';

/** How far a stream of one repository is read. */
export interface StreamState {
  name: string;
  /** Kinds of contributions that are known completely once it was read whole; the first is what it lists. */
  covers: (ItemKind | 'commit')[];
  /** Where the running scan stands; for the history, the newest commit that is stored. */
  cursor: string | null;
  pageSize: number | null;
  /** Null: no scan is running. */
  scanStartedAt: Date | null;
  scanIsFull: boolean;
  /** Whether the running scan, and the last one that read everything, read what an installed repository is known by. */
  scanIsDeep: boolean;
  isDeep: boolean;
  /** How many items there were when the running scan began; null: not known. Of an empty history: how often it was read. */
  scanTotal: number | null;
  /** Of the history: number of the last scan that read all of it. */
  scanNumber: number;
  /** Of the history: newest commits of which some, but maybe not all, are stored. */
  pendingTips: string[];
  /** Everything that changed before is stored. */
  knownUntil: Date | null;
  completedAt: Date | null;
  fullScanAt: Date | null;
  providerTotal: number | null;
  providerChangedAt: Date | null;
  providerRevision: string | null;
  /** The provider hinted then that there is something new. */
  hintedAt: Date | null;
  /** Something is gone, or was lost: all has to be read anew. */
  fullScanWantedAt: Date | null;
  /** When the host withheld the list the last time it was read; null: it showed it. What is stored is what deliveries said. */
  withheldAt: Date | null;
  /** How many of what it lists were stored when last counted. */
  storedTotal: number;
  /** Items that the last scan left out, because they could not be read or the host refused them. */
  skippedTotal: number;
}

/** Stores what a listing told of the streams of its repositories. */
export async function saveTips(
  connection: Connection,
  repositories: readonly ListedRepository[],
  repositoryIds: ReadonlyMap<string, string>,
  streams: readonly Stream[],
): Promise<void> {
  const stored = repositories.filter(({ externalId }) => repositoryIds.has(externalId));
  const rows = stored.flatMap((repository) =>
    [historyStream, ...streams].map((stream) => ({
      repository_id: repositoryIds.get(repository.externalId),
      name: stream.name,
      is_for_installed: stream.isForInstalled ?? false,
      covers: stream.covers,
      provider_total: repository.tips[stream.name]?.total ?? null,
      provider_changed_at: repository.tips[stream.name]?.changedAt ?? null,
      provider_revision: repository.tips[stream.name]?.revision ?? null,
    })),
  );
  await sql`
    insert into streams as s (
      repository_id, name, covers, provider_total, provider_changed_at, provider_revision)
    select repository_id, t.name, array(select json_array_elements_text(covers)),
      provider_total, provider_changed_at, provider_revision
    from json_to_recordset(${JSON.stringify(rows)}::json) as t (
      repository_id uuid, name text, is_for_installed boolean, covers json, provider_total integer,
      provider_changed_at timestamptz, provider_revision text)
    join repositories r on r.id = repository_id
    where r.installed_at is not null or not is_for_installed
    order by repository_id, name
    on conflict (repository_id, name) do update set
      covers = excluded.covers, provider_total = excluded.provider_total,
      provider_changed_at = excluded.provider_changed_at, provider_revision = excluded.provider_revision`.execute(
    connection,
  );
}

/** What the last listing showed of streams: by repository, then by name. */
export async function findTips(
  connection: Connection,
  repositoryIds: readonly string[],
): Promise<Map<string, Map<string, StreamTip>>> {
  const rows = await connection
    .selectFrom('streams')
    .select(['repository_id', 'name', 'provider_total', 'provider_changed_at', 'provider_revision'])
    .where('repository_id', 'in', [...repositoryIds])
    .execute();
  const tips = new Map<string, Map<string, StreamTip>>();
  for (const row of rows) {
    const ofRepository = tips.get(row.repository_id) ?? new Map<string, StreamTip>();
    const tip = { total: row.provider_total, changedAt: row.provider_changed_at, revision: row.provider_revision };
    tips.set(row.repository_id, ofRepository.set(row.name, tip));
  }
  return tips;
}

/** The streams of a repository; first those that people see counted. */
export async function findStreams(connection: Connection, repositoryId: string): Promise<StreamState[]> {
  const { rows } = await sql<StreamState>`
    select s.name, s.covers, cursor, page_size as "pageSize", scan_started_at as "scanStartedAt",
      scan_is_full as "scanIsFull", scan_is_deep as "scanIsDeep", is_deep as "isDeep", hinted_at as "hintedAt",
      full_scan_wanted_at as "fullScanWantedAt", scan_total as "scanTotal", scan_number as "scanNumber", pending_tips as "pendingTips", known_until as "knownUntil", completed_at as "completedAt",
      full_scan_at as "fullScanAt", provider_total as "providerTotal", provider_changed_at as "providerChangedAt",
      provider_revision as "providerRevision", withheld_at as "withheldAt",
      coalesce(case s.covers[1] when 'commit' then t.commits when 'issue' then t.issues
        when 'pull_request' then t.pull_requests when 'discussion' then t.discussions
        when 'issue_comment' then t.issue_comments + t.pull_request_comments
        when 'review_comment' then t.review_comments when 'star' then t.stars end, 0) as "storedTotal",
      (select coalesce(sum(k.items), 0)::integer from skipped_items k
        where k.repository_id = s.repository_id and k.stream = s.name and not k.is_stored
          and (k.kind = s.covers[1] or k.kind = 'comment')) as "skippedTotal"
    from streams s left join repository_totals t using (repository_id)
    where repository_id = ${repositoryId}
    order by not (s.covers && '{commit,issue,pull_request,review,discussion}'), s.name`.execute(connection);
  return rows;
}

/** Begins a scan. */
export async function startScan(
  connection: Connection,
  repositoryId: string,
  stream: string,
  scan: { startedAt: Date; isFull: boolean; isDeep: boolean },
): Promise<void> {
  const { startedAt, isFull, isDeep } = scan;
  await updateStream(connection, repositoryId, stream)
    .set({ cursor: null, scan_started_at: startedAt, scan_is_full: isFull, scan_is_deep: isDeep, scan_total: null })
    .execute();
}

/** Notes how often the history of a repository was read that is shown as empty, while it is to be read again. */
export async function waitForHistory(
  connection: Connection,
  repositoryId: string,
  stream: string,
  wait: { startedAt: Date; reads: number },
): Promise<void> {
  await updateStream(connection, repositoryId, stream)
    .set({ scan_started_at: wait.startedAt, scan_total: wait.reads })
    .execute();
}

/** Remembers, before any of its commits is stored, that the history up to `tip` is being read. */
export async function startHistoryScan(
  connection: Connection,
  repositoryId: string,
  stream: string,
  scan: { startedAt: Date; tip: string; number: number },
): Promise<void> {
  await sql`
    update streams set scan_started_at = ${scan.startedAt}, scan_number = ${scan.number},
      pending_tips = array(select distinct unnest(pending_tips || ${scan.tip}::text))
    where repository_id = ${repositoryId} and name = ${stream}`.execute(connection);
}

/** Remembers that exactly the history up to `tip` is stored; null: there is none. */
export async function moveTip(
  connection: Connection,
  repositoryId: string,
  stream: string,
  tip: string | null,
): Promise<void> {
  await updateStream(connection, repositoryId, stream).set({ cursor: tip, pending_tips: [] }).execute();
}

/**
 * Moves a stream's cursor together with what was stored up to it.
 * @throws AppError `conflict` when the cursor is not where this reader left it: somebody else reads the stream too.
 */
export async function moveCursor(
  connection: Connection,
  repositoryId: string,
  stream: string,
  move: { from: string | null; to: string | null; pageSize: number | null; scanTotal: number | null },
): Promise<void> {
  const moved = await updateStream(connection, repositoryId, stream)
    .set({ cursor: move.to, page_size: move.pageSize, scan_total: move.scanTotal, ...noFailure })
    .where('cursor', 'is not distinct from', move.from)
    .returning('name')
    .execute();
  if (moved.length === 0) throw new AppError('conflict', 'Another process is reading the same repository.');
}

/**
 * Ends a scan: everything that changed before `knownUntil` is stored.
 * @param end.withheldAt set: the host did not show the list, and what is stored is all that can be known.
 */
export async function completeStream(
  connection: Connection,
  repositoryId: string,
  stream: string,
  end: { knownUntil: Date; completedAt: Date; wasFull: boolean; wasDeep: boolean; withheldAt?: Date },
): Promise<void> {
  await updateStream(connection, repositoryId, stream)
    .set({
      scan_started_at: null,
      known_until: end.knownUntil,
      completed_at: end.completedAt,
      withheld_at: end.withheldAt ?? null,
      ...noFailure,
      ...(end.wasFull && { full_scan_at: end.knownUntil, is_deep: end.wasDeep }),
    })
    .execute();
}

/**
 * Stores why a stream could not be read on; `restart` gives up the place of the scan.
 * @param failure.reason the host's own words where they hold no private data, else ours.
 */
export async function failStream(
  connection: Connection,
  repositoryId: string,
  stream: string,
  failure: { code: string; reason: string; failedAt: Date; restart: boolean },
): Promise<void> {
  const { code, reason, failedAt, restart } = failure;
  await updateStream(connection, repositoryId, stream)
    .set({
      failure: code,
      failure_reason: reason,
      failed_at: failedAt,
      ...(restart && { cursor: null, scan_started_at: null }),
    })
    .execute();
}

const noFailure = { failure: null, failure_reason: null, failed_at: null };

function updateStream(connection: Connection, repositoryId: string, stream: string) {
  return connection.updateTable('streams').where('repository_id', '=', repositoryId).where('name', '=', stream);
}

/** Remembers that the provider hinted at something new. */
export async function hintAt(
  connection: Connection,
  repositoryId: string,
  streams: readonly string[],
  now: Date,
): Promise<void> {
  await sql`
    update streams set hinted_at = ${now}
    where repository_id = ${repositoryId} and name = any(${streams})`.execute(connection);
}

/** Has streams read whole. */
export async function wantFullScan(
  connection: Connection,
  repositoryId: string,
  streams: readonly string[],
  now: Date,
): Promise<void> {
  await sql`
    update streams set full_scan_wanted_at = ${now}
    where repository_id = ${repositoryId} and name = any(${streams})`.execute(connection);
}
