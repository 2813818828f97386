import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';
import { listOrder, peopleStatement, type RankingInput, rankInSql } from './people-store.ts';
import type { RankingState } from './state-store.ts';
import { rankedRowsInSql } from './version-store.ts';

/** The most people on a board. When a board has this number, each change leads to a count of all people. */
export const maxPeople = 100_000;

/** Returns SQL for the ranked people of a board, with `place`, `rank` and the columns of `board_ranks`. */
export function rankedSql(input: RankingInput): RawBuilder<unknown> {
  return peopleStatement(input).toSql(sql`
    select row_number() over (order by ${listOrder}) as place, ${rankInSql(input.board)} as rank, *
    from people where may_be_ranked and points > 0 order by place limit ${maxPeople}`);
}

/** The columns of `board_ranks` that describe a person. */
const described = [
  'name',
  'is_ranked',
  'points',
  'ordered_at',
  'granted',
  'by_rule',
  'is_newcomer',
  'is_returning',
  'first_at',
  'reached_at',
  'teams',
  'member_teams',
] as const;

function columns(row: string): RawBuilder<unknown> {
  return sql.join(described.map((column) => sql.ref(`${row}.${column}`)));
}

/** Returns the same columns as values that can be compared: PostgreSQL cannot compare json. */
function comparable(row: string): RawBuilder<unknown> {
  return sql.join(
    described.map((column) =>
      column === 'by_rule' ? sql`${sql.ref(`${row}.by_rule`)}::text` : sql.ref(`${row}.${column}`),
    ),
  );
}

/** The values of the columns for a stored person `p` without points; null for the others. */
const withoutPoints: Readonly<Partial<Record<(typeof described)[number], RawBuilder<unknown>>>> = {
  name: sql`p.name`,
  is_ranked: sql`false`,
  points: sql`0`,
  granted: sql`0`,
  by_rule: sql`'{}'::json`,
  is_newcomer: sql`false`,
  is_returning: sql`false`,
  teams: sql`'{}'::text[]`,
  member_teams: sql`'{}'::text[]`,
};

/** The columns of a counted person `c`, or of the stored one `p` that has no points any more. */
const describedOrNothing = sql.join(
  described.map(
    (column) => sql`coalesce(${sql.ref(`c.${column}`)}, ${withoutPoints[column] ?? sql`null`}) as ${sql.ref(column)}`,
  ),
);

/** The extent of a ranking, and its relation to the stored one. */
export interface RankingPlan {
  /** The people whose points are counted again; undefined: everyone's. */
  accountIds: readonly string[] | undefined;
  /** The people of whom a change was noted. */
  noted: readonly string[];
  /**
   * The ranks that are shown as former ones. `kept`: those that are stored as former ranks. `present`: those of the
   * stored ranking, which is the last one of its day. `none`: the stored ranking is of another window.
   */
  former: 'kept' | 'present' | 'none';
}

export interface Saved {
  /** The number of rows that differ from the version before. */
  changed: number;
  /** The number of those of whom no change was noted. */
  unnoted: number;
  /** The number of ranked people among those who were counted. */
  people: number;
}

/**
 * Counts the points of people in one statement, and stores the rows that differ from the present version as the next
 * one. A person who lost all points keeps a row with the former rank, which no page shows, until another day begins.
 */
export async function saveRanks(
  transaction: Connection,
  { boardId, version }: Pick<RankingState, 'boardId' | 'version'>,
  input: RankingInput,
  { accountIds, noted, former }: RankingPlan,
): Promise<Saved> {
  const { board, now } = input;
  const isAmongCounted = accountIds === undefined ? sql`true` : sql`account_id = any(${accountIds}::uuid[])`;
  const isRanked = sql`may_be_ranked and points > 0`;
  const isOnBoard =
    accountIds === undefined
      ? sql`${isRanked} and row_number() over (order by ${isRanked} desc, ${listOrder}) <= ${maxPeople}`
      : isRanked;
  const counted = peopleStatement(input, accountIds).toSql(sql`select *, ${isOnBoard} as is_ranked from people`);
  const formerRanks =
    former === 'present'
      ? sql`select account_id, rank from (${rankedRowsInSql({ boardId, version, board })}) f`
      : sql`select null::uuid as account_id, null::integer as rank where false`;
  const previousRank = { kept: sql`p.previous_rank`, present: sql`f.rank`, none: sql`null::integer` }[former];
  const { rows } = await sql<Saved>`
    with counted as materialized (${counted}),
    present as materialized (
      select * from board_ranks where board_id = ${boardId} and until_version is null and ${isAmongCounted}
    ), former as (${formerRanks}),
    compared as (
      select account_id, ${previousRank}::integer as previous_rank, c.account_id is not null as is_counted,
        p.account_id is not null as is_stored, p.previous_rank as stored_rank,
        row(${comparable('c')}) is distinct from row(${comparable('p')}) as is_other, p.is_ranked as was_ranked,
        ${describedOrNothing}
      from counted c full join present p using (account_id) left join former f using (account_id)
    ), changed as materialized (
      select *, not is_counted and ${former !== 'kept'} and previous_rank is null as is_over from compared
      where case when is_counted then is_other or previous_rank is distinct from stored_rank
        else was_ranked or ${former !== 'kept'} end
    ), ended as (
      update board_ranks r set until_version = ${version + 1}, ended_at = ${now} from changed c
      where c.is_stored and r.board_id = ${boardId} and r.account_id = c.account_id and r.until_version is null
    ), added as (
      insert into board_ranks (board_id, account_id, since_version, previous_rank, ${sql.join(described.map((name) => sql.ref(name)))})
      select ${boardId}::uuid, account_id, ${version + 1}::integer, previous_rank, ${columns('changed')}
      from changed where not is_over
    )
    select (select count(*)::integer from changed) as changed,
      (select count(*)::integer from changed where account_id <> all(${[...noted]}::uuid[])) as unnoted,
      (select count(*)::integer from counted where is_ranked) as people`.execute(transaction);
  return rows[0] ?? { changed: 0, unnoted: 0, people: 0 };
}
