import { type RawBuilder, sql } from 'kysely';
import { isShownInSql } from '../../../accounts/visibility/opt-out-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { advisoryLocks } from '../../../database/schema/advisory-locks.ts';
import type { Board } from '../board.ts';
import { type BoardWindow, settledAt } from '../board-window.ts';
import { toTeamKey } from '../people/team-store.ts';
import type { CountedRepository } from '../ranking/coverage.ts';
import type { Members } from '../ranking/member-store.ts';
import { listOrder, peopleStatement, type RankingInput, rankInSql, rounded } from '../ranking/people-store.ts';
import { maxPeople, rankedSql } from '../ranking/rank-store.ts';
import { namesIn } from './removed-names.ts';
import {
  compareRules,
  type Difference,
  type RuleDifference,
  type Season,
  type SeasonKey,
  seasonColumns,
} from './season-store.ts';

/**
 * A version of a season is counted in one transaction, which keeps its people as lists. Each further transaction stores one
 * list as rows of its table; the last one stores the statement, and readers see the version from then on. Counting takes
 * seconds, and stores no row that refers to a person, so it holds no lock for which erasures wait: people who were erased or
 * hidden meanwhile lose their names when their rows are stored.
 */

/** The most people whose differences between two versions are stored. */
const maxDifferences = 1000;
/** The most people whose rows one transaction stores. */
export const peopleAtOnce = 5000;

export interface NewVersion {
  boardId: string;
  board: Board;
  number: number;
  window: BoardWindow;
  members: Members;
  missing: readonly string[];
  reason: string;
  now: Date;
  /** The version to which late data is added; absent: everything is counted. */
  former?: Season | undefined;
}

/**
 * Counts the next version of a season, whose table is stored by `saveNextPart`. Ranks are compared with those of the
 * window before it, which a file may have named later, so that its season has a higher number.
 */
export async function addVersion(transaction: Connection, added: NewVersion, limit = peopleAtOnce): Promise<void> {
  const { boardId, board, number, window, members, now } = added;
  const { rows } = await sql<{ version: number }>`
    insert into board_seasons (board_id, number, version, since, until, definition, coverage, counted, people,
      team_members, as_of, missing, frozen_at, reason, differences, is_written)
    select ${boardId}, ${number}, coalesce(max(version), 0) + 1, ${window.since}, ${window.until},
      ${JSON.stringify(board.definition)}, ${JSON.stringify(members.coverage)}, ${JSON.stringify(members.counted)},
      ${namesIn(board)}::text[], ${teamMembersSql(added)}, ${members.asOf}, ${[...added.missing]}::text[], ${now}, ${added.reason}, '[]', false
    from board_seasons where board_id = ${boardId} and number = ${number} returning version`.execute(transaction);
  const before = await findBefore(transaction, boardId, window.until);
  const people = sql`
    select n.place, n.rank, n.account_id, n.points, n.granted, n.by_rule, former.rank as previous_rank, n.is_newcomer,
      n.is_returning, n.teams, n.settled
    from (${peopleSql(added)}) n
    left join board_season_ranks former on former.board_id = ${boardId} and former.number = ${before?.number ?? null}
      and former.version = ${before?.version ?? null} and former.account_id = n.account_id`;
  await keepForParts(transaction, { boardId, number, version: rows[0]?.version ?? 1 }, people, limit);
}

/** Returns SQL for the ranked people of a version. */
function peopleSql({ board, window, members, missing, now, former }: NewVersion): RawBuilder<unknown> {
  const input = { board, window, members, now };
  if (former !== undefined) return lateSql(input, former);
  if (missing.length === 0) return sql`select n.*, null::json as settled from (${rankedSql(input)}) n`;
  return withSettledSql(input, settledIn(members.counted, settledAt(board, window, window.until ?? now)));
}

/** Returns SQL for the members of the team that alone are ranked; null: the board has none, or they are not known. */
function teamMembersSql({ board, members }: NewVersion): RawBuilder<unknown> {
  const { onlyMembersOf: team } = board.people;
  if (members.teamMembers !== undefined) return sql`${[...members.teamMembers]}::uuid[]`;
  if (team === null || members.coverage.unreadTeams?.includes(toTeamKey(team)) === true) return sql`null::uuid[]`;
  return sql`array(
    select account_id from host_team_members where owner_id = ${members.ownerId} and team = ${toTeamKey(team)} order by 1)`;
}

/** Finds the newest version of the season of the last window that ended before a moment. */
async function findBefore(
  transaction: Connection,
  boardId: string,
  until: Date | null,
): Promise<Pick<SeasonKey, 'number' | 'version'> | undefined> {
  const { rows } = await sql<Pick<SeasonKey, 'number' | 'version'>>`
    select number, version from board_seasons where board_id = ${boardId} and until < ${until}
    order by until desc, number desc, version desc limit 1`.execute(transaction);
  return rows[0];
}

/** Keeps the people of a version, with the columns of its table, for `saveNextPart`. */
export async function keepForParts(
  transaction: Connection,
  { boardId, number, version }: SeasonKey,
  people: RawBuilder<unknown>,
  limit: number,
): Promise<void> {
  await sql`
    insert into next_season_ranks (board_id, number, version, part, people, account_ids)
    select ${boardId}::uuid, ${number}::integer, ${version}::integer, p.part, json_agg(p order by p.place),
      coalesce(array_agg(p.account_id) filter (where p.account_id is not null), '{}')
    from (select n.*, (n.place - 1) / ${limit}::integer as part from (${people}) n) p
    group by p.part`.execute(transaction);
}

/** Returns whether a version of a season of a board is counted and not written yet. */
export async function hasUnwritten(transaction: Connection, boardId: string): Promise<boolean> {
  return (await findUnwritten(transaction, boardId)) !== undefined;
}

/** Finds a version of a season that is counted, and whose table or statement is not stored yet. */
export async function findUnwritten(transaction: Connection, boardId: string): Promise<Season | undefined> {
  const { rows } = await sql<Season>`
    select ${seasonColumns} from board_seasons s where s.board_id = ${boardId} and not s.is_written
    order by s.number, s.version limit 1`.execute(transaction);
  return rows[0];
}

/** Finds boards with versions of seasons that an interruption may have left behind. */
export async function findBoardsToWrite(connection: Connection, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct board_id as id from board_seasons where not is_written limit ${limit}`.execute(connection);
  return rows.map(({ id }) => id);
}

/**
 * Stores the rows of some people of a version. Those who were erased or hidden meanwhile have no name. Must run in a transaction that
 * holds the shared erasure lock and locks the board.
 * @returns `none` when all had been stored before.
 */
export async function saveNextPart(
  transaction: Connection,
  { boardId, number, version }: SeasonKey,
): Promise<'saved' | 'none'> {
  const isOfVersion = sql`board_id = ${boardId} and number = ${number} and version = ${version}`;
  const { rows } = await sql<{ taken: number }>`
    with taken as (
      delete from next_season_ranks where ${isOfVersion}
        and part = (select min(part) from next_season_ranks where ${isOfVersion})
      returning people
    ), added as (
      insert into board_season_ranks (board_id, number, version, place, rank, account_id, is_anonymous, points, granted,
        by_rule, previous_rank, is_newcomer, is_returning, teams, settled)
      select ${boardId}::uuid, ${number}::integer, ${version}::integer, p.place, p.rank, u.id, u.id is null, p.points,
        p.granted, p.by_rule, p.previous_rank, p.is_newcomer, p.is_returning,
        case when u.id is null then '{}' else p.teams end, p.settled
      from taken, json_to_recordset(taken.people) as p (place integer, rank integer, account_id uuid,
        points double precision, granted double precision, by_rule json, previous_rank integer, is_newcomer boolean,
        is_returning boolean, teams text[], settled json)
      left join accounts u on u.id = p.account_id and ${isShownInSql('u')}
    )
    select count(*)::integer as taken from taken`.execute(transaction);
  return rows[0]?.taken === 1 ? 'saved' : 'none';
}

/**
 * Locks the versions of a season until the end of the transaction: when a person in one is hidden or erased meanwhile, the
 * withdrawal of their statements waits for it.
 */
export async function lockSeason(
  transaction: Connection,
  { boardId, number }: Pick<SeasonKey, 'boardId' | 'number'>,
): Promise<void> {
  await sql`
    select from board_seasons where board_id = ${boardId} and number = ${number}
    order by version for no key update`.execute(transaction);
}

/** Waits for the end of all transactions that hide or show accounts, which may have begun before a version was counted. */
export async function waitForHiding(transaction: Connection): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks.signing})`.execute(transaction);
}

/** Removes the names of people who were hidden after their rows were stored. */
export async function makeHiddenAnonymous(
  transaction: Connection,
  { boardId, number, version }: SeasonKey,
): Promise<void> {
  await sql`
    update board_season_ranks r set account_id = null, is_anonymous = true, teams = '{}' from accounts u
    where r.board_id = ${boardId} and r.number = ${number} and r.version = ${version} and u.id = r.account_id
      and not ${isShownInSql('u')}`.execute(transaction);
}

/**
 * Returns the id of the transaction that changed a version last. The versions of a season change when their statements are
 * withdrawn, because a person in one was hidden or erased.
 */
export async function findRevision(
  connection: Connection,
  { boardId, number, version }: SeasonKey,
): Promise<string | undefined> {
  const { rows } = await sql<{ revision: string }>`
    select xmin::text as revision from board_seasons
    where board_id = ${boardId} and number = ${number} and version = ${version}`.execute(connection);
  return rows[0]?.revision;
}

/** Finds how a version differs from the one before it: its rule, then ranks and points. */
export async function findDifferences(
  connection: Connection,
  { boardId, number, version, definition }: SeasonKey & Pick<Season, 'definition'>,
): Promise<(RuleDifference | Difference)[]> {
  if (version === 1) return [];
  const former = await connection
    .selectFrom('board_seasons')
    .select('definition')
    .where('board_id', '=', boardId)
    .where('number', '=', number)
    .where('version', '=', version - 1)
    .executeTakeFirst();
  const { rows } = await sql<Difference>`
    with news as (select * from board_season_ranks
      where board_id = ${boardId} and number = ${number} and version = ${version} and account_id is not null),
    olds as (select * from board_season_ranks
      where board_id = ${boardId} and number = ${number} and version = ${version - 1} and account_id is not null)
    select u.provider || '/' || u.name as person, n.rank, o.rank as "formerRank", coalesce(n.points, 0) as points,
      coalesce(o.points, 0) as "formerPoints"
    from news n full join olds o using (account_id) join accounts u on u.id = account_id and ${isShownInSql('u')}
    where (n.rank, n.points) is distinct from (o.rank, o.points)
    order by coalesce(n.place, o.place) limit ${maxDifferences}`.execute(connection);
  return [...compareRules(definition, former?.definition ?? definition), ...rows];
}

/** Stores the statement and the differences of a version, which readers see from then on. */
export async function saveSigned(
  transaction: Connection,
  { boardId, number, version }: SeasonKey,
  { statement, differences }: Pick<Season, 'differences'> & { statement: string },
): Promise<void> {
  await transaction
    .updateTable('board_seasons')
    .set({ statement, differences: JSON.stringify(differences), is_written: true })
    .where('board_id', '=', boardId)
    .where('number', '=', number)
    .where('version', '=', version)
    .where('is_written', '=', false)
    .execute();
}

/**
 * A season that was frozen while data was missing gets that data, and no other change: the points that the complete
 * repositories gave are stored, and a later count adds the difference between all repositories and these.
 */

/** Returns the repositories of which everything before a moment was known when a season was counted. */
export function settledIn(counted: readonly CountedRepository[] | null, until: Date): CountedRepository[] {
  return (counted ?? []).filter(
    ({ id, knownUntil }) => id !== undefined && knownUntil !== null && new Date(knownUntil) >= until,
  );
}

/** Returns SQL for the ranked people of a season with missing data, and the points that do not depend on that data. */
function withSettledSql(input: RankingInput, settled: readonly CountedRepository[]): RawBuilder<unknown> {
  return sql`
    select n.*, json_build_object('points', coalesce(s.points - s.granted, 0), 'by_rule', coalesce(s.by_rule, '{}')) as settled
    from (${rankedSql(input)}) n left join (${ofRepositories(input, settled)}) s on s.account_id = n.account_id`;
}

/** Returns SQL for the people of `peopleStatement` by some of the repositories alone. */
function ofRepositories(input: RankingInput, counted: readonly CountedRepository[]): RawBuilder<unknown> {
  const among = new Set(counted.map(({ id }) => id));
  const ids = input.members.ids.filter((id) => among.has(id));
  return peopleStatement({ ...input, members: { ...input.members, ids } }).toSql(sql`select * from people`);
}

/**
 * Returns SQL for the ranked people of a season after the missing data arrived, as `withSettledSql` does. People who
 * were erased or hidden meanwhile keep their points without a name.
 */
function lateSql(input: RankingInput, former: Season): RawBuilder<unknown> {
  const { board, window } = input;
  const { boardId, number, version, coverage } = former;
  // These boards left people out while it was not known who is a newcomer or a member.
  const ranksSome = board.people.newcomersAlone || board.people.onlyMembersOf !== null;
  const takesGrants = ranksSome || coverage.namesUnknownPeople === true;
  const isOfFormer = sql`f.board_id = ${boardId} and f.number = ${number} and f.version = ${version}`;
  const settledNow = sql`coalesce(s.points - s.granted, 0)`;
  const wasOut = ranksSome
    ? sql`json_build_object('points', ${settledNow}, 'by_rule', coalesce(s.by_rule, '{}'))`
    : sql`'{}'::json`;
  return sql`
    with former as (select * from board_season_ranks f where ${isOfFormer}),
    late as (
      select account_id, name, granted, ordered_at, is_newcomer, is_returning, teams,
        ${rounded(sql`coalesce((base ->> 'points')::float8, 0) + more + granted`)} as points, (
          select coalesce(json_object_agg(rule, value order by rule), '{}') from (
            select key::integer as rule, ${rounded(sql`sum(value)`)} as value from (
              select key, value::float8 from json_each_text(base -> 'by_rule')
              union all select key, value::float8 from json_each_text(all_rules)
              union all select key, -value::float8 from json_each_text(settled_rules)) r
            group by key having round(sum(value)::numeric, 6) <> 0) sums) as by_rule
      from (
        select coalesce(f.account_id, n.account_id) as account_id, coalesce(n.name, '') as name, n.ordered_at,
          coalesce(nullif(f.granted, 0), case when ${takesGrants} then n.granted end, 0) as granted,
          coalesce(n.is_newcomer, f.is_newcomer) as is_newcomer, coalesce(n.is_returning, f.is_returning) as is_returning,
          coalesce(f.teams, n.teams) as teams, coalesce(n.points - n.granted, 0) - ${settledNow} as more,
          coalesce(n.by_rule, '{}') as all_rules, coalesce(s.by_rule, '{}') as settled_rules,
          case when f.is_anonymous then json_build_object('points', f.points - f.granted, 'by_rule', f.by_rule)
            else coalesce(f.settled, ${wasOut}) end as base
        from former f
        full join (${peopleStatement(input).toSql(sql`select * from people`)}) n on n.account_id = f.account_id
        left join (${ofRepositories(input, settledIn(former.counted, settledAt(board, window, former.until)))}) s on s.account_id = n.account_id
        where ${ranksSome ? sql`coalesce(n.may_be_ranked, f.is_anonymous)` : sql`f.place is not null or n.may_be_ranked`}) counted)
    select row_number() over (order by ${listOrder}) as place, ${rankInSql(board)} as rank, *, null::json as settled
    from late where points > 0 order by place limit ${maxPeople}`;
}
