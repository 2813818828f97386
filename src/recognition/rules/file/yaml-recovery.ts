import { type Fault, newFault } from '../conditions/fault.ts';
import { type ReadYaml, readYaml } from './yaml-tree.ts';

/** The parts of lists in a file of achievements, by the key that each begins with. */
const partsOfAchievements = ['achievement', 'action', 'webhook'];
/** A key at the top of the file ends the part before it. */
const topKey = /^[^\s#-]/gm;
/** Each attempt leaves out one part, and parses the whole text: a large file has fewer of them. */
const maxAttempts = 20;
const maxParsedLength = 1024 * 1024;

/**
 * Reads YAML in which single parts of a list are no YAML, such as an achievement with wrong indentation: they are left
 * out, and the others are read. Places of faults refer to the whole text.
 */
export function readYamlByParts(text: string, kinds: readonly string[] = partsOfAchievements): ReadYaml {
  /** The beginning of a part of one of the file's lists. */
  const partBegins = new RegExp(`^([ \\t]*)-[ \\t]+(${kinds.join('|')})[ \\t]*:`, 'gm');
  const first = readYaml(text);
  if (first.root !== undefined || first.faults.length === 0) return first;
  const { faults, shown: indented } = withoutMisplaced(text, partBegins);
  let shown = indented;
  let read = faults.length === 0 ? first : readYaml(shown);
  const attempts = Math.min(maxAttempts, Math.floor(maxParsedLength / text.length));
  for (let attempt = 0; attempt < attempts && read.root === undefined; attempt += 1) {
    const [fault] = read.faults;
    const part = fault && partAround(shown, partBegins, fault.start);
    if (fault === undefined || part === undefined || part.isLast) return first;
    faults.push(fault);
    shown = shown.slice(0, part.start) + blank(shown.slice(part.start, part.end)) + shown.slice(part.end);
    read = readYaml(shown);
  }
  return read.root === undefined ? first : { root: read.root, faults: [...faults, ...read.faults] };
}

/**
 * Leaves out the parts that begin further in or out than most parts of the same kind. The parser would report them at
 * a later place, in parts without an error.
 */
function withoutMisplaced(text: string, partBegins: RegExp): { shown: string; faults: Fault[] } {
  const parts = [...text.matchAll(partBegins)].map(({ index, 1: indentation = '', 2: kind = '' }) => ({
    index,
    column: indentation.length,
    kind,
  }));
  const usual = usualColumns(parts);
  const ends = [...parts.map(({ index }) => index), ...[...text.matchAll(topKey)].map(({ index }) => index)];
  ends.sort((one, other) => one - other);
  const faults: Fault[] = [];
  const pieces: string[] = [];
  let position = 0;
  let next = 0;
  for (const { index, column, kind } of parts) {
    const expected = usual.get(kind) ?? column;
    if (column === expected) continue;
    faults.push(misplaced(kind, { index, column, usual: expected }));
    while ((ends[next] ?? text.length) <= index && next < ends.length) next += 1;
    const end = ends[next] ?? text.length;
    pieces.push(text.slice(position, index), blank(text.slice(index, end)));
    position = end;
  }
  return { shown: pieces.join('') + text.slice(position), faults };
}

/** Returns the column at which most parts of each kind begin; of two that are as frequent, the first one. */
function usualColumns(parts: readonly { column: number; kind: string }[]): ReadonlyMap<string, number> {
  const usual = new Map<string, number>();
  for (const [kind, list] of Map.groupBy(parts, (part) => part.kind)) {
    const [most] = [...Map.groupBy(list, ({ column }) => column)].toSorted(
      ([, one], [, other]) => other.length - one.length,
    );
    if (most !== undefined) usual.set(kind, most[0]);
  }
  return usual;
}

function misplaced(kind: string, { index, column, usual }: { index: number; column: number; usual: number }): Fault {
  const place = { start: index + column, end: index + column + 1 };
  return newFault(place, `this ${kind} begins after ${spaces(column)}, and others of the list after ${usual}`, {
    expected: `${spaces(usual)} before "- ${kind}:", and its keys deeper than that`,
  });
}

function spaces(count: number): string {
  return `${count} ${count === 1 ? 'space' : 'spaces'}`;
}

/** Returns the part of a list that holds a place, and whether no other part is left. */
function partAround(
  text: string,
  partBegins: RegExp,
  place: number,
): { start: number; end: number; isLast: boolean } | undefined {
  const starts = [...text.matchAll(partBegins)].map(({ index }) => index);
  const start = starts.findLast((start) => start <= place);
  if (start === undefined) return undefined;
  const next = [...starts, ...[...text.matchAll(topKey)].map(({ index }) => index)].filter(
    (position) => position > start,
  );
  return { start, end: Math.min(text.length, ...next), isLast: starts.length === 1 };
}

/** Replaces all but the ends of lines by spaces, so that places stay the same. */
function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}
