import type { Achievement } from '../config.ts';
import type { Kind } from './kinds.ts';
import type { StoredAchievement, Work } from './work-store.ts';

/** An achievement that can be earned, with what judging it takes. */
export interface Earnable {
  stored: StoredAchievement;
  achievement: Achievement;
  /** By which somebody can come to earn it. */
  deciding: ReadonlySet<Kind>;
  /** That have to be known completely. */
  needed: ReadonlySet<Kind>;
  /** Whether what one person does decides about others. */
  ranks: boolean;
}

/** Whose turn it is. */
export type People = 'everybody' | ReadonlySet<string>;

export interface Plan {
  /** What can be judged now. */
  ready: { earnable: Earnable; people: People }[];
  /** Of those that are ready: judged as of a date, once. */
  settling: Earnable[];
  /** What cannot be judged before more is known. */
  later: { achievementId: string; accountId: string | null }[];
  /** Ids of the work that is done, or comes again as what is left for later. */
  done: string[];
}

/** Providers' clocks and ours may differ, and what happened in a day's last seconds takes a moment to be told. */
export const settlingMs = 120_000;
/** Work about more people than this is about everybody. */
const maxPeople = 1000;

/** Finds out what has to be judged, and what of it can be: only what is known completely is judged, for what is missing could be what counts. */
export function planJudging(
  earnables: readonly Earnable[],
  work: readonly Work[],
  { knownUntil, now }: { knownUntil: ReadonlyMap<Kind, Date>; now: Date },
): Plan {
  const plan: Plan = { ready: [], settling: [], later: [], done: [] };
  const waiting = new Set<string>();
  for (const earnable of earnables) {
    const { stored, needed } = earnable;
    const known = [...needed].map((kind) => knownUntil.get(kind)?.getTime() ?? 0);
    if (stored.judgedAt !== null) {
      const dueAt = stored.judgedAt.getTime() + settlingMs;
      const isDue = stored.settledAt === null && dueAt <= now.getTime() && known.every((until) => until >= dueAt);
      if (isDue) plan.settling.push(earnable);
      if (isDue) plan.ready.push({ earnable, people: 'everybody' });
      continue;
    }
    const people = peopleOf(earnable, work);
    if (people === undefined) continue;
    if (known.every((until) => until > 0)) plan.ready.push({ earnable, people });
    else {
      waiting.add(stored.id);
      plan.later.push(...leaveForLater(earnable, people, work));
    }
  }
  plan.done = work.filter((one) => !isLeft(one, waiting)).map(({ id }) => id);
  return plan;
}

/** Whom the work is about, as far as it matters to an achievement; undefined: nobody. */
function peopleOf({ stored, deciding, ranks }: Earnable, work: readonly Work[]): People | undefined {
  const people = new Set<string>();
  for (const { achievementId, accountId, kind } of work) {
    const matters =
      achievementId === null ? kind === null || [...deciding].some((one) => one === kind) : achievementId === stored.id;
    if (!matters) continue;
    if (accountId === null || ranks || people.size >= maxPeople) return 'everybody';
    people.add(accountId);
  }
  return people.size === 0 ? undefined : people;
}

/** What is left already is not left twice. */
function leaveForLater({ stored }: Earnable, people: People, work: readonly Work[]): Plan['later'] {
  const left = new Set(
    work.filter(({ achievementId }) => achievementId === stored.id).map(({ accountId }) => accountId),
  );
  if (left.has(null)) return [];
  const wanted = people === 'everybody' ? [null] : [...people];
  return wanted.filter((id) => !left.has(id)).map((accountId) => ({ achievementId: stored.id, accountId }));
}

function isLeft({ achievementId }: Work, waiting: ReadonlySet<string>): boolean {
  return achievementId !== null && waiting.has(achievementId);
}
