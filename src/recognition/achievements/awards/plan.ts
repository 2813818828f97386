import type { Achievement } from '../../rules/config.ts';
import type { Kind } from '../../rules/kinds.ts';
import type { StoredAchievement, Work } from './work-store.ts';

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
export type People = 'everybody' | ReadonlySet<string>;

export interface Plan {
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
