import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import type { Board } from '../board.ts';
import { listOrder, rankInSql } from './people-store.ts';

/** One version of the ranking of a board. */
export interface RankingVersion {
  boardId: string;
  version: number;
  board: Pick<Board, 'ties'>;
}

/**
 * Returns SQL for the ranked people of a version with their places and ranks. Its order is that of an index, so that a
 * first page reads no further rows.
 */
export function rankedRowsInSql({ boardId, version, board }: RankingVersion): RawBuilder<unknown> {
  return sql`
    select *, row_number() over (order by ${listOrder}) as place, ${rankInSql(board)} as rank
    from board_ranks
    where board_id = ${boardId} and is_ranked and ${isOfVersionInSql('board_ranks', version)}`;
}

/** Returns SQL that is true for a row of a version. Rows of the next version are stored before readers see any of them. */
export function isOfVersionInSql(row: string, version: number | RawBuilder<unknown>): RawBuilder<boolean> {
  const [since, until] = [sql.ref(`${row}.since_version`), sql.ref(`${row}.until_version`)];
  return sql<boolean>`(${since} <= ${version} and (${until} is null or ${until} > ${version}))`;
}

/** Returns SQL that is true for a row of the present version of a board. */
export function isPresentRankInSql(row: string): RawBuilder<boolean> {
  const present = sql`(select version from board_rankings where board_id = ${sql.ref(`${row}.board_id`)})`;
  return isOfVersionInSql(row, present);
}

/** The most new leaders of one version that are recorded. */
const leadersAtOnce = 10;
/** The most recorded leaders of a board; older ones are deleted. */
const leadersKept = 100;

/** Records the people who lead in a version and did not lead in the one before. */
export async function recordLeaders(
  transaction: Connection,
  { boardId, version, board }: RankingVersion,
  now: Date,
): Promise<void> {
  const leaders = (of: number) => sql`
    select account_id, points from (${rankedRowsInSql({ boardId, version: of, board })}) k
    where rank = 1 order by ${listOrder} limit ${leadersAtOnce}`;
  // A backup has the recorded leaders, and no rankings: they are counted again as the first version.
  const formerLeaders =
    version === 1
      ? sql`select account_id from board_leaders where board_id = ${boardId}
          and since = (select max(since) from board_leaders where board_id = ${boardId})`
      : sql`select account_id from (${leaders(version - 1)}) o`;
  const { numAffectedRows } = await sql`
    insert into board_leaders (board_id, account_id, since, points)
    select ${boardId}, n.account_id, ${now}, n.points from (${leaders(version)}) n
    where n.account_id not in (${formerLeaders})
    on conflict do nothing`.execute(transaction);
  if (numAffectedRows === 0n) return;
  await sql`
    delete from board_leaders l where board_id = ${boardId} and since < (
      select since from board_leaders where board_id = ${boardId}
      order by since desc offset ${leadersKept} limit 1)`.execute(transaction);
}

/** Former versions are kept for readers that are between two pages. */
const keptForMs = 15 * 60_000;

/** Returns whether a board may have rows for `removeOldVersions`. */
export async function hasOldVersions(connection: Connection, boardId: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    select from board_ranks where board_id = ${boardId} and ended_at < ${new Date(now.getTime() - keptForMs)}
    limit 1`.execute(connection);
  return rows.length > 0;
}

/**
 * Removes some rows that were replaced longer ago than `keptForMs`, the oldest first; cursors into their versions are stale
 * from then on. Must run in a transaction that locks the board.
 * @returns how many.
 */
export async function removeOldVersions(
  transaction: Connection,
  boardId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const { rows } = await sql<{ removed: number }>`
    with removed as (
      delete from board_ranks where ctid = any(array(
        select ctid from board_ranks where board_id = ${boardId} and ended_at < ${new Date(now.getTime() - keptForMs)}
          and until_version <= (select version from board_rankings where board_id = ${boardId})
        order by ended_at limit ${limit}))
      returning until_version
    ), updated as (
      update board_rankings set oldest_version = greatest(oldest_version, (select max(until_version) from removed))
      where board_id = ${boardId} and exists (select from removed)
    )
    select count(*)::integer as removed from removed`.execute(transaction);
  return rows[0]?.removed ?? 0;
}
