import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { inBatches, inTransaction } from '../../../database/connections/transaction.ts';

/** The most seasons whose statements one transaction withdraws. */
const seasonsAtOnce = 100;

interface PendingWithdrawal {
  id: string;
  accountId: string;
  name: string | null;
  /** The key of the last season whose statements were withdrawn. */
  boardId: string;
  number: number;
}

interface SeasonOfAccount {
  boardId: string;
  number: number;
}

/** Withdraws the statements of all seasons that name erased and hidden accounts, some in each transaction. */
export async function withdrawAll(connection: Connection, limit = seasonsAtOnce): Promise<void> {
  await inBatches(() => withdrawSome(connection, { limit }));
}

/** Returns whether the statements of a season are still to be withdrawn. */
export async function isToWithdraw(connection: Connection, { boardId, number }: SeasonOfAccount): Promise<boolean> {
  const { rows } = await sql<{ is: boolean }>`select is_withdrawn(${boardId}, ${number}) as is`.execute(connection);
  return rows[0]?.is === true;
}

/**
 * Withdraws the statements of some seasons that name an erased or hidden account, and notes its name for their next versions.
 * Readers already see none of these statements from the hiding on (`is_withdrawn`).
 * @param withdrawn.limit the most seasons.
 * @param withdrawn.accountId absent: those of any account.
 * @returns 0 when none are left, or others hold the rest.
 */
export function withdrawSome(
  connection: Connection,
  { limit, accountId }: { limit: number; accountId?: string },
): Promise<number> {
  return inTransaction(connection, async (transaction) => {
    const { rows } = await sql<PendingWithdrawal>`
      select id, account_id as "accountId", name, board_id as "boardId", number from pending_withdrawals
      where ${accountId ?? null}::uuid is null or account_id = ${accountId ?? null}::uuid
      limit 1 for update skip locked`.execute(transaction);
    const [pending] = rows;
    if (pending === undefined) return 0;
    const seasons = await findSeasons(transaction, pending, limit);
    const last = seasons.at(-1);
    if (last === undefined) {
      await transaction.deleteFrom('pending_withdrawals').where('id', '=', pending.id).execute();
      return 1;
    }
    await withdraw(transaction, pending, seasons);
    await transaction
      .updateTable('pending_withdrawals')
      .set({ board_id: last.boardId, number: last.number })
      .where('id', '=', pending.id)
      .execute();
    return seasons.length;
  });
}

async function findSeasons(
  transaction: Connection,
  { accountId, name, boardId, number }: PendingWithdrawal,
  limit: number,
): Promise<SeasonOfAccount[]> {
  const { rows } = await sql<SeasonOfAccount>`
    select board_id as "boardId", number
    from seasons_of_account(${accountId}, ${name}, ${boardId}, ${number}, ${limit})`.execute(transaction);
  return rows;
}

/** Withdraws the statements of seasons. Locks boards before seasons, and seasons in the order of their keys, as all others do. */
async function withdraw(
  transaction: Connection,
  { accountId, name }: PendingWithdrawal,
  seasons: readonly SeasonOfAccount[],
): Promise<void> {
  const found = sql`json_to_recordset(${JSON.stringify(seasons)}::json) as f ("boardId" uuid, number integer)`;
  if (name !== null) {
    await sql`
      insert into withdrawn_names (board_id, number, name)
      select b.id, f.number, ${name} from ${found} join boards b on b.id = f."boardId" and b.owner_id <> ${accountId}
      order by 1, 2 for key share of b on conflict do nothing`.execute(transaction);
  }
  await sql`
    update board_seasons set statement = null where ctid = any(array(
      select s.ctid from board_seasons s
      where (s.statement is not null or not s.is_written)
        and (s.board_id, s.number) in (select f."boardId", f.number from ${found})
      order by s.board_id, s.number, s.version for no key update))`.execute(transaction);
}

/**
 * Removes an erased account from some rows of the tables of seasons, whose statements were withdrawn for it before.
 * @returns how many; 0 also while statements are still to be withdrawn.
 */
export async function makeRanksAnonymous(connection: Connection, accountId: string, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update board_season_ranks set account_id = null, is_anonymous = true, teams = '{}' where ctid = any(array(
      select ctid from board_season_ranks where account_id = ${accountId}
        and not exists (select from pending_withdrawals where account_id = ${accountId})
      limit ${limit} for no key update skip locked))`.execute(connection);
  return Number(numAffectedRows);
}
