import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Achievement, Config } from '../config.ts';
import { asksForRank, compileAchievements, type EarnedRow } from './compile.ts';

/** That somebody earned an achievement. */
export interface Earned {
  achievement: Achievement;
  accountId: string;
  /** The moment of the contribution that completed it. */
  earnedAt: Date;
}

/** One query for several achievements; its rows name them by their places among these. */
export interface Judging {
  achievements: Achievement[];
  query: RawBuilder<EarnedRow>;
}

type Judged = Pick<Config, 'pointActions' | 'achievements'>;

/** Of one statement; the planner's work grows faster than the number. */
const maxAtOnce = 50;

/**
 * Queries that judge achievements of one repository by its stored contributions, as few as it takes.
 * @param judged.achievements what is judged once has to be due: see `judgedAt`.
 * @param options.accountIds judges these people alone.
 */
export function judgingQueries(
  repositoryId: string,
  { pointActions, achievements }: Judged,
  { accountIds }: { accountIds?: readonly string[] | undefined } = {},
): Judging[] {
  // A rank takes the contributions of everybody; the others shall not have to.
  const groups = Map.groupBy(
    achievements,
    (one) => `${one.judgedAt?.getTime()} ${accountIds !== undefined && asksForRank(one)}`,
  );
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / maxAtOnce) }, (_, index): Judging => {
      const some = group.slice(index * maxAtOnce, (index + 1) * maxAtOnce);
      const scope = { repositoryId, before: some[0]?.judgedAt ?? undefined, accountIds };
      return { achievements: some, query: compileAchievements(some, pointActions, scope) };
    }),
  );
}

/** What so many people did fits into the memory that every statement has. */
const fewPeople = 10;
/** Enough for the moments of a million contributions. */
const workMemory = '64MB';
const hashMemoryFactor = '8';

/** Runs `work` in a transaction that has the memory that judging everybody needs. */
export async function withJudgingMemory<Result>(
  connection: Connection,
  work: (transaction: Connection) => Promise<Result>,
): Promise<Result> {
  return inTransaction(connection, async (transaction) => {
    // Compiling hundreds of small expressions would take longer than running them.
    await sql`
      select set_config('work_mem', ${workMemory}, true), set_config('hash_mem_multiplier', ${hashMemoryFactor}, true),
        set_config('jit', 'off', true)`.execute(transaction);
    return work(transaction);
  });
}

/** Who earned which achievement, the first first: see `judgingQueries`. */
export async function judge(
  connection: Connection,
  repositoryId: string,
  judged: Judged,
  options: { accountIds?: readonly string[] } = {},
): Promise<Earned[]> {
  const earned: Earned[] = [];
  for (const { achievements, query } of judgingQueries(repositoryId, judged, options)) {
    const areFew = options.accountIds !== undefined && options.accountIds.length <= fewPeople;
    const { rows } = areFew
      ? await query.execute(connection)
      : await withJudgingMemory(connection, (transaction) => query.execute(transaction));
    for (const row of rows) {
      const achievement = achievements[row.achievement];
      if (achievement !== undefined) earned.push({ achievement, accountId: row.account_id, earnedAt: row.earned_at });
    }
  }
  return earned.toSorted((one, other) => one.earnedAt.getTime() - other.earnedAt.getTime());
}
