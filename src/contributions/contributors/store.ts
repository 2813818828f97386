import { type RawBuilder, sql } from 'kysely';
import { isShownInSql } from '../../accounts/visibility/opt-out-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { type CounterName, counterNames, lifetimeOfPeople } from '../../model/kinds.ts';
import { columnsInSql } from '../totals/column-store.ts';
import type { Contributor, Place, Ranking, Version } from './contributor.ts';

/** The lifetime counters of a repository, without `contributed_to`; forks have no `stars`. */
export type RepositoryCounters = Partial<Record<CounterName, number>>;

/** The accounts that a listing shows to its reader. */
export interface Listed {
  withBots: boolean;
  /** The account that reads the listing, and that sees itself even when it is hidden; null: the public. */
  viewerId: string | null;
}

interface Side {
  after?: Place | undefined;
  before?: Place | undefined;
}

/** Finds a page of a listing, in its order: the contributors after a place, or the last ones before it. */
export async function findContributors(
  connection: Connection,
  version: Version,
  page: Listed & Side & { limit: number },
): Promise<Contributor[]> {
  const direction = page.before === undefined ? sql`asc` : sql`desc`;
  const order = sql`order by -s.contributions ${direction}, s.name_key ${direction}, s.account_id ${direction}`;
  const columns = sql`select s.contributions, s.name_key as "nameKey", a.id, a.provider, a.type, a.name,
    a.display_name as "displayName", a.avatar_url as "avatarUrl", a.created_at as "createdAt", s.name_key, s.account_id`;
  const listed = sql`join accounts a on a.id = s.account_id where ${isListed(page)} and ${isBeyond(page)}`;
  // The rows that later versions replaced are few, so they need no index in the order of the list.
  const { rows } = await sql<Contributor>`
    select "nameKey", contributions, id, provider, type, name, "displayName", "avatarUrl", "createdAt" from (
      (${columns} from ranks s ${listed} and ${isOfNewest(version)} ${order} limit ${page.limit})
      union all
      (${columns} from ranks s ${listed} and ${isReplacedSince(version)})) s
    ${order} limit ${page.limit}`.execute(connection);
  return page.before === undefined ? rows : rows.toReversed();
}

/** Returns the condition that the row `s` belongs to a version, and also to the newest one. */
function isOfNewest({ id, version }: Version): RawBuilder<boolean> {
  return sql<boolean>`(s.ranking_id = ${id} and s.until_version is null and s.since_version <= ${version})`;
}

/** Returns the condition that the row `s` belongs to a version, and not to the newest one. */
function isReplacedSince({ id, version }: Version): RawBuilder<boolean> {
  return sql<boolean>`(s.ranking_id = ${id} and s.until_version > ${version} and s.since_version <= ${version})`;
}

/** Returns the condition that the row `s` is after or before a place; true when no place is given. */
function isBeyond({ after, before }: Side): RawBuilder<boolean> {
  const place = after ?? before;
  if (place === undefined) return sql<boolean>`true`;
  return sql<boolean>`(-s.contributions, s.name_key, s.account_id) ${after === undefined ? sql`<` : sql`>`}
    (${-place.contributions}::integer, ${place.nameKey}::text collate "C", ${place.accountId}::uuid)`;
}

/** Returns the condition that a listing shows the account `a`. */
function isListed({ withBots, viewerId }: Listed): RawBuilder<boolean> {
  return sql<boolean>`((${withBots}::boolean or a.type <> 'bot')
    and (${isShownInSql('a')} or (a.deleted_at is null and a.id = ${viewerId}::uuid)))`;
}

/** Counts the contributors that the listing shows: those after a place, or all. */
export async function countContributors(
  connection: Connection,
  version: Version,
  listed: Listed & { after?: Place | undefined },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from ranks s join accounts a on a.id = s.account_id
    where (${isOfNewest(version)} or ${isReplacedSince(version)})
      and ${isListed(listed)} and ${isBeyond(listed)}`.execute(connection);
  return rows[0]?.count ?? 0;
}

/**
 * Returns the number of contributors that the newest version of a listing shows; without bots and for the public it is
 * stored.
 */
export async function countAll(connection: Connection, ranking: Ranking, listed: Listed): Promise<number> {
  if (listed.withBots || listed.viewerId !== null) return countContributors(connection, ranking, listed);
  return ranking.people;
}

/** Finds the counters of a repository; all but the stars are 0 before its contributions are read. */
export async function findRepositoryCounters(
  connection: Connection,
  repositoryId: string,
): Promise<RepositoryCounters> {
  const { rows } = await sql<Record<string, number | null>>`
    with totals as (select ${columnsInSql(lifetimeOfPeople)} from repository_totals where repository_id = ${repositoryId})
    select t.*, case when not r.is_fork then r.stars end as stars
    from repositories r left join totals t on true where r.id = ${repositoryId}`.execute(connection);
  const [row = {}] = rows;
  const isOfFork = row['stars'] === null;
  return Object.fromEntries(
    counterNames
      .filter((name) => name !== 'contributed_to' && !(isOfFork && name === 'stars'))
      .map((name) => [name, row[name] ?? 0]),
  );
}
