import { type Fault, newFault } from '../../achievements/conditions/fault.ts';
import { nodeAt } from '../../achievements/read-entries.ts';
import type { YamlNode } from '../../achievements/yaml-tree.ts';
import { AppError } from '../../errors.ts';
import { readMoment } from '../../windows/moments.ts';
import { readWindow as readWindowOf } from '../../windows/window.ts';
import type { WindowRule } from '../board.ts';
import type { WindowFields } from './schema.ts';

/** The moment as of which windows are checked: boards may be announced long before their windows begin. */
const farFuture = new Date('9000-01-01');

/** Reads the window of a board; undefined after an error. Without any key it has no end and no beginning. */
export function readWindow(window: WindowFields, node: YamlNode, faults: Fault[]): WindowRule | undefined {
  const { since, until, time_zone: timeZone = 'UTC', period, seasons, from } = window;
  const found: Fault[] = [];
  const fail = (key: string, message: string, expected: string): void => {
    found.push(newFault(nodeAt(node, key), message, { expected }));
  };
  if (seasons !== undefined && (since ?? until ?? period) !== undefined)
    fail('seasons', 'seasons stand beside another window', 'seasons and from alone');
  if (seasons !== undefined && from === undefined)
    fail('seasons', 'the first day of the seasons is missing', 'from: a day, as YYYY-MM-DD');
  if (seasons === undefined && from !== undefined)
    fail('from', 'from stands without seasons', 'seasons: month, or since in place of from');
  if (from !== undefined) checkDay('from', from, nodeAt(node, 'from'), found);
  try {
    readWindowOf({ since, until, period, time_zone: timeZone }, farFuture);
  } catch (error) {
    found.push(toFault(error, node));
  }
  faults.push(...found);
  if (found.length > 0) return undefined;
  if (seasons !== undefined && from !== undefined) return { kind: 'seasons', unit: seasons, from, timeZone };
  if (period !== undefined) return { kind: 'period', period, timeZone };
  return { kind: 'range', since, until, timeZone };
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
