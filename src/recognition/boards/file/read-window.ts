import type { Static } from 'typebox';
import { AppError } from '../../../model/errors.ts';
import { readMoment } from '../../../model/windows/moments.ts';
import { readWindow as readWindowText, type WindowText } from '../../../model/windows/window.ts';
import { type Fault, newFault } from '../../rules/conditions/fault.ts';
import { nodeAt } from '../../rules/file/read-entries.ts';
import { readKeys } from '../../rules/file/read-node.ts';
import type { YamlNode } from '../../rules/file/yaml-tree.ts';
import type { WindowRule } from '../board.ts';
import { WindowFields } from './schema.ts';

/** The moment as of which windows are checked: boards may be announced long before their windows begin. */
const farFuture = new Date('9000-01-01');

/** Reads the window of a board; undefined after an error. Without any key it has no end and no beginning. */
export function readWindow(board: YamlNode, faults: Fault[]): WindowRule | undefined {
  const node = nodeAt(board, 'window');
  const fields = node === board ? {} : readKeys(WindowFields, node);
  const { since, until, time_zone: timeZone = 'UTC', period, seasons, from } = fields;
  const found = [...faultsOfKeys(node), ...faultsOfValues(fields, node)];
  faults.push(...found);
  if (found.length > 0) return undefined;
  if (seasons !== undefined && from !== undefined) return { kind: 'seasons', unit: seasons, from, timeZone };
  if (period !== undefined) return { kind: 'period', period, timeZone };
  return { kind: 'range', since, until, timeZone };
}

/** Returns faults of keys that stand beside others, or without them. */
function faultsOfKeys(node: YamlNode): Fault[] {
  const has = (key: string): boolean => nodeAt(node, key) !== node;
  const fault = (key: string, message: string, expected: string): Fault =>
    newFault(nodeAt(node, key), message, { expected });
  if (!has('seasons'))
    return has('from')
      ? [fault('from', 'from stands without seasons', 'seasons: month, or since in place of from')]
      : [];
  return [
    ...(has('since') || has('until') || has('period')
      ? [fault('seasons', 'seasons stand beside another window', 'seasons and from alone')]
      : []),
    ...(has('from') ? [] : [fault('seasons', 'the first day of the seasons is missing', 'from: a day, as YYYY-MM-DD')]),
  ];
}

/** Returns the faults of each value, otherwise those of the values together. */
function faultsOfValues(
  { since, until, period, time_zone, from }: Static<typeof WindowFields>,
  node: YamlNode,
): Fault[] {
  const found: Fault[] = [];
  const check = (text: WindowText): void => {
    try {
      readWindowText(text, farFuture);
    } catch (error) {
      found.push(toFault(error, node));
    }
  };
  check({ time_zone });
  const inZone = found.length === 0 ? { time_zone } : {};
  if (from !== undefined) checkDay('from', from, nodeAt(node, 'from'), found);
  const before = found.length;
  for (const text of [{ since }, { until }, { period }]) check({ ...text, ...inZone });
  if (found.length === before) check({ since, until, period, ...inZone });
  return found;
}

/** The first day of windows. */
const firstDay = '1970-01-01';

/** Adds a fault where a text is no day of the calendar, or one before 1970. */
export function checkDay(key: string, text: string, node: YamlNode, faults: Fault[]): void {
  try {
    const { day } = readMoment(key, text, 'UTC');
    if (day === undefined) faults.push(newFault(node, `${text} is no day`, { expected }));
    else if (String(day) < firstDay)
      faults.push(newFault(node, `${key} must not be before ${firstDay}`, { suggestion: firstDay }));
  } catch (error) {
    const { message, suggestion } = toFault(error, node);
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
    const meant = suggestion ?? undefined;
    faults.push(
      isDay
        ? newFault(node, message, { suggestion: meant })
        : newFault(node, `${text} is no day`, { expected, suggestion: meant }),
    );
  }
}

/**
 * Reads the end of a day, or a moment. Adds a fault where a text is neither.
 * @returns the first instant that is later.
 */
export function checkMoment(
  key: string,
  text: string,
  { place, timeZone }: { place: YamlNode; timeZone: string },
  faults: Fault[],
): Date | undefined {
  try {
    return readMoment(key, text, timeZone).end;
  } catch (error) {
    const { suggestion } = toFault(error, place);
    const message = `${text} is no day and no moment`;
    faults.push(
      newFault(place, message, {
        expected: `${expected}, or YYYY-MM-DDTHH:MM:SSZ`,
        suggestion: suggestion ?? undefined,
      }),
    );
    return undefined;
  }
}

const expected = 'a day, as YYYY-MM-DD';

const keys = ['since', 'until', 'period', 'time_zone'] as const;

/** Turns the error about a parameter of a window into a fault at its key. */
function toFault(error: unknown, node: YamlNode): Fault {
  if (!(error instanceof AppError)) throw error;
  const [{ values } = {}] = error.explanations;
  const meant = values?.['meant'];
  const message = error.message.replace(/^\w+: did you mean [^?]*\? /, '').replace(/\.$/, '');
  const key = keys.find((key) => message.startsWith(key));
  const place = key === undefined ? node : nodeAt(node, key);
  return newFault(place, message, { suggestion: meant });
}
