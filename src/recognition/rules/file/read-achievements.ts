import { type Fault, newFault } from '../conditions/fault.ts';
import type { Achievement } from '../config.ts';
import { findUnusablePoints, groupTriggers } from './evaluated-triggers.ts';
import { AchievementEntry, type AchievementFile, AchievementParts, ConfigFile } from './file-schema.ts';
import { nodeAt } from './read-entries.ts';
import { checkEvaluatedAtAlone, readEvaluatedAt } from './read-evaluated-at.ts';
import { readIcon } from './read-icon.ts';
import { readKeys, readList, readNode } from './read-node.ts';
import type { PointActions } from './read-point-actions.ts';
import { checkTriggersAlone, type Reading, readTrigger } from './read-trigger.ts';
import { shapeOf } from './shape.ts';
import type { YamlNode } from './yaml-tree.ts';

export interface Achievements {
  achievements: Achievement[];
  /** The names of all achievements in the file, the faulty ones included. */
  names: string[];
}

/**
 * Reads the list of achievements.
 * @param node undefined when the file has no list, which is reported elsewhere.
 */
export function readAchievements(
  node: YamlNode | undefined,
  points: PointActions,
  { faults, ...reading }: Reading,
): Achievements {
  const achievements: Achievement[] = [];
  const names = new Set<string>();
  if (node === undefined) return { achievements, names: [] };
  const items = readList(shapeOf(ConfigFile.properties.achievements), node, 'the list achievements', faults);
  for (const item of items) {
    const nameNode = nodeAt(item, 'achievement', 'name');
    const name = nameNode.kind === 'scalar' ? nameNode.text.trim() : '';
    const found: Fault[] = [];
    const achievement = readAchievement(item, points, { ...reading, faults: found });
    if (name !== '' && names.has(name)) {
      found.push(newFault(nameNode, `there is another achievement ${name}`, { expected: 'a name of its own' }));
    } else if (achievement !== undefined) achievements.push(achievement);
    if (name !== '') names.add(name);
    faults.push(...found);
  }
  return { achievements, names: [...names] };
}

function readAchievement(node: YamlNode, points: PointActions, reading: Reading): Achievement | undefined {
  const entry = readNode(AchievementEntry, node, 'a part of the list achievements', reading.faults);
  if (entry === undefined) {
    checkPartsAlone(nodeAt(node, 'achievement'), points, reading);
    return undefined;
  }
  const { achievement } = entry;
  const place = nodeAt(node, 'achievement');
  const evaluateAt = readEvaluatedAt(achievement, place, reading.faults);
  const icon = readIcon(achievement.icon ?? '', nodeAt(place, 'icon'), reading.faults);
  const triggers = readTriggers(achievement, place, points, reading);
  if (triggers === undefined || evaluateAt === undefined) return undefined;
  return {
    name: achievement.name,
    icon,
    description: achievement.description ?? '',
    evaluateAt,
    triggers,
  };
}

/** Checks what the parts of an achievement mean where another one has an error, so that all are reported at once. */
function checkPartsAlone(node: YamlNode, points: PointActions, reading: Reading): void {
  if (node.kind !== 'mapping') return;
  const { icon = '' } = readKeys(AchievementParts, node);
  readIcon(icon, nodeAt(node, 'icon'), reading.faults);
  checkEvaluatedAtAlone(node, reading.faults);
  const surroundings = { pointActions: points.names, isPointAction: false };
  checkTriggersAlone(nodeAt(node, 'triggers'), surroundings, reading);
}

function readTriggers(
  { triggers, type }: AchievementFile['achievement'],
  node: YamlNode,
  points: PointActions,
  reading: Reading,
): Achievement['triggers'] | undefined {
  const surroundings = { pointActions: points.names, isPointAction: false };
  const read = triggers.map(({ trigger }, index) => {
    const place = nodeAt(node, 'triggers', index, 'trigger');
    const checked = readTrigger(trigger, place, surroundings, reading);
    const unusable = checked && findUnusablePoints(checked, points, place, { isOnce: type === 'once' });
    reading.faults.push(...(unusable ?? []));
    return unusable?.some(({ severity }) => severity === 'error') ? undefined : checked;
  });
  const validTriggers = read.filter((trigger) => trigger !== undefined);
  const places = triggers.map((_, index) => nodeAt(node, 'triggers', index, 'trigger'));
  const { groups, faults } = groupTriggers(
    validTriggers,
    triggers.map(({ trigger }) => trigger.operator),
    places,
  );
  reading.faults.push(...faults);
  return validTriggers.length === read.length ? groups : undefined;
}
