import type { Span } from '../conditions/fault.ts';
import type { YamlScalar } from './yaml-tree.ts';

/**
 * Returns a function that finds the place in the file of a range of a scalar's text. Folded lines, indentation and
 * escapes make the two differ; an escaped letter is found near its place. The places are found once for all ranges.
 */
export function placesInScalar(file: string, scalar: YamlScalar): (span: Span) => Span {
  let found: number[] | undefined;
  return (span) => {
    found ??= findPlaces(file, scalar);
    const start = found[Math.min(span.start, found.length - 1)] ?? scalar.start;
    const last = found[Math.min(Math.max(span.start, span.end - 1), found.length - 1)] ?? start;
    return { start, end: Math.max(start, span.end > span.start ? last + 1 : start) };
  };
}

/** Returns the offset in the file of each UTF-16 unit of the text, and of its end. */
function findPlaces(file: string, scalar: YamlScalar): number[] {
  const places: number[] = [];
  const isEscape = file[scalar.start] === "'" && scalar.style === 'quoted' ? /[\s']/ : /[\s\\]/;
  let at = beginningOf(file, scalar);
  for (const unit of scalar.text.split('')) {
    if (isWhite(unit)) {
      places.push(Math.min(at, scalar.end));
      if (isWhite(file[at] ?? '') || scalar.style === 'plain') at += 1;
      continue;
    }
    // Between two characters of a text there are at most white space, line ends and the signs of an escape.
    let next = at;
    while (next < scalar.end && file[next] !== unit && isEscape.test(file[next] ?? '')) next += 1;
    if (file[next] === unit) at = next;
    places.push(Math.min(at, scalar.end));
    at += 1;
  }
  places.push(Math.min(at, scalar.end));
  return places;
}

/** Returns the offset at which the text begins: after the quote, or in the line below a block's `|` or `>`. */
function beginningOf(file: string, { start, end, style }: YamlScalar): number {
  if (style !== 'block') return style === 'quoted' ? start + 1 : start;
  const lineEnd = file.indexOf('\n', start);
  return lineEnd === -1 || lineEnd >= end ? start : lineEnd + 1;
}

function isWhite(unit: string): boolean {
  return /\s/.test(unit);
}
