import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';
import type { Board } from '../board.ts';
import type { BoardWindow } from '../windows.ts';
import type { Members } from './member-store.ts';
import type { RankingInput } from './people-store.ts';

/** The stored ranking of a board. */
export interface RankingState {
  boardId: string;
  /** The present version, from 1; 0 before the first ranking. */
  version: number;
  /** The hash that `basisOf` returned for the stored ranking. */
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
export function basisOf(board: Board, { since, until }: BoardWindow, { ids, ownerIds, isBeingRead }: Members): string {
  return createHash('sha256')
    .update(JSON.stringify([board.definition, since, until, ids, ownerIds, isBeingRead]))
    .digest('hex');
}

/** Stores the state after a ranking. */
export async function saveState(
  transaction: Connection,
  state: Omit<RankingState, 'isOfFormerDay'>,
  { board, window, members, now }: RankingInput,
): Promise<void> {
  const { boardId, version, basis, people, wholeAt, wholeCostMs, wholeUntil } = state;
  const coverage = JSON.stringify(members.coverage);
  await sql`
    insert into board_rankings as r (board_id, version, oldest_version, since, until, basis, members, is_of_team, people,
      coverage, as_of, built_at, whole_at, whole_cost_ms, whole_until)
    values (${boardId}, ${version}, ${version}, ${window.since}, ${window.until}, ${basis},
      ${members.ids.length}, ${board.people.onlyMembersOf !== null}, ${people}, ${coverage}, ${members.asOf}, ${now}, ${wholeAt ?? now}, ${wholeCostMs},
      ${wholeUntil})
    on conflict (board_id) do update set version = excluded.version, since = excluded.since, until = excluded.until,
      basis = excluded.basis, members = excluded.members, is_of_team = excluded.is_of_team,
      people = excluded.people, coverage = excluded.coverage,
      as_of = excluded.as_of, built_at = excluded.built_at, whole_at = excluded.whole_at,
      whole_cost_ms = excluded.whole_cost_ms, whole_until = excluded.whole_until`.execute(transaction);
}

/** Stores the time, in ms, that a ranking of affected people took. */
export async function saveCost(transaction: Connection, boardId: string, costMs: number): Promise<void> {
  await sql`
    update boards set cost_ms = ${Math.round(costMs)} where id = ${boardId} and cost_ms <> ${Math.round(costMs)}`.execute(
    transaction,
  );
}
