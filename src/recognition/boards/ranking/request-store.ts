import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { inBatches, inTransaction } from '../../../database/connections/transaction.ts';
import { addJob } from '../../../database/queue/added-jobs.ts';
import { deleteSome } from '../../../database/schema/delete-some.ts';
import { findAnyBoard } from '../board-store.ts';
import { type RankedBoard, rankBoardJob } from '../jobs.ts';
import { grantedSql, type RankingInput } from './people-store.ts';

/**
 * Changes after which people have to be counted again. They are noted in the transaction that makes each change: by
 * `contributions/totals/affected-store.ts`, and by triggers of accounts and addresses.
 */

/** The most people who are counted again one by one; with more, all people of the board are. */
const maxPeople = 500;
/**
 * The most noted people and addresses, including repeated ones, that are read; with more, all people are counted again.
 */
const maxNoted = 20_000;
/** The most notes that one transaction merges. */
const mergedAtOnce = 10_000;

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

/** Notes that all people of the boards that name a team have to be counted again. */
async function noteAllOfTeam(transaction: Connection, team: string): Promise<void> {
  await sql`
    insert into board_changes (board_id) select id from boards
    where is_current and teams @> array[${team}]::text[]`.execute(transaction);
}

/** Notes that all people of the boards that name an account have to be counted again. */
async function noteAllOfPerson(transaction: Connection, name: string): Promise<void> {
  await sql`
    insert into board_changes (board_id) select id from boards
    where is_current and people @> array[${name}]::text[]`.execute(transaction);
}

/** Notes that all people of a board have to be counted again. */
export async function noteAll(transaction: Connection, boardId: string): Promise<void> {
  await transaction.insertInto('board_changes').values({ board_id: boardId }).execute();
}

/**
 * Replaces the notes of a board by notes of all people, some in each transaction, where there are more than a ranking takes,
 * which counts all people then.
 */
export async function mergeChanges(
  connection: Connection,
  boardId: string,
  { kept = maxNoted, limit = mergedAtOnce }: { kept?: number; limit?: number } = {},
): Promise<void> {
  await inBatches(async () => {
    const { rows } = await sql`
      select 1 from board_changes where board_id = ${boardId} offset ${kept} limit 1`.execute(connection);
    if (rows.length === 0) return 0;
    return inTransaction(connection, async (transaction) => {
      if ((await findAnyBoard(transaction, boardId)) === undefined) return 0;
      const where = sql`board_id = ${boardId}`;
      const merged = await deleteSome(transaction, 'board_changes', { where, orderBy: sql`board_id`, limit });
      if (merged > 0) await noteAll(transaction, boardId);
      return merged;
    });
  });
}

/**
 * Removes the noted changes of a board, which the caller has locked. A ranking that follows in the same transaction
 * sees the data that changed; changes that are noted meanwhile stay, and so do those above the most that it takes (see
 * `mergeChanges`).
 * @returns the people to count again, also those whose grants began or ended; undefined: everyone.
 */
export async function takeChanges(
  transaction: Connection,
  boardId: string,
  input: Omit<RankingInput, 'members'>,
): Promise<string[] | undefined> {
  const { rows } = await sql<{ isOfAll: boolean; people: string[] | null; identities: number[] | null }>`
    with taken as (
      delete from board_changes where ctid = any(array(
        select ctid from board_changes where board_id = ${boardId} limit ${maxNoted + 1}))
      returning people, identities),
    whole as (
      select bool_or(people is null and identities is null)
        or sum(coalesce(cardinality(people), 0) + coalesce(cardinality(identities), 0)) > ${maxNoted} as is_of_all
      from taken)
    select coalesce(is_of_all, false) as "isOfAll",
      case when not is_of_all then array(select distinct unnest(people) from taken) end as people,
      case when not is_of_all then array(select distinct unnest(identities) from taken) end as identities
    from whole`.execute(transaction);
  const { isOfAll = false, people, identities } = rows[0] ?? {};
  if (isOfAll) return undefined;
  const found = new Set([
    ...(people ?? []),
    ...(await findAccounts(transaction, identities ?? [])),
    ...(await findGranted(transaction, boardId, input)),
  ]);
  return found.size > maxPeople ? undefined : [...found].toSorted();
}

async function findAccounts(transaction: Connection, identityIds: readonly number[]): Promise<string[]> {
  if (identityIds.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select distinct account_id as id from identities
    where id = any(${[...identityIds]}::integer[]) and account_id is not null`.execute(transaction);
  return rows.map(({ id }) => id);
}

/** Finds the people whose granted points differ from the stored ones. */
async function findGranted(
  transaction: Connection,
  boardId: string,
  input: Omit<RankingInput, 'members'>,
): Promise<string[]> {
  if (input.board.grants.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select coalesce(g.person, r.account_id) as id from (${grantedSql(input)}) g
    full join (select account_id, granted from board_ranks
      where board_id = ${boardId} and granted <> 0 and until_version is null) r on r.account_id = g.person
    where g.points is distinct from r.granted`.execute(transaction);
  return rows.map(({ id }) => id);
}
