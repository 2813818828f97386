import { type RawBuilder, sql } from 'kysely';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import { announceOwner } from '../../contributions/items/collection-store.ts';
import { holdRepository } from '../../contributions/items/write-store.ts';
import { columnInSql } from '../../contributions/totals/column-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import type { ListedRepository, Stream, StreamTip } from '../../hosts/interface/provider.ts';
import { contributionKinds, type ItemKind } from '../../model/contribution.ts';
import { AppError } from '../../model/errors.ts';
import { storedCounters } from '../../model/kinds.ts';

/** The kinds of items that hosts delete together with an item. */
const below: Partial<Record<ItemKind, ItemKind[]>> = {
  issue: ['issue_comment'],
  pull_request: ['review', 'pull_request_comment', 'review_comment'],
};

/** The progress of reading a stream of one repository. */
export interface StreamState {
  name: string;
  /** Kinds of contributions that are complete after a whole read; the first is the kind that the stream lists. */
  covers: (ItemKind | 'commit')[];
  /** The position of the running scan; for the history, the newest commit that is stored. */
  cursor: string | null;
  pageSize: number | null;
  /** Null: no scan is running. */
  scanStartedAt: Date | null;
  scanIsFull: boolean;
  /**
   * True when the running scan reads the additional data of installed repositories; `isDeep`: the last whole scan did.
   */
  scanIsDeep: boolean;
  isDeep: boolean;
  /**
   * The number of items when the running scan began; null: not known. For an empty history, the number of its reads.
   */
  scanTotal: number | null;
  /** For the history: the number of the last scan that read all of it. */
  scanNumber: number;
  /** For the history: newest commits of which some, but maybe not all, are stored. */
  pendingTips: string[];
  /** The time before which all changes are stored. */
  knownUntil: Date | null;
  completedAt: Date | null;
  fullScanAt: Date | null;
  providerTotal: number | null;
  providerChangedAt: Date | null;
  providerRevision: string | null;
  /** The time at which the provider last reported a change. */
  invalidatedAt: Date | null;
  /** The time at which a deletion or a loss was found, so that everything has to be read again. */
  fullScanWantedAt: Date | null;
  /**
   * The time of the last read, when the host withheld the list; null: it showed it. The stored items of a withheld list
   * come from deliveries.
   */
  withheldAt: Date | null;
  /** The number of stored items of the listed kind, at the last count. */
  storedTotal: number;
  /** For the history: true when stored commits have to be counted again. */
  isUncounted: boolean;
  /** The number of items that the last scan left out, because they were unreadable or the host refused them. */
  skippedTotal: number;
  isFailing: boolean;
}

/**
 * Stores the state of streams that a listing reports.
 * @param options.kinds the kinds to read of repositories that are not installed, too.
 */
export async function saveTips(
  connection: Connection,
  repositories: readonly ListedRepository[],
  repositoryIds: ReadonlyMap<string, string>,
  { streams, kinds }: { streams: readonly Stream[]; kinds: ReadonlySet<string> },
): Promise<void> {
  const stored = repositories.filter(({ externalId }) => repositoryIds.has(externalId));
  const rows = stored.flatMap((repository) =>
    streams.map((stream) => ({
      repository_id: repositoryIds.get(repository.externalId),
      name: stream.name,
      is_for_installed: stream.isForInstalled === true && !stream.covers.some((kind) => kinds.has(kind)),
      covers: stream.covers,
      provider_total: repository.tips[stream.name]?.total ?? null,
      provider_changed_at: repository.tips[stream.name]?.changedAt ?? null,
      provider_revision: repository.tips[stream.name]?.revision ?? null,
    })),
  );
  await sql`
    insert into streams as s (
      repository_id, name, covers, provider_total, provider_changed_at, provider_revision)
    select t.repository_id, t.name, array(select json_array_elements_text(covers)),
      provider_total, provider_changed_at, provider_revision
    from json_to_recordset(${JSON.stringify(rows)}::json) as t (
      repository_id uuid, name text, is_for_installed boolean, covers json, provider_total integer,
      provider_changed_at timestamptz, provider_revision text)
    -- The planner takes each page for a hundred. The offset keeps it from reading all repositories.
    cross join lateral (select installed_at from repositories where id = t.repository_id offset 0) r
    where r.installed_at is not null or not is_for_installed
    order by t.repository_id, name
    on conflict (repository_id, name) do update set
      covers = excluded.covers, provider_total = excluded.provider_total,
      provider_changed_at = excluded.provider_changed_at, provider_revision = excluded.provider_revision`.execute(
    connection,
  );
}

/** Returns the state of streams in the last listing: by repository, then by name. */
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

/** The branches of a CASE that give the total of the kind that a stream lists. One list has both kinds of comments. */
const totalsOfKinds = sql.join(
  storedCounters.flatMap(({ name, kind, where }) => {
    if (where !== undefined) return [];
    const total = columnInSql(name, 't');
    const others = kind === 'issue_comment' ? sql` + t.pull_request_comments` : sql``;
    return [sql`when ${sql.lit(kind)} then ${total}${others}`];
  }),
  sql` `,
);

/** SQL for the number of stored items of the stream `s` of a repository with the totals `t`. */
const storedTotal = sql`coalesce(case s.covers[1] ${totalsOfKinds} end, 0)`;

/** SQL for the number of items that the last scan of the stream `s` left out. */
const skippedTotal = sql`(
  select coalesce(sum(k.items), 0)::integer from skipped_items k
  where k.repository_id = s.repository_id and k.stream = s.name and not k.is_stored
    and k.kind in (s.covers[1], 'comment', 'issue_or_pull_request'))`;

/** Streams of a repository, which its owner's listing shows. */
interface OverfullStreams {
  repositoryId: string;
  ownerId: string;
  name: string;
  streams: string[];
}

/**
 * Finds up to `limit` public repositories with contributions of an account in whose streams more is stored than the listing
 * counts, and whose whole scan was not requested since `before`.
 */
export async function findOverfull(
  connection: Connection,
  accountId: string,
  { before, limit }: { before: Date; limit: number },
): Promise<OverfullStreams[]> {
  const contributed = await sql<{ id: string }>`
    select repository_id as id from contributor_totals where account_id = ${accountId}`.execute(connection);
  const ids = contributed.rows.map(({ id }) => id);
  const { rows } = await sql<OverfullStreams>`
    with totals as (select * from repository_totals where repository_id = any(${ids}::uuid[])), overfull as (
      select s.repository_id, s.name from streams s join totals t using (repository_id)
      where s.completed_at is not null and s.withheld_at is null
        and (s.full_scan_wanted_at is null or s.full_scan_wanted_at < ${before})
        and s.provider_total < ${storedTotal} + ${skippedTotal}
    )
    select r.id as "repositoryId", r.owner_id as "ownerId", r.name, array_agg(o.name order by o.name) as streams
    from overfull o join repositories r on r.id = o.repository_id join accounts a on a.id = r.owner_id
    where not r.is_private and not r.is_fork and ${isPresentInSql('r')} and not a.pinned
    group by r.id order by r.id limit ${limit}`.execute(connection);
  return rows;
}

/** Finds the streams of a repository; first those that people see counted. */
export async function findStreams(connection: Connection, repositoryId: string): Promise<StreamState[]> {
  const { rows } = await sql<StreamState>`
    with totals as (
      select t.*, not t.commits_counted and exists (
          select 1 from commits c where c.repository_id = t.repository_id) as is_uncounted
      from repository_totals t where t.repository_id = ${repositoryId})
    select s.name, s.covers, cursor, page_size as "pageSize", scan_started_at as "scanStartedAt",
      scan_is_full as "scanIsFull", scan_is_deep as "scanIsDeep", is_deep as "isDeep", invalidated_at as "invalidatedAt",
      full_scan_wanted_at as "fullScanWantedAt", scan_total as "scanTotal", scan_number as "scanNumber", pending_tips as "pendingTips", known_until as "knownUntil", completed_at as "completedAt",
      full_scan_at as "fullScanAt", provider_total as "providerTotal", provider_changed_at as "providerChangedAt",
      provider_revision as "providerRevision", withheld_at as "withheldAt", failure is not null as "isFailing",
      ${storedTotal} as "storedTotal",
      coalesce('commit' = any(s.covers) and t.is_uncounted, false) as "isUncounted",
      ${skippedTotal} as "skippedTotal"
    from streams s left join totals t using (repository_id)
    where repository_id = ${repositoryId}
    order by not (s.covers && ${[...contributionKinds]}::text[]), s.name`.execute(connection);
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

/** Stores the number of reads of a history that is shown as empty and has to be read again. */
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

/** Stores, before any of its commits, that the history up to `tip` is being read. */
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

/** Stores that exactly the history up to `tip` is in the database; null: there is none. */
export async function moveTip(
  connection: Connection,
  repositoryId: string,
  stream: string,
  tip: string | null,
): Promise<void> {
  await updateStream(connection, repositoryId, stream).set({ cursor: tip, pending_tips: [] }).execute();
}

/** Moves the cursor back to where the transaction found it. */
export async function moveBack(
  transaction: Connection,
  repositoryId: string,
  stream: string,
  cursor: string | null,
): Promise<void> {
  await updateStream(transaction, repositoryId, stream).set({ cursor }).execute();
}

/**
 * Moves a stream's cursor together with the items up to it, and keeps the repository from being erased meanwhile.
 * @throws AppError `conflict` when the cursor is not where this reader left it: another process reads the stream too; `not_found`
 * when the repository is not stored any more.
 */
export async function moveCursor(
  connection: Connection,
  repositoryId: string,
  stream: string,
  move: {
    from: string | null;
    to: string | null;
    pageSize: number | null;
    scanTotal: number | null;
    /** The time of a full scan's last item; null: not known. */
    reachedAt: Date | null;
  },
): Promise<void> {
  const moved = await updateStream(connection, repositoryId, stream)
    .set({ cursor: move.to, page_size: move.pageSize, scan_total: move.scanTotal, ...noFailure })
    .$if(move.reachedAt !== null, (query) => query.set({ reached_at: move.reachedAt }))
    .where('cursor', 'is not distinct from', move.from)
    .where(sql<boolean>`(select hold_repository(${repositoryId}::uuid)) is not null`)
    .returning('name')
    .execute();
  if (moved.length > 0) return;
  await holdRepository(connection, repositoryId);
  throw new AppError('conflict', 'Another process is reading the same repository.');
}

/**
 * Ends a scan: everything that changed before `knownUntil` is stored.
 * @param end.withheldAt set when the host did not show the list, so that nothing more can be known.
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
      // Items that a scan of changes read only for counting have no details, even if the scan before read everything with details.
      is_deep: end.wasFull ? end.wasDeep : sql<boolean>`is_deep and ${end.wasDeep}::boolean`,
      ...(end.wasFull && { full_scan_at: end.knownUntil }),
    })
    .execute();
}

/**
 * Stores why a stream could not be read on; `restart` drops the cursor of the scan. Failures that follow each other keep the
 * time of the first one, which is announced, because pages say since when a host fails.
 * @param failure.reason the host's own words when they hold no private data, else words of this service.
 */
export async function failStream(
  connection: Connection,
  repositoryId: string,
  stream: string,
  failure: { code: string; reason: string; failedAt: Date; restart: boolean },
): Promise<void> {
  const { code, reason, failedAt, restart } = failure;
  await inTransaction(connection, async (transaction) => {
    const [failed] = await updateStream(transaction, repositoryId, stream)
      .set({
        failure: code,
        failure_reason: reason,
        failed_at: failedAt,
        failing_since: sql`coalesce(failing_since, ${failedAt})`,
        ...(restart && { cursor: null, scan_started_at: null }),
      })
      .returning('failing_since')
      .execute();
    if (failed?.failing_since?.getTime() === failedAt.getTime()) await announceOwner(transaction, repositoryId);
  });
}

/** Ends the failure of a stream of which nothing has to be read. */
export async function endFailure(connection: Connection, repositoryId: string, stream: string): Promise<void> {
  await updateStream(connection, repositoryId, stream).set(noFailure).execute();
}

const noFailure = { failure: null, failure_reason: null, failed_at: null, failing_since: null };

function updateStream(connection: Connection, repositoryId: string, stream: string) {
  return connection.updateTable('streams').where('repository_id', '=', repositoryId).where('name', '=', stream);
}

/** Locks streams, and stores that they changed. Rows of streams are locked in the order of their names (decision 63). */

/** Keeps other transactions from changing the streams of repositories until this one ends. */
export async function lockStreams(transaction: Connection, repositoryIds: readonly string[]): Promise<void> {
  await sql`
    select from streams where repository_id = any(${repositoryIds}::uuid[]) order by repository_id, name
    for no key update`.execute(transaction);
}

/** Keeps other transactions from changing a stream, and the repository from being erased, until this one ends. */
export async function lockStream(transaction: Connection, repositoryId: string, stream: string): Promise<void> {
  await sql`
    select from streams where repository_id = ${repositoryId} and name = ${stream}
      and hold_repository(${repositoryId}::uuid) is not null
    for no key update`.execute(transaction);
}

/** Stores that the provider reported a change in streams. */
export async function recordStreamChange(
  connection: Connection,
  repositoryId: string,
  streams: readonly string[],
  now: Date,
): Promise<void> {
  await sql`update streams set invalidated_at = ${now} where ${areLocked(repositoryId, streams)}`.execute(connection);
}

/** Requests a whole scan of streams. */
export async function wantFullScan(
  connection: Connection,
  repositoryId: string,
  streams: readonly string[],
  now: Date,
): Promise<void> {
  await sql`
    update streams set full_scan_wanted_at = ${now} where ${areLocked(repositoryId, streams)}`.execute(connection);
}

/** Returns SQL that is true for streams of a repository, which it locks in the order of their names. */
function areLocked(repositoryId: string, streams: readonly string[]): RawBuilder<boolean> {
  return sql<boolean>`repository_id = ${repositoryId} and name in (
    select name from streams where repository_id = ${repositoryId} and name = any(${streams})
    order by name for no key update)`;
}

/** Returns whether a stream of any repository was read to its end since a time. */
export async function hasCompletedScan(connection: Connection, since: Date): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (select from streams where completed_at >= ${since}) as has`.execute(connection);
  return rows[0]?.has === true;
}

/** Deliveries of deletions only request the lists that decide (docs/decisions/0015-deliveries-as-hints.md). */

/**
 * Requests a whole scan of the streams that show whether an item still exists, and the items below it. Changes nothing
 * when the item is not stored, except in streams that are being read: they may be about to store it. Must run in a
 * transaction.
 */
export async function requestScanFor(
  connection: Connection,
  item: { repositoryId: string; kind: ItemKind; externalId: string },
  now: Date,
): Promise<void> {
  const kinds = [item.kind, ...(below[item.kind] ?? [])];
  // Statements of their own, because Citus misreads a locking subquery that depends on tables divided by repository. Streams are
  // locked first: one that is not being read has stored its items by then.
  const { rows: streams } = await sql<{ name: string; isRead: boolean }>`
    select name, scan_started_at is not null as "isRead" from streams
    where repository_id = ${item.repositoryId} and covers && ${kinds}::text[]
    order by name for no key update`.execute(connection);
  const wanted = (await isStored(connection, item)) ? streams : streams.filter(({ isRead }) => isRead);
  if (wanted.length === 0) return;
  await sql`
    update streams set full_scan_wanted_at = ${now}
    where repository_id = ${item.repositoryId}
      and name = any(${wanted.map(({ name }) => name)}::text[])`.execute(connection);
}

async function isStored(
  connection: Connection,
  { repositoryId, kind, externalId }: { repositoryId: string; kind: ItemKind; externalId: string },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from contributions
    where repository_id = ${repositoryId} and kind = ${kind} and external_id = ${externalId}`.execute(connection);
  return rows.length > 0;
}

/**
 * Returns whether the host shows a stream, so that its list decides and not the deliveries about it. The result holds
 * until the transaction ends.
 */
export async function isStreamShown(connection: Connection, repositoryId: string, stream: string): Promise<boolean> {
  const row = await connection
    .selectFrom('streams')
    .select('name')
    .where('repository_id', '=', repositoryId)
    .where('name', '=', stream)
    .where('completed_at', 'is not', null)
    .where('withheld_at', 'is', null)
    .forShare()
    .executeTakeFirst();
  return row !== undefined;
}
