import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import type { Board } from '../board.ts';
import type { BoardWindow } from '../board-window.ts';
import type { Members } from './member-store.ts';
import type { RankingInput } from './people-store.ts';

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

const columnsOfState = sql`version, since, until, basis, members, is_of_team, people, coverage, as_of, built_at, whole_at,
  whole_cost_ms, whole_until`;

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

/** A ranking that is counted, and whose rows are being stored in parts. */
export interface NextRanking {
  version: number;
  /** The version that readers see. */
  formerVersion: number;
  builtAt: Date;
  /** The repositories that the board counts from then on; null: the same ones. */
  repositoryIds: string[] | null;
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
