import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { inBatches } from '../../../database/connections/in-batches.ts';
import { inTransaction } from '../../../database/connections/transaction.ts';
import { deleteSome } from '../../../database/schema/delete-some.ts';
import { findAnyBoard } from '../board-store.ts';
import { grantedSql, type RankingInput } from './people-store.ts';

/**
 * Changes after which people have to be counted again. They are noted in the transaction that makes each change: by
 * `contributions/affected-store.ts`, and by triggers of accounts and addresses.
 */

/** The most people who are counted again one by one; with more, all people of the board are. */
const maxPeople = 500;
/**
 * The most noted people and addresses, including repeated ones, that are read; with more, all people are counted again.
 */
const maxNoted = 20_000;
/** The most notes that one transaction merges. */
const mergedAtOnce = 10_000;

/** Notes that all people of the boards that name a team have to be counted again. */
export async function noteAllOfTeam(transaction: Connection, team: string): Promise<void> {
  await sql`
    insert into board_changes (board_id) select id from boards
    where is_current and teams @> array[${team}]::text[]`.execute(transaction);
}

/** Notes that all people of the boards that name an account have to be counted again. */
export async function noteAllOfPerson(transaction: Connection, name: string): Promise<void> {
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
