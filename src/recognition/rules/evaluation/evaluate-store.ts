import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { inTransaction } from '../../../database/connections/transaction.ts';
import type { Achievement, Config } from '../config.ts';
import { compileAchievements, type EarnedRow, usesRank } from './compile.ts';

/** An achievement that an account earned. */
interface Earned {
  achievement: Achievement;
  accountId: string;
  /** The moment of the contribution that completed it. */
  earnedAt: Date;
}

/** One query for several achievements; its rows refer to them by their indexes in `achievements`. */
interface Evaluation {
  achievements: Achievement[];
  query: RawBuilder<EarnedRow>;
}

type EvaluatedConfig = Pick<Config, 'pointActions' | 'achievements'>;

/** The maximum number of achievements in one statement; the planner's work grows faster than this number. */
const maxAtOnce = 50;

/**
 * Returns the queries that evaluate achievements of one repository by its stored contributions, as few as possible.
 * The achievements that are evaluated once have to be due: see `evaluateAt`.
 * @param options.accountIds evaluates only these people.
 */
export function evaluationQueries(
  repositoryId: string,
  { pointActions, achievements }: EvaluatedConfig,
  { accountIds }: { accountIds?: readonly string[] | undefined } = {},
): Evaluation[] {
  // Only achievements with a rank need the contributions of all people, so they get queries of their own.
  const groups = Map.groupBy(
    achievements,
    (achievement) => `${achievement.evaluateAt?.getTime()} ${accountIds !== undefined && usesRank(achievement)}`,
  );
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / maxAtOnce) }, (_, index): Evaluation => {
      const some = group.slice(index * maxAtOnce, (index + 1) * maxAtOnce);
      const scope = { repositoryId, before: some[0]?.evaluateAt ?? undefined, accountIds };
      return { achievements: some, query: compileAchievements(some, pointActions, scope) };
    }),
  );
}

/** The contributions of this number of people fit into the default memory of a statement. */
const fewPeople = 10;
/** Enough for the moments of a million contributions. */
const workMemory = '64MB';
const hashMemoryFactor = '8';

/** Runs `work` in a transaction with the memory that an evaluation of all people needs. */
export async function withEvaluationMemory<Result>(
  connection: Connection,
  work: (transaction: Connection) => Promise<Result>,
): Promise<Result> {
  return inTransaction(connection, async (transaction) => {
    // JIT is off, because compiling hundreds of small expressions would take longer than running them.
    await sql`
      select set_config('work_mem', ${workMemory}, true), set_config('hash_mem_multiplier', ${hashMemoryFactor}, true),
        set_config('jit', 'off', true)`.execute(transaction);
    return work(transaction);
  });
}

/** Returns the people who earned achievements, the earliest first: see `evaluationQueries`. */
export async function evaluate(
  connection: Connection,
  repositoryId: string,
  config: EvaluatedConfig,
  options: { accountIds?: readonly string[] } = {},
): Promise<Earned[]> {
  const earned: Earned[] = [];
  for (const { achievements, query } of evaluationQueries(repositoryId, config, options)) {
    const areFew = options.accountIds !== undefined && options.accountIds.length <= fewPeople;
    const { rows } = areFew
      ? await query.execute(connection)
      : await withEvaluationMemory(connection, (transaction) => query.execute(transaction));
    for (const row of rows) {
      const achievement = achievements[row.achievement];
      if (achievement !== undefined) earned.push({ achievement, accountId: row.account_id, earnedAt: row.earned_at });
    }
  }
  return earned.toSorted((one, other) => one.earnedAt.getTime() - other.earnedAt.getTime());
}
