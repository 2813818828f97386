import { newFault } from '../conditions/fault.ts';
import type { PointAction, PointRule } from '../config.ts';
import { ConfigFile, PointActionEntry } from './file-schema.ts';
import { nodeAt } from './read-entries.ts';
import { readList, readNode } from './read-node.ts';
import { checkTriggersAlone, type Reading, readTrigger } from './read-trigger.ts';
import { toShape } from './shape.ts';
import type { YamlNode } from './yaml-tree.ts';

export interface PointActions {
  actions: PointAction[];
  /** The names of all point actions in the file, the faulty ones included. */
  names: string[];
}

/**
 * Reads the list of point actions.
 * @param node undefined when the file has no list.
 */
export function readPointActions(node: YamlNode | undefined, reading: Reading): PointActions {
  if (node === undefined) return { actions: [], names: [] };
  const items = readList(toShape(ConfigFile.properties.actions), node, 'the list actions', reading.faults);
  const actions: PointAction[] = [];
  const names = new Set<string>();
  for (const item of items) {
    const nameNode = nodeAt(item, 'action', 'name');
    const name = nameNode.kind === 'scalar' ? nameNode.text.trim() : '';
    const action = readPointAction(item, reading);
    if (names.has(name)) {
      reading.faults.push(
        newFault(nameNode, `there is another point action ${name}`, { expected: 'a name of its own' }),
      );
    } else if (action !== undefined) actions.push(action);
    if (name !== '') names.add(name);
  }
  return { actions, names: [...names] };
}

function readPointAction(node: YamlNode, reading: Reading): PointAction | undefined {
  const entry = readNode(PointActionEntry, node, 'a part of the list actions', reading.faults);
  if (entry === undefined) {
    const triggers = nodeAt(node, 'action', 'triggers');
    checkTriggersAlone(triggers, { pointActions: [], isPointAction: true }, reading);
    return undefined;
  }
  const { name, triggers } = entry.action;
  const rules = triggers.map(({ trigger }, index): PointRule | undefined => {
    const place = nodeAt(node, 'action', 'triggers', index, 'trigger');
    const rule = readTrigger(trigger, place, { pointActions: [], isPointAction: true }, reading);
    return rule && Object.assign(rule, { value: trigger.value });
  });
  const validRules = rules.filter((rule) => rule !== undefined);
  return validRules.length === rules.length ? { name, rules: validRules } : undefined;
}
