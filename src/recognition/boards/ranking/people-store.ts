import { type RawBuilder, sql } from 'kysely';
import { isOfTypeInSql } from '../../../accounts/actor-store.ts';
import { isShownInSql } from '../../../accounts/visibility/opt-out-store.ts';
import { contributionKinds } from '../../../model/kinds.ts';
import { countedUntil } from '../../../model/windows/window.ts';
import { isInRepositories, itemSource, type Statement } from '../../rules/evaluation/item-sources.ts';
import type { Board, PersonName } from '../board.ts';
import { type BoardWindow, toGrantTime } from '../board-window.ts';
import { toTeamKey } from '../people/team-store.ts';
import type { Members } from './member-store.ts';
import { scoreStatement } from './score-store.ts';

/** The data from which the points of people on a board follow. */
export interface RankingInput {
  board: Board;
  window: BoardWindow;
  members: Members;
  now: Date;
}

/**
 * Returns a statement with the part `people`: a row for each person of whom the board counts something or who has a
 * grant, with the columns of `board_ranks`, and `may_be_ranked`.
 * @param accountIds the only people to count; undefined for all.
 */
export function peopleStatement(input: RankingInput, accountIds?: readonly string[]): Statement {
  const { board, members, now } = input;
  const window = { ...input.window, until: countedUntil(input.window, now) };
  const statement = scoreStatement(board, { repositoryIds: members.ids, window, accountIds, namesItems: false });
  statement.add(
    'rule_points',
    sql`select person, rule, sum(value) as value, max(at) filter (where value > 0) as reached_at
      from counted group by person, rule`,
  );
  const { since, beforeSince } = window;
  const isInWindow = since === null ? sql`` : sql`filter (where at >= ${since}::timestamptz)`;
  statement.add('firsts', sql`select person, min(at) ${isInWindow} as first_at from matched group by person`);
  statement.add('former', since === null ? noneBefore : formerSql(input, since, accountIds));
  statement.add('granted', grantedSql(input));
  statement.add('named_teams', teamsSql(board));
  statement.add('member_teams', memberTeamsSql(board, members));
  statement.add('sums', sumsSql);
  // A person with older contributions that are not collected yet would be new, or back, by accident.
  const { isBeingRead } = members;
  const isNew = since === null || isBeingRead ? sql`false` : sql`s.first_at is not null and s.former_at is null`;
  const isReturning =
    beforeSince === null || isBeingRead ? sql`false` : sql`coalesce(s.former_at < ${beforeSince}::timestamptz, false)`;
  const isWanted = accountIds === undefined ? sql`true` : sql`u.id = any(${accountIds}::uuid[])`;
  statement.add(
    'people',
    sql`select u.id as account_id, lower(u.name) collate "C" as name, s.reached_at, s.first_at,
        ${isRankedInSql(board, members)} and ${board.people.newcomersAlone ? isNew : sql`true`} as may_be_ranked,
        ${rounded(sql`coalesce(s.value, 0) + coalesce(s.granted, 0)`)} as points,
        ${board.ties === 'earliest' ? sql`s.reached_at` : sql`null::timestamptz`} as ordered_at,
        coalesce(s.by_rule, '{}'::json) as by_rule, coalesce(s.granted, 0)::float8 as granted,
        ${isNew} as is_newcomer, ${isReturning} as is_returning,
        coalesce(s.teams, '{}') as teams, coalesce(s.member_teams, '{}') as member_teams
      from sums s join accounts u on u.id = s.person and ${isWanted}`,
  );
  return statement;
}

/**
 * Everything about each person with points, in one aggregation: PostgreSQL does not know the number of people in a
 * part, and would join the parts by comparing each person with all others.
 */
const sumsSql = sql`
  select person, sum(value) as value, max(reached_at) as reached_at, sum(granted) as granted,
    json_object_agg(rule, ${rounded(sql`value`)} order by rule) filter (where rule is not null) as by_rule,
    min(first_at) as first_at, max(former_at) as former_at,
    array_agg(distinct team) filter (where team is not null) as teams,
    array_agg(distinct member_team) filter (where member_team is not null) as member_teams
  from (
    select person, rule, value, reached_at, null::float8 as granted, null::timestamptz as first_at,
      null::timestamptz as former_at, null::text as team, null::text as member_team from rule_points
    union all select person, null, null, null, points, null, null, null, null from granted
    union all select person, null, null, null, null, first_at, null, null, null from firsts
    union all select person, null, null, null, null, null, former_at, null, null from former
    union all select person, null, null, null, null, null, null, team, null from named_teams
    union all select person, null, null, null, null, null, null, null, team from member_teams
  ) as facts group by person having count(rule) + count(granted) > 0`;

const noneBefore = sql`select null::uuid as person, null::timestamptz as former_at where false`;

/** Returns SQL for the people who contributed before a window, and when last. */
function formerSql(
  { board, members }: RankingInput,
  since: Date,
  accountIds: readonly string[] | undefined,
): RawBuilder<unknown> {
  if (board.people.isNewToRules === true)
    return sql`select person, max(at) as former_at from matched where at < ${since}::timestamptz group by person`;
  const scope = { repositoryId: members.ids, before: since, accountIds };
  const isOfPeople =
    accountIds === undefined ? sql`i.account_id is not null` : sql`i.account_id = any(${accountIds}::uuid[])`;
  const commits = itemSource('author', 'commit', scope);
  return sql`
    select person, max(at) as former_at from (
      select i.account_id as person, i.created_at as at from contributions i
      where ${isInRepositories(scope)} and i.kind = any(${[...contributionKinds]}::text[]) and ${isOfPeople}
        and i.created_at < ${since}::timestamptz
      union all (
        ${commits.steps.toSql()} select ${commits.person}, ${commits.createdAt} from ${commits.from})) as before
    group by person`;
}

/** The order in which people on a board are listed, also those who share a rank. */
export const listOrder = sql`points desc, ordered_at, name, account_id`;

/** The same order of the rows `k`. */
export const listOrderOfRows = sql`k.points desc, k.ordered_at, k.name, k.account_id`;

/** SQL for the rank of a row in this order. */
export function rankInSql({ ties }: Pick<Board, 'ties'>): RawBuilder<unknown> {
  return ties === 'shared' ? sql`rank() over (order by points desc)` : sql`row_number() over (order by ${listOrder})`;
}

/**
 * Returns SQL for points with two decimals. Sums of thirds differ a little with the order in which they are added,
 * which the first rounding removes.
 */
export function rounded(points: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`round(round((${points})::numeric, 6), 2)::float8`;
}

/** Returns SQL for the points that people have by decision. */
export function grantedSql({ board, window, now }: Omit<RankingInput, 'members'>): RawBuilder<unknown> {
  const { timeZone } = window;
  const asOf = toGrantTime(window, now);
  const rows = board.grants.map(({ person, points, until: last }) => ({ ...named(person), points, until: last }));
  return sql`
    select a.id as person, sum(g.points) as points
    from json_to_recordset(${JSON.stringify(rows)}::json) as g (provider text, login text, points float8, until date)
    join accounts a on a.provider = g.provider and lower(a.name) = g.login and a.deleted_at is null
    where g.until is null or g.until >= (${asOf}::timestamptz at time zone ${timeZone})::date group by a.id`;
}

/** Returns SQL for the teams of the people whom the file names by login. */
function teamsSql({ teams }: Board): RawBuilder<unknown> {
  const rows = teams.flatMap(({ name, people }) => people.map((person) => ({ ...named(person), team: name })));
  return sql`
    select a.id as person, t.team from json_to_recordset(${JSON.stringify(rows)}::json) as t (provider text, login text, team text)
    join accounts a on a.provider = t.provider and lower(a.name) = t.login and a.deleted_at is null`;
}

/** Returns SQL for the teams of the people who belong to host teams that the file names. */
function memberTeamsSql({ teams }: Board, { ownerId }: Pick<Members, 'ownerId'>): RawBuilder<unknown> {
  const rows = teams.flatMap(({ name, hostTeams }) =>
    hostTeams.map((hostTeam) => ({ team: name, name: toTeamKey(hostTeam) })),
  );
  return sql`
    select m.account_id as person, t.team from json_to_recordset(${JSON.stringify(rows)}::json) as t (team text, name text)
    join host_team_members m on m.owner_id = ${ownerId} and m.team = t.name`;
}

function named({ provider, login }: PersonName): { provider: string; login: string } {
  return { provider, login: login.toLowerCase() };
}

/** SQL that is true for the account `u` when a board may rank it. */
function isRankedInSql(
  { people }: Board,
  { ownerId, teamMembers }: Pick<Members, 'ownerId' | 'teamMembers'>,
): RawBuilder<boolean> {
  // Agents write with people, who get the points themselves.
  const isBot = people.withBots ? isOfTypeInSql('u', 'bot') : sql`false`;
  const isOfType = sql`(${isOfTypeInSql('u', 'user')} or ${isBot})`;
  const excluded = people.exclude.map(({ provider, login }) => `${provider}/${login}`.toLowerCase());
  const { onlyMembersOf: team } = people;
  const isPresentMember = (name: string) => sql`exists (
    select from host_team_members m where m.owner_id = ${ownerId} and m.team = ${name} and m.account_id = u.id)`;
  const isStoredMember = sql`u.id = any(${[...(teamMembers ?? [])]}::uuid[])`;
  const isMember =
    team === null ? sql`true` : teamMembers === undefined ? isPresentMember(toTeamKey(team)) : isStoredMember;
  return sql<boolean>`(${isOfType} and ${isShownInSql('u')} and ${isMember}
    and u.provider || '/' || lower(u.name) <> all(${excluded}::text[]))`;
}
