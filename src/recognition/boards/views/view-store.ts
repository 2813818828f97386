import { type RawBuilder, sql } from 'kysely';
import { isOfTypeInSql } from '../../../accounts/actor-store.ts';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import { isShownInSql } from '../../../accounts/visibility/shown-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import type { AccountType } from '../../../model/account.ts';
import type { PersonType } from '../../../model/agents.ts';
import type { StoredBoard } from '../board-store.ts';
import type { Coverage } from '../ranking/coverage.ts';
import { listOrderOfRows } from '../ranking/people-store.ts';
import {
  isOfVersionInSql,
  isPresentRankInSql,
  type RankingVersion,
  rankedRowsInSql,
} from '../ranking/ranking-version-store.ts';

/** The ranking of a board. */
export interface Ranking {
  version: number;
  since: Date | null;
  until: Date | null;
  coverage: Coverage;
  /** The time up to which all installed repositories are known. */
  asOf: Date | null;
  builtAt: Date;
  people: number;
}

/** A person on a board. */
export interface RankedPerson {
  place: number;
  rank: number;
  id: string;
  provider: string;
  externalId: string;
  type: AccountType;
  name: string;
  displayName: string;
  avatarUrl: string;
  points: number;
  granted: number;
  byRule: Readonly<Record<string, number>>;
  previousRank: number | null;
  isNewcomer: boolean;
  isReturning: boolean;
  firstAt: Date | null;
  teams: string[];
  /** Further teams, by membership in a host team; for the owner of the board alone. */
  memberTeams: string[];
}

/**
 * Finds the present ranking of a board; undefined while none may be shown, because a repository that it counts has
 * become private, hidden or erased since, or because it was limited to the members of a team and the board no longer
 * is.
 */
export async function findPresentRanking(
  connection: Connection,
  { id, ownerId, board }: StoredBoard,
): Promise<Ranking | undefined> {
  const { rows } = await sql<Omit<Ranking, 'people'> & { people: number; is_shown: boolean }>`
    select r.version, r.since, r.until, r.coverage, r.as_of as "asOf", r.built_at as "builtAt",
      (select count(*) from board_ranks k join accounts u on u.id = k.account_id
        where k.board_id = r.board_id and k.is_ranked and ${isOfVersionInSql('k', sql`r.version`)} and ${isShownInSql('u')}) as people,
      (not r.is_of_team or ${board.people.onlyMembersOf !== null}::boolean) and r.members = (
        select count(*) from board_repositories m join repositories s on s.id = m.repository_id
        join accounts o on o.id = s.owner_id
        where m.board_id = b.id and ${isPresentInSql('s')} and (${isShownInSql('o')} or o.id = ${ownerId})
          and (not s.is_private or (${board.isPrivate}::boolean and s.owner_id = ${ownerId}))) as is_shown
    from boards b join board_rankings r on r.board_id = b.id where b.id = ${id}`.execute(connection);
  const [row] = rows;
  if (row === undefined || !row.is_shown) return undefined;
  const { is_shown: _isShown, ...ranking } = row;
  return ranking;
}

/** Returns whether a version of the ranking of a board is still stored. */
export async function hasVersion(connection: Connection, boardId: string, version: number): Promise<boolean> {
  const row = await connection
    .selectFrom('board_rankings')
    .select('version')
    .where('board_id', '=', boardId)
    .where('oldest_version', '<=', version)
    .where('version', '>=', version)
    .executeTakeFirst();
  return row !== undefined;
}

export interface PeoplePage {
  limit: number;
  after?: number | undefined;
  before?: number | undefined;
  team?: string | undefined;
  /** True when the caller is the board's owner: `team` then includes members of host teams. */
  isOwner: boolean;
  type?: PersonType | undefined;
}

const personColumns = sql`k.place, k.rank, u.id, u.provider, u.external_id as "externalId", u.type, u.name,
  u.display_name as "displayName", u.avatar_url as "avatarUrl", k.points, k.granted, k.by_rule as "byRule",
  k.previous_rank as "previousRank", k.is_newcomer as "isNewcomer", k.is_returning as "isReturning",
  k.first_at as "firstAt", k.teams, k.member_teams as "memberTeams"`;

/** Finds a page of a ranking, in its order, without hidden accounts. */
export async function findPeople(
  connection: Connection,
  version: RankingVersion,
  page: PeoplePage,
): Promise<RankedPerson[]> {
  const { after, before, team, type, isOwner } = page;
  const conditions: RawBuilder<unknown>[] = [isShownInSql('u')];
  if (type !== undefined) conditions.push(isOfTypeInSql('u', type));
  if (team !== undefined) {
    const teams = isOwner ? sql`(k.teams || k.member_teams)` : sql`k.teams`;
    conditions.push(sql`${teams} @> array[${team}]::text[]`);
  }
  if (after !== undefined) conditions.push(sql`k.place > ${after}`);
  if (before !== undefined) conditions.push(sql`k.place < ${before}`);
  const { rows } = await sql<RankedPerson>`
    select ${personColumns} from (${rankedRowsInSql(version)}) k join accounts u on u.id = k.account_id
    where ${sql.join(conditions, sql` and `)}
    order by ${before === undefined ? listOrderOfRows : sql`k.place desc`} limit ${page.limit}`.execute(connection);
  return before === undefined ? rows : rows.toReversed();
}

/** Finds a person on a board by login. */
export async function findPerson(
  connection: Connection,
  version: RankingVersion,
  { provider, login }: { provider: string; login: string },
): Promise<RankedPerson | undefined> {
  const { rows } = await sql<RankedPerson>`
    select ${personColumns} from (${rankedRowsInSql(version)}) k join accounts u on u.id = k.account_id
    where u.provider = ${provider} and lower(u.name) = lower(${login})
      and ${isShownInSql('u')}`.execute(connection);
  return rows[0];
}

/** An entry of the feed of a board. */
export interface FeedEvent {
  kind: 'leader' | 'newcomer';
  at: Date;
  accountId: string;
  name: string;
  provider: string;
  points: number;
}

/** Finds the newest leaders and newcomers of a board. */
export async function findFeedEvents(
  connection: Connection,
  { boardId, limit }: { boardId: string; limit: number },
): Promise<FeedEvent[]> {
  const { rows } = await sql<FeedEvent>`
    select kind, at, u.id as "accountId", u.name, u.provider, points from (
      (select 'leader' as kind, since as at, account_id, points from board_leaders
        where board_id = ${boardId} order by since desc limit ${limit})
      union all
      (select 'newcomer', first_at, account_id, points from board_ranks k
        where board_id = ${boardId} and is_ranked and ${isPresentRankInSql('k')} and is_newcomer and first_at is not null
        order by first_at desc limit ${limit})
    ) events join accounts u on u.id = events.account_id and ${isShownInSql('u')}
    order by at desc, kind, u.name limit ${limit}`.execute(connection);
  return rows;
}
