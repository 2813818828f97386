import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { addJob } from '../../../database/queue/added-jobs.ts';
import { type RankedBoard, rankBoardJob } from '../jobs.ts';
import { noteAllOfPerson, noteAllOfTeam } from './recount-notes-store.ts';

/** The most boards that one change requests; `requestOutdatedBoards` finds the others later. */
const boardsAtOnce = 500;
/** The age, in ms, at which a ranking is checked although no change was reported. */
const checkedAfterMs = 3_600_000;

/**
 * Requests rankings of the boards that count a repository, after its contributions changed, and of those that name its
 * owner, because it may be new.
 */
export async function requestBoards(connection: Connection, repositoryId: string): Promise<void> {
  await request(
    connection,
    sql`select b.id, b.cost_ms from board_repositories m join boards b on b.id = m.board_id
      where m.repository_id = ${repositoryId} and b.is_current
      union select b.id, b.cost_ms from repositories r join accounts a on a.id = r.owner_id
      join boards b on b.owners @> array[a.provider || '/' || lower(a.name)] and b.is_current
      where r.id = ${repositoryId} and r.installed_at is not null`,
  );
}

/**
 * Requests rankings of the boards whose patterns name owners, after their repositories or the visibility of these
 * changed.
 */
export async function requestBoardsNaming(connection: Connection, ownerIds: readonly string[]): Promise<void> {
  await request(
    connection,
    sql`select distinct b.id, b.cost_ms from accounts a
      join boards b on b.owners @> array[a.provider || '/' || lower(a.name)]
      where a.id = any(${ownerIds}::uuid[]) and b.is_current`,
  );
}

/**
 * Requests rankings of the boards that were not ranked, or not counted as a whole, for an hour, whose window has ended
 * since, or that have noted changes or a ranking to store, which an interruption may have left behind.
 */
export async function requestOutdatedBoards(connection: Connection, now: Date): Promise<void> {
  await request(
    connection,
    sql`select b.id, b.cost_ms from boards b left join board_rankings r on r.board_id = b.id
      where (b.is_current and (r.board_id is null or r.built_at < ${new Date(now.getTime() - checkedAfterMs)}
        or r.whole_at < ${new Date(now.getTime() - checkedAfterMs)} or (r.until > r.built_at and r.until <= ${now})
        or exists (select from board_changes c where c.board_id = b.id)))
        or exists (select from next_board_rankings n where n.board_id = b.id)`,
  );
}

/** Requests rankings of all people of the boards that name a team of a host. Must run in a transaction. */
export async function requestBoardsWithTeam(connection: Connection, team: string): Promise<void> {
  await noteAllOfTeam(connection, team);
  await request(
    connection,
    sql`select b.id, b.cost_ms from boards b where b.is_current and b.teams @> array[${team}]::text[]`,
  );
}

/** Requests rankings of all people of the boards that name an account. Must run in a transaction. */
export async function requestBoardsWithPerson(transaction: Connection, name: string): Promise<void> {
  await noteAllOfPerson(transaction, name);
  await request(
    transaction,
    sql`select b.id, b.cost_ms from boards b where b.is_current and b.people @> array[${name}]::text[]`,
  );
}

async function request(connection: Connection, found: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql<RankedBoard>`
    select f.id, f.cost_ms as "costMs", (extract(epoch from clock_timestamp() - r.built_at) * 1000)::float8 as "rankedMsAgo"
    from (select * from (${found}) as found order by random() limit ${boardsAtOnce}) f
    join boards b on b.id = f.id left join board_rankings r on r.board_id = b.id`.execute(connection);
  for (const board of rows.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
    await addJob(connection, rankBoardJob(board));
}

/** Requests a ranking of one board. */
export async function requestBoard(connection: Connection, boardId: string): Promise<void> {
  await addJob(connection, rankBoardJob({ id: boardId, costMs: 0, rankedMsAgo: null }));
}
