import { sql } from 'kysely';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import { knownUntil } from '../../../contributions/items/collection-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';

/**
 * Counts of an account's repositories and streams, including private ones; hidden and deleted repositories are left
 * out.
 */
interface CollectingState {
  /** The time at which the repositories were last listed; null when they never were. */
  listedAt: Date | null;
  repositories: number;
  installed: number;
  /** The number of repositories of which every stream was read to its end and none fails. */
  completeRepositories: number;
  streams: number;
  completeStreams: number;
  failingStreams: number;
  /** The oldest time up to which a stream is known; null: some stream was never read to its end, or there is none. */
  oldestKnownAt: Date | null;
}

/** A stream that was never read to its end, or that fails. `knownAt` is the time up to which its items are stored. */
export interface UnfinishedStream {
  repository: string;
  name: string;
  isComplete: boolean;
  knownAt: Date | null;
  failure: { code: string; reason: string; since: Date | null } | null;
}

/** Skipped items of an account or its repositories: one row for each path in a response, kind and reason. */
export interface OwnSkippedItem {
  /** The name of the repository; null when the item is about the account itself. */
  repository: string | null;
  stream: string;
  kind: string;
  reason: 'unreadable' | 'refused';
  path: string;
  explanation: string;
  isStored: boolean;
  items: number;
  firstSeenAt: Date;
  seenAt: Date;
}

/** Counts of the messages about awards in an account's repositories that were not sent. */
interface NotificationState {
  waiting: number;
  failed: number;
  oldestWaitingAt: Date | null;
}

export async function findCollectingState(connection: Connection, accountId: string): Promise<CollectingState> {
  const { rows } = await sql<CollectingState>`
    with own as (
      select r.id, r.installed_at is not null as is_installed, count(s.name) as streams,
        count(*) filter (where s.completed_at is not null and s.failure is null) as complete,
        count(s.failure) as failing, min(${knownUntil}) as known_at,
        count(*) filter (where s.name is not null and s.completed_at is null) as unread
      from repositories r left join streams s on s.repository_id = r.id
      where r.owner_id = ${accountId} and ${isPresentInSql('r')} group by r.id
    )
    select (select listed_at from accounts where id = ${accountId}) as "listedAt", count(*) as repositories, count(*) filter (where is_installed) as installed,
      count(*) filter (where streams > 0 and streams = complete) as "completeRepositories",
      coalesce(sum(streams), 0)::integer as streams, coalesce(sum(complete), 0)::integer as "completeStreams",
      coalesce(sum(failing), 0)::integer as "failingStreams",
      case when coalesce(sum(unread), 0) = 0 then min(known_at) end as "oldestKnownAt"
    from own`.execute(connection);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate has a row');
  return row;
}

/** Finds up to `limit` streams that fail, then streams that were never read to their end. */
export async function findUnfinishedStreams(
  connection: Connection,
  accountId: string,
  limit: number,
): Promise<UnfinishedStream[]> {
  const rows = await connection
    .selectFrom('streams as s')
    .innerJoin('repositories as r', 'r.id', 's.repository_id')
    .select([
      'r.name as repository',
      's.name',
      's.completed_at',
      's.known_until',
      's.failure',
      's.failure_reason',
      's.failing_since',
    ])
    .where('r.owner_id', '=', accountId)
    .where(isPresentInSql('r'))
    .where((is) => is.or([is('s.failure', 'is not', null), is('s.completed_at', 'is', null)]))
    .orderBy(sql`s.failure is null`)
    .orderBy('s.failed_at', 'desc')
    .orderBy('r.name')
    .orderBy('s.name')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    repository: row.repository,
    name: row.name,
    isComplete: row.completed_at !== null,
    knownAt: row.known_until,
    failure:
      row.failure === null ? null : { code: row.failure, reason: row.failure_reason ?? '', since: row.failing_since },
  }));
}

/** Finds up to `limit` skipped items of an account and its repositories, the latest first, and the number of all. */
export async function findOwnSkipped(
  connection: Connection,
  accountId: string,
  limit: number,
): Promise<{ places: number; items: OwnSkippedItem[] }> {
  const own = sql`
    from skipped_items k left join repositories r on r.id = k.repository_id
    where k.account_id = ${accountId} or (r.owner_id = ${accountId} and ${isPresentInSql('r')})`;
  const { rows } = await sql<OwnSkippedItem>`
    select r.name as repository, k.stream, k.kind, k.reason, k.path, k.explanation, k.is_stored as "isStored", k.items,
      k.first_seen_at as "firstSeenAt", k.seen_at as "seenAt"
    ${own} order by k.seen_at desc, r.name nulls first, k.stream, k.kind, k.path, k.reason, k.is_stored
    limit ${limit}`.execute(connection);
  const { rows: counts } = await sql<{ places: number }>`select count(*) as places ${own}`.execute(connection);
  return { places: counts[0]?.places ?? 0, items: rows };
}

export async function findNotificationState(connection: Connection, accountId: string): Promise<NotificationState> {
  const { rows } = await sql<NotificationState>`
    select count(*) filter (where n.state = 'waiting') as waiting, count(*) filter (where n.state = 'dead') as failed,
      min(n.created_at) filter (where n.state = 'waiting') as "oldestWaitingAt"
    from notifications n join repositories r on r.id = n.repository_id join accounts a on a.id = n.account_id
    where r.owner_id = ${accountId} and ${isPresentInSql('r')} and not a.hidden and a.deleted_at is null
      and n.state <> 'sent'`.execute(connection);
  return rows[0] ?? { waiting: 0, failed: 0, oldestWaitingAt: null };
}
