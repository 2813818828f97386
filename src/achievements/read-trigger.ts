import type { UnreportedKind } from '../providers/unreported.ts';
import { checkCondition, type Surroundings } from './conditions/check.ts';
import { alternatives, type Fault, newFault, type Span } from './conditions/fault.ts';
import { type Action, type Actor, actionsOf, actorAliases, actors } from './conditions/vocabulary.ts';
import type { Trigger } from './config.ts';
import {
  maxTriggers,
  type PointTriggerEntry,
  type PointTriggerFile,
  type TriggerEntry,
  type TriggerFile,
} from './file-schema.ts';
import { nodeAt } from './read-entries.ts';
import { readNode } from './read-node.ts';
import { placeInScalar } from './scalar-places.ts';
import { warnOfUnreported } from './unreported-warnings.ts';
import type { YamlNode } from './yaml-tree.ts';

/** The file that is being read, and the faults that were found until now. */
export interface Reading {
  file: string;
  faults: Fault[];
  /** The data that the host of the repository does not return; empty when no host is known. */
  unreported: readonly UnreportedKind[];
}

/**
 * Reads a trigger, and checks that its actor fits its action and that its condition is valid.
 * @param node the mapping with its keys.
 * @returns undefined when there is an error.
 */
export function readTrigger(
  trigger: TriggerFile | PointTriggerFile,
  node: YamlNode,
  surroundings: Omit<Surroundings, 'action'>,
  { file, faults, unreported }: Reading,
): Trigger | undefined {
  const actor = toActor(trigger.actor);
  const { action } = trigger;
  if (!actionsOf[actor].includes(action)) {
    faults.push(wrongPair(nodeAt(node, 'action'), actor, action));
    return undefined;
  }
  const conditionNode = nodeAt(node, 'condition');
  const text = conditionNode.kind === 'scalar' ? conditionNode.text : trigger.condition;
  const { condition, faults: found } = checkCondition(text, { ...surroundings, action });
  const inCondition = (span: Span): Span =>
    conditionNode.kind === 'scalar' ? placeInScalar(file, conditionNode, span) : span;
  for (const fault of found) faults.push({ ...fault, ...inCondition(fault) });
  const read = condition && { actor, action, condition, text };
  const places = { actor: nodeAt(node, 'actor'), action: nodeAt(node, 'action'), inCondition };
  if (read !== undefined) faults.push(...warnOfUnreported(read, unreported, places));
  return read;
}

/** Checks the conditions of a part whose shape is faulty, for those of its triggers that are well-formed. */
export function checkTriggersAlone(
  schema: typeof TriggerEntry | typeof PointTriggerEntry,
  triggers: YamlNode,
  surroundings: Omit<Surroundings, 'action'>,
  reading: Reading,
): void {
  if (triggers.kind !== 'sequence') return;
  for (const item of triggers.items.slice(0, maxTriggers)) {
    const entry = readNode(schema, item, '', []);
    if (entry !== undefined) readTrigger(entry.trigger, nodeAt(item, 'trigger'), surroundings, reading);
  }
}

function wrongPair(node: YamlNode, actor: Actor, action: Action): Fault {
  const others = actors.filter((one) => actionsOf[one].includes(action));
  return newFault(node, `${actor} has no ${action}`, {
    expected: `${alternatives(actionsOf[actor])} for ${actor}, or ${action} with the actor ${alternatives(others)}`,
  });
}

function toActor(name: string): Actor {
  const actor = actors.find((one) => one === name) ?? actorAliases[name];
  if (actor === undefined) throw new Error(`${name} is not an actor`);
  return actor;
}
