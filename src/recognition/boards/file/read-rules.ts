import { type Checked, concernsPerson } from '../../rules/conditions/checked.ts';
import { alternatives, newFault } from '../../rules/conditions/fault.ts';
import type { Action } from '../../rules/conditions/vocabulary.ts';
import { nodeAt } from '../../rules/file/read-entries.ts';
import { readKeys } from '../../rules/file/read-node.ts';
import { always, likelyAction, type Reading, readTrigger } from '../../rules/file/read-trigger.ts';
import type { YamlNode } from '../../rules/file/yaml-tree.ts';
import { type BoardRule, type Moment, moments, type WindowRule } from '../board.ts';
import { windowOf } from '../windows.ts';
import { checkMoment } from './read-window.ts';
import { maxRules, RuleParts } from './schema.ts';

/** The moments after its creation that a contribution can have. */
const ends: Readonly<Partial<Record<Action, readonly Moment[]>>> = {
  pull_request: ['merged', 'closed'],
  issue: ['closed'],
  discussion: ['closed'],
};
const surroundings = { pointActions: [], isPointAction: true };

/** The file, and the window of the board; undefined where it has an error. */
type RuleReading = Reading & { window: WindowRule | undefined };

/** Reads the rules of a board; those with an error are left out. */
export function readRules(node: YamlNode, reading: RuleReading): BoardRule[] {
  if (node.kind !== 'sequence') return [];
  return node.items.slice(0, maxRules).flatMap((item) => readRule(item, reading) ?? []);
}

function readRule(node: YamlNode, reading: RuleReading): BoardRule | undefined {
  const { faults } = reading;
  const rule = readKeys(RuleParts, node);
  const { action = likelyAction(node), at = null, per_day: perDay = null, decay = 0, points, condition } = rule;
  const { decided_until: decidedUntil = null, own, each } = rule;
  if (action === undefined) return undefined;
  const written = { actor: rule.actor ?? 'author', action, ...(condition !== undefined && { condition }) };
  const trigger = readTrigger({ ...written, ...(own !== undefined && { own }) }, node, surroundings, {
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
  if (each !== undefined && action !== 'review') {
    const message = 'each has no effect: only reviews of one day are one';
    faults.push(newFault(nodeAt(node, 'each'), message, { severity: 'warning', expected: 'a rule about reviews' }));
  }
  if (trigger !== undefined) checkDecision(node, { at, decidedUntil, condition: trigger.condition }, reading);
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
  const counting = { points, perDay, decay, at, decidedUntil, countsEach: each ?? false };
  return { ...trigger, ...counting, withoutOwn: own !== true };
}

/** Checks until when a rule takes note of what a condition requires, of contributions that were created in the window. */
function checkDecision(
  node: YamlNode,
  { at, decidedUntil, condition }: Pick<BoardRule, 'at' | 'decidedUntil' | 'condition'>,
  { faults, window }: RuleReading,
): void {
  const place = nodeAt(node, 'decided_until');
  const end = window?.kind === 'range' ? windowOf(window, new Date(0)).until : null;
  if (decidedUntil === null) {
    if (at !== 'created' || end === null || !isDecidedLater(condition)) return;
    const message = 'at: created counts what was decided until the end of the window';
    const expected = 'decided_until: a day, where later merges, ends and labels count';
    faults.push(newFault(nodeAt(node, 'at'), message, { severity: 'warning', expected }));
  } else if (at !== 'created') {
    faults.push(newFault(place, 'decided_until stands without at: created', { expected: 'at: created' }));
  } else if (window !== undefined && end === null) {
    const message = 'decided_until stands beside a window without until';
    faults.push(newFault(place, message, { expected: 'a window with until' }));
  } else if (window !== undefined && end !== null) {
    const decided = checkMoment('decided_until', decidedUntil, { place, timeZone: window.timeZone }, faults);
    if (decided !== undefined && decided < end)
      faults.push(newFault(place, 'decided_until is before the end of the window', { expected: 'a later day' }));
  }
}

/** Returns whether a condition depends on what may happen to an item after its creation. */
function isDecidedLater(condition: Checked): boolean {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.terms.some(isDecidedLater);
  if (condition.kind === 'count') return condition.condition !== null && isDecidedLater(condition.condition);
  if (condition.kind === 'flag') return ['merged', 'closed', 'answered', 'first'].includes(condition.field);
  if (condition.kind === 'list') return condition.field === 'labels';
  return (
    condition.kind === 'reason' ||
    condition.kind === 'age' ||
    (condition.kind === 'date' && condition.field !== 'created_at')
  );
}
