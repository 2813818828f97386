import type { Checked } from '../conditions/checked.ts';
import { type Fault, newFault } from '../conditions/fault.ts';
import type { Trigger } from '../config.ts';
import { nodeAt } from './read-entries.ts';
import type { PointActions } from './read-point-actions.ts';
import type { YamlNode } from './yaml-tree.ts';

/**
 * Groups triggers: a trigger with the operator "|" is joined to the next one. One trigger of each group has to hold.
 * @param operators the operator of each trigger.
 * @param places the node of each trigger.
 */
export function groupTriggers(
  triggers: readonly Trigger[],
  operators: readonly ('&' | '|' | undefined)[],
  places: readonly YamlNode[],
): { groups: Trigger[][]; faults: Fault[] } {
  const groups: Trigger[][] = [];
  const faults: Fault[] = [];
  for (const [index, trigger] of triggers.entries()) {
    const joined = index > 0 && operators[index - 1] === '|' ? groups.at(-1) : undefined;
    if (joined === undefined) groups.push([trigger]);
    else joined.push(trigger);
  }
  const last = operators.length - 1;
  const lastPlace = places[last];
  if (operators[last] === '|' && lastPlace !== undefined) {
    const message = 'there is no next trigger that this one could be joined to';
    const expected = 'operator at the trigger before it, or not at all';
    faults.push(newFault(nodeAt(lastPlace, 'operator'), message, { severity: 'warning', expected }));
  }
  const inside = operators.slice(0, -1);
  const firstOr = inside.indexOf('|');
  const orPlace = places[firstOr];
  if (orPlace !== undefined && inside.some((operator) => operator !== '|')) {
    const message = 'triggers joined by "|" count as one here, and all the others have to hold besides';
    const expected = 'triggers that are joined in one way alone';
    faults.push(newFault(nodeAt(orPlace, 'operator'), message, { severity: 'warning', expected }));
  }
  return { groups, faults };
}

/**
 * Finds the terms about points that use a point action with errors, and ranks that probably do not mean what their
 * author intends.
 */
export function findUnusablePoints(
  { condition }: Trigger,
  points: PointActions,
  place: YamlNode,
  { isOnce }: { isOnce: boolean },
): Fault[] {
  const node = nodeAt(place, 'condition');
  const pointTerms = pointTermsOf(condition);
  const faulty = new Set(pointTerms.flatMap(({ actions }) => actions));
  for (const { name } of points.actions) faulty.delete(name);
  const faults = [...faulty].map((name) =>
    newFault(node, `the point action ${name} that this requires has an error`, {
      expected: 'a point action without errors',
    }),
  );
  if (!isOnce && pointTerms.some(({ kind }) => kind === 'rank')) {
    faults.push(
      newFault(node, 'every account that ever has this rank gets the achievement', {
        severity: 'warning',
        expected: 'type: once with a date, at which the rank counts',
      }),
    );
  }
  return faults;
}

function pointTermsOf(condition: Checked): Extract<Checked, { kind: 'sum' | 'rank' }>[] {
  if (condition.kind === 'sum' || condition.kind === 'rank') return [condition];
  return condition.kind === 'and' || condition.kind === 'or' ? condition.terms.flatMap(pointTermsOf) : [];
}
