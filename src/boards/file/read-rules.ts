import { concernsPerson } from '../../achievements/conditions/checked.ts';
import { alternatives, newFault } from '../../achievements/conditions/fault.ts';
import type { Action } from '../../achievements/conditions/vocabulary.ts';
import { nodeAt } from '../../achievements/read-entries.ts';
import { readKeys } from '../../achievements/read-node.ts';
import { always, likelyAction, type Reading, readTrigger } from '../../achievements/read-trigger.ts';
import type { YamlNode } from '../../achievements/yaml-tree.ts';
import { type BoardRule, type Moment, moments } from '../board.ts';
import { maxRules, RuleParts } from './schema.ts';

/** The moments after its creation that a contribution can have. */
const ends: Readonly<Partial<Record<Action, readonly Moment[]>>> = {
  pull_request: ['merged', 'closed'],
  issue: ['closed'],
  discussion: ['closed'],
};
const surroundings = { pointActions: [], isPointAction: true };

/** Reads the rules of a board; those with an error are left out. */
export function readRules(node: YamlNode, reading: Reading): BoardRule[] {
  if (node.kind !== 'sequence') return [];
  return node.items.slice(0, maxRules).flatMap((item) => readRule(item, reading) ?? []);
}

function readRule(node: YamlNode, reading: Reading): BoardRule | undefined {
  const { faults } = reading;
  const rule = readKeys(RuleParts, node);
  const { action = likelyAction(node), at = null, per_day: perDay = null, decay = 0, points, condition } = rule;
  if (action === undefined) return undefined;
  const written = { actor: rule.actor ?? 'author', action, ...(condition !== undefined && { condition }) };
  const trigger = readTrigger(written, node, surroundings, {
    ...reading,
    // A rule of a board may have no condition: every contribution of the kind counts then.
    readAbsent: () => ({ condition: always, faults: [] }),
  });
  const possible = new Set<Moment>(['created', ...(ends[action] ?? [])]);
  if (at !== null && !possible.has(at)) {
    const others = moments.filter((moment) => possible.has(moment));
    faults.push(
      newFault(nodeAt(node, 'at'), `${/^[aeiou]/.test(action) ? 'an' : 'a'} ${action} is never ${at}`, {
        expected: alternatives(others),
      }),
    );
  }
  const isOnce = trigger !== undefined && concernsPerson(trigger.condition);
  if (isOnce && (perDay !== null || decay > 0)) {
    const key = perDay === null ? 'decay' : 'per_day';
    const message = `${key} has no effect: a rule with count() gives its points once`;
    faults.push(newFault(nodeAt(node, key), message, { severity: 'warning', expected: 'a rule without count()' }));
  } else if (perDay !== null && points !== undefined && perDay < points) {
    const message = `per_day is less than the ${points} points of one contribution`;
    faults.push(newFault(nodeAt(node, 'per_day'), message, { severity: 'warning', expected: `at least ${points}` }));
  }
  if (trigger === undefined || points === undefined) return undefined;
  return { ...trigger, points, perDay, decay, at };
}
