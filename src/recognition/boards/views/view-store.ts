import { type RawBuilder, sql } from 'kysely';
import { isOfTypeInSql } from '../../../accounts/actor-store.ts';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import { isShownInSql } from '../../../accounts/visibility/opt-out-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { pointRead } from '../../../database/reads/point-reads.ts';
import type { Progress } from '../../../http/pipeline/envelope.ts';
import type { AccountType } from '../../../model/account.ts';
import type { PersonType } from '../../../model/agents.ts';
import type { Board } from '../board.ts';
import type { StoredBoard } from '../board-store.ts';
import type { BoardWindow } from '../board-window.ts';
import type { Coverage } from '../ranking/coverage.ts';
import { listOrderOfRows, rounded } from '../ranking/people-store.ts';
import {
  isOfVersionInSql,
  isPresentRankInSql,
  type RankingVersion,
  rankedRowsInSql,
} from '../ranking/ranking-version-store.ts';
import { scoreStatement } from '../ranking/score-store.ts';

/** A board that everyone may see, with the facts by which pages about its repositories and people link to it. */
export interface OpenBoard {
  provider: string;
  owner: string;
  slug: string;
  name: string;
  description: string;
}

/** A contribution that gave a person points, or that gave none because of a cap. */
export interface EvidenceItem {
  at: Date;
  rule: number;
  /** Null for a rule with an aggregate, which is earned once. */
  kind: string | null;
  repository: { id: string; provider: string; owner: string; name: string; isPrivate: boolean } | null;
  /** Empty where it is not known. */
  title: string;
  /** The number of an issue, pull request or discussion; of a comment or review, that of the item it belongs to. */
  number: number | null;
  /** A commit's id, hexadecimal. */
  oid: string | null;
  /** True for a commit that a program helped to write; null: not known. */
  isAssisted: boolean | null;
  /** Distinguishes items of one rule and moment. */
  key: string;
  points: number;
  /** The sum of the points of all items of the list, rounded as totals are. */
  itemised: number;
  /** The points after decay, before the cap of a day. */
  pointsBeforeCap: number;
}

/** The contributions that are read. */
interface EvidenceScope {
  repositoryIds: readonly string[];
  window: BoardWindow;
  accountId: string;
}

interface EvidencePage {
  limit: number;
  after?: EvidencePlace | undefined;
  before?: EvidencePlace | undefined;
}

/** A place in the list: newest first, then by rule and key. */
export type EvidencePlace = readonly [at: string, rule: number, key: string];

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
  /** The reason for which repositories are not read yet; absent where all are read, or none of the others will be. */
  progress?: Progress | undefined;
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

interface PeoplePage {
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

/** Returns SQL for the points of one item: with ten decimals, so that items add up to the total. */
function ofItem(points: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`round(${points}::numeric, 10)::float8`;
}

/** Finds the repositories that the present ranking of a board counts. */
export async function findRankedRepositories(connection: Connection, boardId: string): Promise<string[]> {
  const rows = await connection
    .selectFrom('board_repositories')
    .select('repository_id')
    .where('board_id', '=', boardId)
    .execute();
  return rows.map((row) => row.repository_id);
}

/**
 * Finds a page of the items that gave a person points, newest first. It reads the contributions of that person alone.
 */
export async function findEvidence(
  connection: Connection,
  board: Board,
  { repositoryIds, window, accountId }: EvidenceScope,
  { limit, after, before }: EvidencePage,
): Promise<EvidenceItem[]> {
  const statement = scoreStatement(board, { repositoryIds, window, accountIds: [accountId], namesItems: true });
  const place = after ?? before;
  const isBeyond =
    place === undefined
      ? sql`true`
      : sql`(at, rule, key) ${after === undefined ? sql`>` : sql`<`} (${place[0]}::timestamptz, ${place[1]}::integer, ${place[2]}::text)`;
  const direction = before === undefined ? sql`desc` : sql`asc`;
  const inOrder = sql`order by e.at ${direction}, e.rule ${direction}, e.key ${direction}`;
  statement.add(
    'page',
    sql`select * from (
        select c.*, ${rounded(sql`sum(value) over ()`)} as itemised, concat(repository_id, ' ', kind, ' ', external_id, encode(oid, 'hex')) as key
        from counted c where person = ${accountId}::uuid) e
      where ${isBeyond} ${inOrder} limit ${limit}`,
  );
  statement.add(
    'items',
    sql`select distinct i.repository_id, i.kind, i.external_id, i.title from page e
      join contributions i on i.repository_id = e.repository_id and i.kind = e.kind and i.external_id = e.external_id`,
  );
  statement.add(
    'parents',
    sql`select distinct i.repository_id, i.external_id, i.number, i.title from page e
      join contributions i on i.repository_id = e.repository_id and i.kind = 'pull_request' and i.external_id = e.parent
      where e.kind = 'review'`,
  );
  statement.add(
    'done',
    sql`select distinct c.repository_id, c.oid, c.subject, c.assisted from page e
      join commits c on c.repository_id = e.repository_id and c.oid = e.oid`,
  );
  const { rows } = await statement
    .toSql(sql<EvidenceItem & { at: Date }>`
      select e.at, e.rule, e.kind, coalesce(e.number, parent.number) as number, encode(e.oid, 'hex') as oid, e.key,
        coalesce(item.title, parent.title, done.subject, '') as title, done.assisted as "isAssisted",
        ${ofItem(sql`e.value`)} as points, ${ofItem(sql`e.full_value`)} as "pointsBeforeCap", e.itemised,
        case when r.id is not null then
          json_build_object('id', r.id, 'provider', r.provider, 'owner', o.name, 'name', r.name,
            'isPrivate', r.is_private) end as repository
      from page e left join repositories r on r.id = e.repository_id left join accounts o on o.id = r.owner_id
      left join items item on item.repository_id = e.repository_id and item.kind = e.kind
        and item.external_id = e.external_id
      left join done on done.repository_id = e.repository_id and done.oid = e.oid
      left join parents parent on parent.repository_id = e.repository_id and parent.external_id = e.parent
        and e.kind = 'review'
      ${inOrder}`)
    .execute(connection);
  return before === undefined ? rows : rows.toReversed();
}

/** Finds the boards that count a public repository, those of its own owner first. */
export function findBoardsOfRepository(
  connection: Connection,
  { repositoryId, ownerId, limit }: { repositoryId: string; ownerId: string; limit: number },
): Promise<OpenBoard[]> {
  const among = sql`select board_id from board_repositories where repository_id = ${repositoryId}`;
  return findOpenBoards(connection, { among, ownerId, limit });
}

/** Finds the boards of a person, and those on which the person has points. */
export function findBoardsOfPerson(
  connection: Connection,
  { accountId, limit }: { accountId: string; limit: number },
): Promise<OpenBoard[]> {
  const among = sql`
    select id as board_id from boards where owner_id = ${accountId} union
    select k.board_id from board_ranks k join board_rankings n on n.board_id = k.board_id
    where k.account_id = ${accountId} and k.is_ranked and ${isOfVersionInSql('k', sql`n.version`)}`;
  return findOpenBoards(connection, { among, ownerId: accountId, limit });
}

/**
 * Finds boards, those of an owner first. It leaves out those with private repositories, of the members of a team, and of
 * hidden accounts.
 */
async function findOpenBoards(
  connection: Connection,
  { among, ownerId, limit }: { among: RawBuilder<unknown>; ownerId: string; limit: number },
): Promise<OpenBoard[]> {
  const { rows } = await sql<OpenBoard>`
    select ${pointRead} o.provider, o.name as owner, b.slug, b.name, b.description
    -- Each of these reads one row by its key, however few accounts and boards PostgreSQL expects.
    from (${among}) m cross join lateral (
        select owner_id, slug, place, name, description from boards
        where id = m.board_id and is_current and not is_private and not is_of_team offset 0) b
      cross join lateral (
        select provider, name from accounts o where id = b.owner_id and ${isShownInSql('o')} offset 0) o
    order by b.owner_id <> ${ownerId}, o.provider, lower(o.name), b.place limit ${limit}`.execute(connection);
  return rows;
}
