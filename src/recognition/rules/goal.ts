import { type Checked, concernsPerson } from './conditions/terms.ts';
import type { Achievement, Trigger } from './config.ts';

/** A number that a person has to reach to earn an achievement. */
export interface Goal {
  achievement: Achievement;
  trigger: Trigger;
  wanted: number;
  /** The conditions on the contributions that are counted, or the actions whose points are summed. */
  measured: { conditions: readonly Checked[] } | { actions: readonly string[] };
}

/**
 * Returns the goal of an achievement; undefined where progress has no single number: with several triggers, with several
 * counts, or with a count that must not be exceeded.
 */
export function toGoal(achievement: Achievement): Goal | undefined {
  const [trigger, ...others] = achievement.triggers.flat();
  if (trigger === undefined || others.length > 0) return undefined;
  const terms = listTerms(trigger.condition);
  const items = terms.filter((term) => !concernsPerson(term));
  const [term, ...further] = terms.filter(concernsPerson);
  if (term === undefined || further.length > 0 || (term.kind !== 'count' && term.kind !== 'sum')) return undefined;
  if (term.operator !== '>=' && term.operator !== '>') return undefined;
  const wanted = term.operator === '>' ? term.value + 1 : term.value;
  if (term.kind === 'sum') {
    return items.length > 0 ? undefined : { achievement, trigger, wanted, measured: { actions: term.actions } };
  }
  // The contributions of "point" are points, which only a sum counts.
  if (trigger.action === 'point') return undefined;
  const conditions = [...items, ...(term.condition === null ? [] : [term.condition])];
  return { achievement, trigger, wanted, measured: { conditions } };
}

function listTerms(condition: Checked): readonly Checked[] {
  return condition.kind === 'and' ? condition.terms.flatMap(listTerms) : [condition];
}
