import type { Connection } from '../../../database/connections/connection.ts';
import { inBatches, inTransaction } from '../../../database/connections/transaction.ts';
import type { Achievement } from '../../rules/config.ts';
import { usesRank } from '../../rules/evaluation/compile.ts';
import { evaluate } from '../../rules/evaluation/evaluate-store.ts';
import { decidingKinds, type Kind, neededKinds } from '../../rules/kinds.ts';
import type { AchievementFiles, EvaluatedConfig } from '../files/achievement-files.ts';
import { storable } from '../files/store.ts';
import {
  completeEvaluations,
  dropUselessWork,
  type EvaluatedFile,
  findAwarded,
  findEvaluatedFile,
  findKnownUntil,
  findWork,
  finishWork,
  type NewAward,
  recordAwarded,
  type StoredAchievement,
  type Work,
} from './work-store.ts';

/** An achievement that can be earned, with the data that its evaluation needs. */
export interface Earnable {
  stored: StoredAchievement;
  achievement: Achievement;
  /** The kinds of contributions that can make an account earn it. */
  deciding: ReadonlySet<Kind>;
  /** The kinds of contributions that have to be known completely. */
  needed: ReadonlySet<Kind>;
  /** True when the contributions of one account can change the result of others. */
  ranks: boolean;
}

/** The accounts to evaluate. */
type People = 'everybody' | ReadonlySet<string>;

interface Plan {
  /** The achievements that can be evaluated now, with the accounts to evaluate. */
  ready: { earnable: Earnable; people: People }[];
  /** The achievements of `ready` that are evaluated once, as of a date. */
  completing: Earnable[];
  /** The evaluations that have to wait until more is known. */
  later: { achievementId: string; accountId: string | null }[];
  /** Ids of the work rows to delete: they are done, or `later` replaces them. */
  done: string[];
}

/**
 * The delay after a date, in ms: the clocks of hosts may differ from that of the service, and a day's last events take
 * a moment to arrive.
 */
export const settlingMs = 120_000;
/** Work about more accounts than this becomes work about all accounts. */
const maxPeople = 1000;
/**
 * The number of evaluations that wait, above which further achievements wait for all accounts: one transaction stores
 * them, and 200 achievements could wait for 1000 accounts each.
 */
const maxLater = 10_000;

export interface AwardContext {
  connection: Connection;
  now: () => Date;
  newId: () => string;
  achievementFiles: AchievementFiles;
}

/** The number of work rows that one round takes. */
const workAtOnce = 10_000;
const awardsAtOnce = 1000;
/**
 * The number of achievements evaluated together for all accounts: the accounts that earned them have to fit into
 * memory.
 */
const evaluatedTogether = 20;

/**
 * Evaluates what accounts may have earned in a repository since the last run, and awards it. The run can be stopped at
 * any point, and several processes can run it at once, because the transaction that stores the last awards also deletes
 * the work.
 * @returns `more` when there is more to do.
 */
export async function awardRepository(context: AwardContext, repositoryId: string): Promise<'done' | 'more'> {
  const { connection } = context;
  const [found, work, knownUntil] = await Promise.all([
    findEvaluatedFile(connection, repositoryId),
    findWork(connection, repositoryId, workAtOnce),
    findKnownUntil(connection, repositoryId),
  ]);
  // A new file adds work for all accounts. The file is read again, because the first read may have returned the former
  // one.
  const concernsAll = work.some(({ accountId }) => accountId === null);
  const file = concernsAll ? await findEvaluatedFile(connection, repositoryId) : found;
  if (file === undefined) {
    return inBatches(() => dropUselessWork(connection, repositoryId));
  }
  const config = await context.achievementFiles.findConfig(file);
  const plan = planEvaluation(toEarnables(file, config), work, { knownUntil, now: context.now() });
  const earned = await evaluateAll(context, repositoryId, config, plan);
  const changesNothing = earned.length + plan.completing.length === 0;
  // Contributions were stored during the evaluation, which may have seen only some of them, so it runs again.
  if (!changesNothing && !isSame(knownUntil, await findKnownUntil(connection, repositoryId))) return 'more';
  await awardAll(context, repositoryId, plan, earned);
  return work.length === workAtOnce && plan.done.length > 0 ? 'more' : 'done';
}

function isSame(one: ReadonlyMap<Kind, Date>, other: ReadonlyMap<Kind, Date>): boolean {
  return one.size === other.size && [...one].every(([kind, until]) => other.get(kind)?.getTime() === until.getTime());
}

function toEarnables({ achievements }: EvaluatedFile, config: EvaluatedConfig): Earnable[] {
  const byName = new Map(config.achievements.map((achievement) => [storable(achievement.name), achievement]));
  return achievements.flatMap((stored) => {
    const achievement = byName.get(stored.name);
    if (achievement === undefined) return [];
    const deciding = decidingKinds(achievement, config.pointActions);
    const needed = neededKinds(deciding);
    return [{ stored, achievement, deciding, needed, ranks: usesRank(achievement) }];
  });
}

async function evaluateAll(
  { connection }: AwardContext,
  repositoryId: string,
  { pointActions }: Pick<EvaluatedConfig, 'pointActions'>,
  { ready }: Plan,
): Promise<NewAward[]> {
  const idByAchievement = new Map(ready.map(({ earnable }) => [earnable.achievement, earnable.stored.id]));
  const evaluateEarnables = async (
    earnables: readonly Earnable[],
    accountIds?: readonly string[],
  ): Promise<NewAward[]> => {
    const achievements = earnables.map(({ achievement }) => achievement);
    const config = { pointActions, achievements };
    const earned = await evaluate(connection, repositoryId, config, accountIds && { accountIds });
    return earned.flatMap(({ achievement, accountId, earnedAt }) => {
      const achievementId = idByAchievement.get(achievement);
      return achievementId === undefined ? [] : [{ achievementId, accountId, awardedAt: earnedAt }];
    });
  };
  const awards: NewAward[] = [];
  const ofAll = ready.filter(({ people }) => people === 'everybody').map(({ earnable }) => earnable);
  for (let at = 0; at < ofAll.length; at += evaluatedTogether)
    awards.push(...(await evaluateEarnables(ofAll.slice(at, at + evaluatedTogether))));
  const { earnables, accountIds } = await findUndecided(connection, ready);
  if (earnables.length > 0) awards.push(...(await evaluateEarnables(earnables, accountIds)));
  return awards;
}

/** Returns the achievements that single accounts can still earn, and those accounts. */
async function findUndecided(
  connection: Connection,
  ready: Plan['ready'],
): Promise<{ earnables: Earnable[]; accountIds: string[] }> {
  const candidates = ready.flatMap(({ earnable, people }) => (people === 'everybody' ? [] : [{ earnable, people }]));
  const accountIds = [...new Set(candidates.flatMap(({ people }) => [...people]))];
  if (candidates.length === 0) return { earnables: [], accountIds };
  const achievementIds = candidates.map(({ earnable }) => earnable.stored.id);
  const awarded = await findAwarded(connection, { achievementIds, accountIds });
  const has = new Set(awarded.map(({ achievementId, accountId }) => `${achievementId} ${accountId}`));
  const undecided = candidates.map(({ earnable, people }) => ({
    earnable,
    people: [...people].filter((id) => !has.has(`${earnable.stored.id} ${id}`)),
  }));
  return {
    earnables: undecided.filter(({ people }) => people.length > 0).map(({ earnable }) => earnable),
    accountIds: [...new Set(undecided.flatMap(({ people }) => people))],
  };
}

async function awardAll(
  context: AwardContext,
  repositoryId: string,
  { done, later, completing }: Plan,
  earned: readonly NewAward[],
): Promise<void> {
  const { connection } = context;
  const now = context.now();
  const record = (transaction: Connection, start: number): Promise<unknown> =>
    recordAwarded(transaction, earned.slice(start, start + awardsAtOnce), { now, newId: context.newId });
  if (earned.length + completing.length + later.length === 0) {
    await finishWork(connection, repositoryId, { done, later });
    return;
  }
  let start = 0;
  for (; start + awardsAtOnce < earned.length; start += awardsAtOnce) {
    await inTransaction(connection, (transaction) => record(transaction, start));
  }
  await inTransaction(connection, async (transaction) => {
    await record(transaction, start);
    const completed = completing.map(({ stored }) => stored);
    await completeEvaluations(transaction, completed, now);
    await finishWork(transaction, repositoryId, { done, later });
  });
}

/**
 * Selects the achievements and accounts to evaluate. An achievement waits until all contributions that it needs are
 * known completely, because a missing one could change the result.
 */
export function planEvaluation(
  earnables: readonly Earnable[],
  work: readonly Work[],
  { knownUntil, now }: { knownUntil: ReadonlyMap<Kind, Date>; now: Date },
): Plan {
  const plan: Plan = { ready: [], completing: [], later: [], done: [] };
  const waiting = new Set<string>();
  for (const earnable of earnables) {
    const { stored, needed } = earnable;
    const knownTimes = [...needed].map((kind) => knownUntil.get(kind)?.getTime() ?? 0);
    if (stored.evaluateAt !== null) {
      const dueAt = stored.evaluateAt.getTime() + settlingMs;
      const isDue =
        stored.evaluatedAt === null && dueAt <= now.getTime() && knownTimes.every((until) => until >= dueAt);
      if (isDue) plan.completing.push(earnable);
      if (isDue) plan.ready.push({ earnable, people: 'everybody' });
      continue;
    }
    const people = toPeople(earnable, work);
    if (people === undefined) continue;
    if (knownTimes.every((until) => until > 0)) plan.ready.push({ earnable, people });
    else {
      waiting.add(stored.id);
      const left = plan.later.length >= maxLater ? 'everybody' : people;
      plan.later.push(...leaveForLater(earnable, left, work));
    }
  }
  plan.done = work.filter((part) => !isLeft(part, waiting)).map(({ id }) => id);
  return plan;
}

/** Returns the accounts whose work concerns an achievement; undefined when there are none. */
function toPeople({ stored, deciding, ranks }: Earnable, work: readonly Work[]): People | undefined {
  const people = new Set<string>();
  for (const { achievementId, accountId, kind } of work) {
    const matters =
      achievementId === null
        ? kind === null || [...deciding].some((decidingKind) => decidingKind === kind)
        : achievementId === stored.id;
    if (!matters) continue;
    if (accountId === null || ranks || people.size >= maxPeople) return 'everybody';
    people.add(accountId);
  }
  return people.size === 0 ? undefined : people;
}

/** Returns the work to store for later, without the work that is stored already. */
function leaveForLater({ stored }: Earnable, people: People, work: readonly Work[]): Plan['later'] {
  const left = new Set(
    work.filter(({ achievementId }) => achievementId === stored.id).map(({ accountId }) => accountId),
  );
  if (left.has(null)) return [];
  const accountIds = people === 'everybody' ? [null] : [...people];
  return accountIds.filter((id) => !left.has(id)).map((accountId) => ({ achievementId: stored.id, accountId }));
}

function isLeft({ achievementId }: Work, waiting: ReadonlySet<string>): boolean {
  return achievementId !== null && waiting.has(achievementId);
}
