import { sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Achievement, Config } from '../config.ts';
import { asksForRank, compileAchievements } from './compile.ts';

/** That somebody earned an achievement. */
export interface Earned {
  achievement: Achievement;
  accountId: string;
  /** The moment of the contribution that completed it. */
  earnedAt: Date;
}

/** Of one statement; the planner's work grows faster than the number. */
const maxAtOnce = 50;

/**
 * Judges achievements of one repository by its stored contributions.
 * @param options.accountIds judges these people alone.
 * @param options.achievements by default all of the file. What is judged once has to be due: see `judgedAt`.
 */
export async function judge(
  connection: Connection,
  repositoryId: string,
  { pointActions, achievements }: Pick<Config, 'pointActions' | 'achievements'>,
  options: { accountIds?: readonly string[] } = {},
): Promise<Earned[]> {
  const earned: Earned[] = [];
  const groups = Map.groupBy(
    achievements,
    (one) => `${one.judgedAt?.getTime()} ${options.accountIds && asksForRank(one)}`,
  );
  for (const group of groups.values()) {
    for (let start = 0; start < group.length; start += maxAtOnce) {
      const some = group.slice(start, start + maxAtOnce);
      const scope = { repositoryId, before: some[0]?.judgedAt ?? undefined, accountIds: options.accountIds };
      const query = compileAchievements(some, pointActions, scope);
      const { rows } = await inTransaction(connection, async (transaction) => {
        await sql`select set_config('work_mem', ${workMemory}, true), set_config('hash_mem_multiplier', '8', true),
          set_config('jit', 'off', true)`.execute(transaction);
        return query.execute(transaction);
      });
      for (const row of rows) {
        const achievement = some[row.achievement];
        if (achievement !== undefined) earned.push({ achievement, accountId: row.account_id, earnedAt: row.earned_at });
      }
    }
  }
  return earned;
}

/** Enough for the moments of a million contributions; compiling hundreds of small expressions takes longer than running them. */
const workMemory = '64MB';
