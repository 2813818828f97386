import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';
import type { Board, PersonName } from '../board.ts';
import { keyOf } from '../teams/team-store.ts';
import type { BoardWindow } from '../windows.ts';
import type { Members } from './member-store.ts';
import { isRankedInSql, scoreStatement } from './score-store.ts';

/** The most people on a board. */
const maxPeople = 100_000;

export interface Ranked {
  /** True when ranks or points differ from the ranking before. */
  isChanged: boolean;
  rankingId: number;
}

interface RankingInput {
  boardId: string;
  board: Board;
  window: BoardWindow;
  members: Members;
  now: Date;
}

/** Returns SQL for the ranked people of a board, with `place` and all columns of `board_ranks` but the former rank. */
export function rankedSql(
  board: Board,
  { window, members, now }: Pick<RankingInput, 'window' | 'members' | 'now'>,
): RawBuilder<unknown> {
  const statement = scoreStatement(board, { repositoryIds: members.ids, window });
  // Grants count as of the last instant of a window that has ended.
  const asOf = window.until !== null && window.until <= now ? new Date(window.until.getTime() - 1) : now;
  statement.add(
    'rule_points',
    sql`select person, rule, sum(value) as value, max(at) filter (where value > 0) as reached_at
      from counted group by person, rule`,
  );
  statement.add(
    'scores',
    sql`select person, sum(value) as value, max(reached_at) as reached_at,
        json_object_agg(rule, round(value::numeric, 2)::float8 order by rule) as by_rule
      from rule_points group by person`,
  );
  statement.add('granted', grantedSql(board, asOf, window.timeZone));
  const { since, beforeSince } = window;
  statement.add(
    'firsts',
    sql`select person, min(at) as first_at,
        ${beforeSince === null ? sql`false` : sql`bool_or(at >= ${beforeSince}::timestamptz and at < ${since}::timestamptz)`}
          as was_before
      from matched group by person`,
  );
  statement.add('named_teams', teamsSql(board));
  statement.add('member_teams', memberTeamsSql(board, members));
  const isNew = since === null ? sql`false` : sql`coalesce(f.first_at >= ${since}::timestamptz, false)`;
  const isReturning =
    beforeSince === null ? sql`false` : sql`coalesce(f.first_at < ${since}::timestamptz and not f.was_before, false)`;
  statement.add(
    'people',
    sql`select u.id as account_id, lower(u.name) as name, s.by_rule, s.reached_at, f.first_at,
        round((coalesce(s.value, 0) + coalesce(g.points, 0))::numeric, 2)::float8 as points,
        coalesce(g.points, 0)::float8 as granted, ${isNew} as is_newcomer, ${isReturning} as is_returning,
        coalesce(t.teams, '{}') as teams, coalesce(h.teams, '{}') as member_teams
      from (select person from scores union select person from granted) p
      join accounts u on u.id = p.person and ${isRankedInSql(board, members)}
      left join scores s on s.person = u.id left join granted g on g.person = u.id
      left join firsts f on f.person = u.id left join named_teams t on t.person = u.id
      left join member_teams h on h.person = u.id`,
  );
  const order =
    board.ties === 'shared' ? sql`points desc` : sql`points desc, reached_at nulls last, name collate "C", account_id`;
  return statement.toSql(sql`
    select row_number() over (order by ${order}, name collate "C", account_id) as place, rank() over (order by ${order}) as rank,
      account_id, points, granted, coalesce(by_rule, '{}'::json) as by_rule, is_newcomer, is_returning, first_at, reached_at, teams, member_teams
    from people where points > 0 order by place limit ${maxPeople}`);
}

/** Returns SQL for the points that people have by decision at a moment. */
function grantedSql({ grants }: Board, asOf: Date, timeZone: string): RawBuilder<unknown> {
  const rows = grants.map(({ person, points, until }) => ({ ...named(person), points, until }));
  return sql`
    select a.id as person, sum(g.points) as points
    from json_to_recordset(${JSON.stringify(rows)}::json) as g (provider text, login text, points float8, until date)
    join accounts a on a.provider = g.provider and lower(a.name) = g.login and a.deleted_at is null
    where g.until is null or g.until >= (${asOf}::timestamptz at time zone ${timeZone})::date group by a.id`;
}

/** Returns SQL for the teams of people whom the file names. */
function teamsSql({ teams }: Board): RawBuilder<unknown> {
  const rows = teams.flatMap(({ name, people }) => people.map((person) => ({ ...named(person), team: name })));
  return sql`
    select a.id as person, array_agg(distinct t.team) as teams
    from json_to_recordset(${JSON.stringify(rows)}::json) as t (provider text, login text, team text)
    join accounts a on a.provider = t.provider and lower(a.name) = t.login and a.deleted_at is null group by a.id`;
}

/** Returns SQL for the teams of people who are members of the teams of hosts that the file names. */
function memberTeamsSql({ teams }: Board, { ownerId }: Pick<Members, 'ownerId'>): RawBuilder<unknown> {
  const rows = teams.flatMap(({ name, hostTeams }) => hostTeams.map((one) => ({ team: name, name: keyOf(one) })));
  return sql`
    select m.account_id as person, array_agg(distinct t.team) as teams
    from json_to_recordset(${JSON.stringify(rows)}::json) as t (team text, name text)
    join host_team_members m on m.owner_id = ${ownerId} and m.team = t.name group by m.account_id`;
}

function named({ provider, login }: PersonName): { provider: string; login: string } {
  return { provider, login: login.toLowerCase() };
}

/**
 * Ranks the people of a board in one statement. It stores a new ranking only where one differs from the present one,
 * or where a new day has begun since which ranks are compared.
 */
export async function saveRanking(transaction: Connection, input: RankingInput): Promise<Ranked> {
  const { boardId, window, members, now } = input;
  const { timeZone, since, until } = window;
  const coverage = JSON.stringify(members.coverage);
  const isSliding = input.board.window.kind === 'period';
  const { rows } = await sql<{ id: number; is_changed: boolean }>`
    with present as (
      select r.* from boards b join board_rankings r on r.id = b.ranking_id where b.id = ${boardId}
    ), base as (
      -- Ranks are compared with those at the end of the last day with a ranking, of the same window.
      select case when (p.changed_at at time zone ${timeZone})::date < (${now}::timestamptz at time zone ${timeZone})::date
        then p.id else p.base_id end as id
      from present p where ${isSliding}::boolean or p.since is not distinct from ${since}::timestamptz
    ), ranked as materialized (${rankedSql(input.board, input)}),
    compared as materialized (
      select n.*, o.rank as previous_rank from ranked n
      left join board_ranks o on o.ranking_id = (select id from base) and o.account_id = n.account_id
    ), digest as (
      select md5(concat(${members.ids.join(' ')}::text, ${since}::timestamptz, ${until}::timestamptz, string_agg(md5(c::text), '' order by place))) as digest
      from compared c
    ), made as (
      insert into board_rankings (board_id, base_id, since, until, digest, members, coverage, as_of, built_at, changed_at)
      select ${boardId}, (select id from base), ${since}, ${until}, digest, ${members.ids.length}, ${coverage}, ${members.asOf}, ${now}, ${now}
      from digest where digest is distinct from (select digest from present)
      returning id
    ), filled as (
      insert into board_ranks (ranking_id, place, rank, account_id, points, granted, by_rule, previous_rank, is_newcomer,
        is_returning, first_at, reached_at, teams, member_teams)
      select made.id, place, rank, account_id, points, granted, by_rule, previous_rank, is_newcomer, is_returning, first_at,
        reached_at, teams, member_teams
      from made, compared
    )
    select coalesce((select id from made), (select id from present)) as id, exists (select from made) as is_changed`.execute(
    transaction,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a ranking was not stored');
  if (!row.is_changed) {
    await sql`
      update board_rankings set coverage = ${coverage}, as_of = ${members.asOf}, built_at = ${now}
      where id = ${row.id}`.execute(transaction);
  }
  return { isChanged: row.is_changed, rankingId: row.id };
}

/** Rankings are kept for readers that are between two pages. */
const keptForMs = 15 * 60_000;

/** Makes a ranking the present one, records who has come to lead, and removes old rankings. */
export async function showRanking(
  transaction: Connection,
  { boardId, rankingId, now, costMs }: { boardId: string; rankingId: number; now: Date; costMs: number },
): Promise<void> {
  await sql`
    insert into board_leaders (board_id, account_id, since, points)
    select ${boardId}, n.account_id, ${now}, n.points from board_ranks n
    where n.ranking_id = ${rankingId} and n.rank = 1 and n.place <= 10 and not exists (
      select from boards b join board_ranks o on o.ranking_id = b.ranking_id
      where b.id = ${boardId} and o.rank = 1 and o.account_id = n.account_id)
    on conflict do nothing`.execute(transaction);
  await sql`
    update boards set ranking_id = ${rankingId}, cost_ms = ${Math.round(costMs)} where id = ${boardId}`.execute(
    transaction,
  );
  await sql`
    delete from board_leaders l where board_id = ${boardId} and since < (
      select since from board_leaders where board_id = ${boardId} order by since desc offset 100 limit 1)`.execute(
    transaction,
  );
  await sql`
    delete from board_rankings r where board_id = ${boardId} and id <> ${rankingId}
      and built_at < ${new Date(now.getTime() - keptForMs)}
      and id is distinct from (select base_id from board_rankings where id = ${rankingId})`.execute(transaction);
}
