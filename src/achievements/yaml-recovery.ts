import type { Fault } from './conditions/fault.ts';
import { type ReadYaml, readYaml } from './yaml-tree.ts';

/** The beginning of a part of one of the file's lists. */
const partBegins = /^[ \t]*-[ \t]+(?:achievement|action|webhook)[ \t]*:/gm;
/** A key at the top of the file ends the part before it. */
const topKey = /^[^\s#-]/gm;
/** Each attempt leaves out one part. */
const maxAttempts = 20;

/**
 * Reads YAML in which single parts of a list are no YAML, such as an achievement with wrong indentation: they are left
 * out, and the others are read. Places of faults refer to the whole text.
 */
export function readYamlByParts(text: string): ReadYaml {
  const first = readYaml(text);
  if (first.root !== undefined || first.faults.length === 0) return first;
  const faults: Fault[] = [];
  let shown = text;
  let read = first;
  for (let attempt = 0; attempt < maxAttempts && read.root === undefined; attempt += 1) {
    const [fault] = read.faults;
    const part = fault && partAround(shown, fault.start);
    if (fault === undefined || part === undefined || part.isLast) return first;
    faults.push(fault);
    shown = shown.slice(0, part.start) + blank(shown.slice(part.start, part.end)) + shown.slice(part.end);
    read = readYaml(shown);
  }
  return read.root === undefined ? first : { root: read.root, faults: [...faults, ...read.faults] };
}

/** Returns the part of a list that holds a place, and whether no other part is left. */
function partAround(text: string, place: number): { start: number; end: number; isLast: boolean } | undefined {
  const starts = [...text.matchAll(partBegins)].map(({ index }) => index);
  const start = starts.findLast((one) => one <= place);
  if (start === undefined) return undefined;
  const next = [...starts, ...[...text.matchAll(topKey)].map(({ index }) => index)].filter((one) => one > start);
  return { start, end: Math.min(text.length, ...next), isLast: starts.length === 1 };
}

/** Replaces all but the ends of lines by spaces, so that places stay the same. */
function blank(text: string): string {
  return text.replace(/[^\r\n]/g, ' ');
}
