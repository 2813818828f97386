import { nearestDate, readDate } from '../conditions/dates.ts';
import { type Fault, newFault } from '../conditions/fault.ts';
import { type AchievementFile, AchievementParts, MetadataParts } from './file-schema.ts';
import { nodeAt } from './read-entries.ts';
import { readKeys } from './read-node.ts';
import type { YamlNode } from './yaml-tree.ts';

const dayMs = 86_400_000;
const dayForms = 'a day, as MM-DD-YYYY or YYYY-MM-DD';

/**
 * Returns the moment as of which an achievement is evaluated; null when it can be earned at any time, undefined after
 * an error.
 */
export function readEvaluatedAt(
  { type, metadata }: Pick<AchievementFile['achievement'], 'type' | 'metadata'>,
  node: YamlNode,
  faults: Fault[],
): Date | null | undefined {
  const text = metadata?.date;
  const place = nodeAt(node, 'metadata', 'date');
  if (type !== 'once') {
    if (text !== undefined) {
      const message = 'this date has no effect: the achievement can be earned at any time';
      faults.push(newFault(place, message, { severity: 'warning', expected: 'type: once beside it, or no date' }));
    }
    return null;
  }
  if (text === undefined) {
    const expected = `metadata: { date: ${dayForms.slice('a day, as '.length)} }`;
    faults.push(newFault(nodeAt(node, 'type'), 'the date of the evaluation is missing', { expected }));
    return undefined;
  }
  const { date, message = `${text} has a time` } = readDate(text);
  if (date?.isWholeDay === true) return new Date(date.from.getTime() + dayMs);
  faults.push(newFault(place, message, { expected: dayForms, suggestion: nearestDate(text)?.split(' ')[0] }));
  return undefined;
}

/** Checks the date of an achievement that has another error; a faulty type beside a date is taken for `once`. */
export function checkEvaluatedAtAlone(node: YamlNode, faults: Fault[]): void {
  const has = (...path: string[]): boolean => nodeAt(node, ...path) !== nodeAt(node, ...path.slice(0, -1));
  const { type } = readKeys(AchievementParts, node);
  const { date } = has('metadata') ? readKeys(MetadataParts, nodeAt(node, 'metadata')) : {};
  const isTypeFaulty = type === undefined && has('type');
  const isDateFaulty = date === undefined && has('metadata', 'date');
  if (isDateFaulty || (isTypeFaulty && date === undefined)) return;
  const metadata = date === undefined ? {} : { metadata: { date } };
  readEvaluatedAt({ ...(isTypeFaulty ? { type: 'once' } : type && { type }), ...metadata }, node, faults);
}
