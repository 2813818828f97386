import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { isShownInSql } from '../../../accounts/visibility/opt-out-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import type { Board } from '../board.ts';
import type { BoardWindow } from '../board-window.ts';
import type { Members } from './member-store.ts';
import { listOrder, peopleStatement, type RankingInput, rankInSql } from './people-store.ts';
import { rankedRowsInSql } from './ranking-version-store.ts';

/** The stored ranking of a board. */
export interface RankingState {
  boardId: string;
  /** The present version, from 1; 0 before the first ranking. */
  version: number;
  /** The hash that `hashBasis` returned for the stored ranking. */
  basis: string;
  since: Date | null;
  /** The number of ranked people when all were counted last. */
  people: number;
  /** The time at which all people were counted last; null: never. */
  wholeAt: Date | null;
  /** The time, in ms, that counting all people took. */
  wholeCostMs: number;
  /** All people are counted in each ranking that begins before this time; null: there is no such time. */
  wholeUntil: Date | null;
  /** True when all people were counted last on a former day of the board's time zone. */
  isOfFormerDay: boolean;
}

const columnsOfState = sql`version, since, until, basis, members, is_of_team, people, coverage, as_of, built_at, whole_at,
  whole_cost_ms, whole_until`;

/** A ranking that is counted, and whose rows are being stored in parts. */
interface NextRanking {
  version: number;
  /** The version that readers see. */
  formerVersion: number;
  builtAt: Date;
  /** The repositories that the board counts from then on; null: the same ones. */
  repositoryIds: string[] | null;
}

/** The most people on a board. When a board has this number, each change leads to a count of all people. */
export const maxPeople = 100_000;

/** Returns SQL for the ranked people of a board, with `place`, `rank` and the columns of `board_ranks`. */
export function rankedSql(input: RankingInput): RawBuilder<unknown> {
  return peopleStatement(input).toSql(sql`
    select row_number() over (order by ${listOrder}) as place, ${rankInSql(input.board)} as rank, *
    from people where may_be_ranked and points > 0 order by place limit ${maxPeople}`);
}

/** The columns of `board_ranks` that describe a person, with their types. */
const typesOfColumns = {
  name: 'text',
  is_ranked: 'boolean',
  points: 'double precision',
  ordered_at: 'timestamptz',
  granted: 'double precision',
  by_rule: 'json',
  is_newcomer: 'boolean',
  is_returning: 'boolean',
  first_at: 'timestamptz',
  reached_at: 'timestamptz',
  teams: 'text[]',
  member_teams: 'text[]',
} as const;
const described = Object.keys(typesOfColumns);

const columns = sql.join(described.map((column) => sql.ref(column)));

/** Returns the same columns of a row as values that can be compared: PostgreSQL cannot compare json. */
function comparable(row: string): RawBuilder<unknown> {
  return sql.join(
    described.map((column) =>
      column === 'by_rule' ? sql`${sql.ref(`${row}.by_rule`)}::text` : sql.ref(`${row}.${column}`),
    ),
  );
}

/** The values of the columns for a stored person `p` without points; null for the others. */
const withoutPoints: Readonly<Partial<Record<string, RawBuilder<unknown>>>> = {
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
  /** The most people whose rows one transaction stores when all are counted. */
  peopleAtOnce?: number | undefined;
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
 * one: those of single people at once, those of all for `saveNextPart`. A person who lost all points keeps a row with the
 * former rank, which no page shows, until another day begins.
 */
export async function saveRanks(
  transaction: Connection,
  { boardId, version }: Pick<RankingState, 'boardId' | 'version'>,
  input: RankingInput,
  { accountIds, noted, former, peopleAtOnce = 5000 }: RankingPlan,
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
    ), ${accountIds === undefined ? keptForParts(boardId, peopleAtOnce) : asVersion({ boardId, version: version + 1, at: now })}
    select (select count(*)::integer from changed) as changed,
      (select count(*)::integer from changed where account_id <> all(${[...noted]}::uuid[])) as unnoted,
      (select count(*)::integer from counted where is_ranked) as people`.execute(transaction);
  return rows[0] ?? { changed: 0, unnoted: 0, people: 0 };
}

/** Returns the parts of a statement that store the changed people for `saveNextPart`. */
function keptForParts(boardId: string, limit: number): RawBuilder<unknown> {
  return sql`kept as (
      insert into next_board_ranks (board_id, part, people)
      select ${boardId}::uuid, n.part, json_agg(n order by n.account_id) from (
        select account_id, is_over, previous_rank, ${columns},
          (row_number() over (order by account_id) - 1) / ${limit}::integer as part from changed) n
      group by n.part)`;
}

/**
 * Returns the parts of a statement that end the rows of changed people, and add those of the next version. Each row is
 * found by its key: right after a first ranking the statistics may say that the table is empty, and a join would compare
 * all people with all rows.
 */
function asVersion({ boardId, version, at }: { boardId: string; version: number; at: Date }): RawBuilder<unknown> {
  return sql`ended as (
      update board_ranks set until_version = ${version}, ended_at = ${at} where ctid = any(array(
        select stored.ctid from changed c cross join lateral (
          select r.ctid from board_ranks r
          where r.board_id = ${boardId} and r.account_id = c.account_id and r.until_version is null limit 1) stored))
    ), added as (
      insert into board_ranks (board_id, account_id, since_version, previous_rank, ${columns})
      select ${boardId}::uuid, account_id, ${version}::integer, previous_rank, ${columns}
      from changed where not is_over
    )`;
}

/**
 * Stores the rows of some people of the next version, which no page shows before all are stored. Leaves out people who were
 * erased since they were counted, and notes a change of those who were hidden or renamed before others could see that they
 * are on the board. Must run in a transaction that holds the shared erasure lock and locks the board.
 * @returns `done` when no people are left.
 */
export async function saveNextPart(
  transaction: Connection,
  { boardId, version, at }: { boardId: string; version: number; at: Date },
): Promise<'more' | 'done'> {
  const types = Object.entries(typesOfColumns).map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`);
  const { rows } = await sql<{ isLast: boolean }>`
    with taken as (
      delete from next_board_ranks where board_id = ${boardId} and part = (
        select min(part) from next_board_ranks where board_id = ${boardId})
      returning part, people
    ), changed as materialized (
      select p.*, ${isShownInSql('u')} and lower(u.name) = p.name as is_as_counted
      from taken, json_to_recordset(taken.people)
        as p (account_id uuid, is_over boolean, previous_rank integer, ${sql.join(types)})
      join accounts u on u.id = p.account_id and u.erased_at is null
      order by p.account_id
    ), noted as (
      insert into board_changes (board_id, people)
      select ${boardId}::uuid, array_agg(account_id) from changed where is_ranked and not is_as_counted having count(*) > 0
    ), ${asVersion({ boardId, version, at })}
    select not exists (
      select from next_board_ranks where board_id = ${boardId} and part > (select part from taken))
        as "isLast"`.execute(transaction);
  return (rows[0]?.isLast ?? true) ? 'done' : 'more';
}

/** Finds the state of the ranking of a board. */
export async function findState(
  transaction: Connection,
  boardId: string,
  { now, timeZone }: { now: Date; timeZone: string },
): Promise<RankingState> {
  const { rows } = await sql<RankingState>`
    select board_id as "boardId", version, basis, since, people, whole_at as "wholeAt", whole_cost_ms as "wholeCostMs",
      whole_until as "wholeUntil",
      (whole_at at time zone ${timeZone})::date < (${now}::timestamptz at time zone ${timeZone})::date as "isOfFormerDay"
    from board_rankings where board_id = ${boardId}`.execute(transaction);
  const first = { version: 0, basis: '', since: null, people: 0, wholeAt: null, wholeCostMs: 0, wholeUntil: null };
  return rows[0] ?? { boardId, ...first, isOfFormerDay: false };
}

/** Returns a hash of everything that decides about the points of all people, but their contributions. */
export function hashBasis(
  board: Board,
  { since, until }: BoardWindow,
  { ids, ownerIds, isBeingRead }: Members,
): string {
  return createHash('sha256')
    .update(JSON.stringify([board.definition, since, until, ids, ownerIds, isBeingRead]))
    .digest('hex');
}

/** Stores the state after a ranking. */
export function saveState(
  transaction: Connection,
  state: Omit<RankingState, 'isOfFormerDay'>,
  input: RankingInput,
): Promise<void> {
  return replaceState(transaction, state.boardId, stateInSql(state, input));
}

/**
 * Stores the state of a ranking that `presentNextRanking` makes the present one.
 * @param repositoryIds the repositories that the board counts from then on; null: the same ones.
 */
export async function saveNextState(
  transaction: Connection,
  state: Omit<RankingState, 'isOfFormerDay'>,
  input: RankingInput,
  repositoryIds: readonly string[] | null,
): Promise<void> {
  await sql`
    insert into next_board_rankings (board_id, ${columnsOfState}, repository_ids)
    select ${state.boardId}, ${columnsOfState}, ${repositoryIds}::uuid[]
    from (${stateInSql(state, input)}) s`.execute(transaction);
}

function stateInSql(
  { version, basis, people, wholeAt, wholeCostMs, wholeUntil }: Omit<RankingState, 'isOfFormerDay'>,
  { board, window, members, now }: RankingInput,
): RawBuilder<unknown> {
  return sql`
    select ${version}::integer as version, ${window.since}::timestamptz as since, ${window.until}::timestamptz as until,
      ${basis}::text as basis, ${members.ids.length}::integer as members,
      ${board.people.onlyMembersOf !== null}::boolean as is_of_team, ${people}::integer as people,
      ${JSON.stringify(members.coverage)}::json as coverage, ${members.asOf}::timestamptz as as_of,
      ${now}::timestamptz as built_at, ${wholeAt ?? now}::timestamptz as whole_at,
      ${wholeCostMs}::integer as whole_cost_ms, ${wholeUntil}::timestamptz as whole_until`;
}

async function replaceState(transaction: Connection, boardId: string, stored: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into board_rankings as r (board_id, oldest_version, ${columnsOfState})
    select ${boardId}, version, ${columnsOfState} from (${stored}) s
    on conflict (board_id) do update set version = excluded.version, since = excluded.since, until = excluded.until,
      basis = excluded.basis, members = excluded.members, is_of_team = excluded.is_of_team,
      people = excluded.people, coverage = excluded.coverage,
      as_of = excluded.as_of, built_at = excluded.built_at, whole_at = excluded.whole_at,
      whole_cost_ms = excluded.whole_cost_ms, whole_until = excluded.whole_until`.execute(transaction);
}

/** Finds the next ranking of a board; undefined where none is being stored. */
export async function findNextRanking(transaction: Connection, boardId: string): Promise<NextRanking | undefined> {
  const { rows } = await sql<NextRanking>`
    select n.version, coalesce(r.version, 0) as "formerVersion", n.built_at as "builtAt",
      n.repository_ids as "repositoryIds"
    from next_board_rankings n left join board_rankings r using (board_id)
    where n.board_id = ${boardId}`.execute(transaction);
  return rows[0];
}

/**
 * Makes the next ranking of a board the present one.
 * @param wholeUntil the time until which all people are counted again; null: as it was stored.
 */
export async function presentNextRanking(
  transaction: Connection,
  boardId: string,
  wholeUntil: Date | null,
): Promise<void> {
  if (wholeUntil !== null) {
    await sql`
      update next_board_rankings set whole_until = ${wholeUntil} where board_id = ${boardId}`.execute(transaction);
  }
  await replaceState(transaction, boardId, sql`select * from next_board_rankings where board_id = ${boardId}`);
  await sql`delete from next_board_rankings where board_id = ${boardId}`.execute(transaction);
}

/** Stores the time, in ms, that a ranking of affected people took. */
export async function saveCost(transaction: Connection, boardId: string, costMs: number): Promise<void> {
  await sql`
    update boards set cost_ms = ${Math.round(costMs)}
    where id = ${boardId} and cost_ms <> ${Math.round(costMs)}`.execute(transaction);
}
