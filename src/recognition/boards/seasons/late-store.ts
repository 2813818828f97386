import { type RawBuilder, sql } from 'kysely';
import type { CountedRepository } from '../ranking/coverage.ts';
import { listOrder, peopleStatement, type RankingInput, rankInSql, rounded } from '../ranking/people-store.ts';
import { maxPeople, rankedSql } from '../ranking/rank-store.ts';
import { settledAt } from '../windows.ts';
import type { Season } from './season-store.ts';

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
export function withSettledSql(input: RankingInput, settled: readonly CountedRepository[]): RawBuilder<unknown> {
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
export function lateSql(input: RankingInput, former: Season): RawBuilder<unknown> {
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
