/** Control characters and halves of surrogate pairs, which JSON and YAML can write by an escape; no text of a host has them. */
const controlCharacter = /[^\P{Cc}\t\n\r\u0085]|\p{Cs}/u;

/**
 * Characters that look like others, or like none: spaces other than the usual one, invisible characters, marks of
 * direction, quotation marks and dashes of word processors, and the punctuation of East Asian keyboards.
 */
const misleading =
  /[\u00a0\u00ab\u00ad\u00b4\u00bb\u061c\u1680\u180e\u2000-\u200f\u2010-\u2015\u2018-\u201f\u2028-\u202f\u205f-\u2069\u2212\u3000\u3164\ufeff\uff02\uff07\uff0c\uff0d\uff1a\uffa0]/g;

const names: Readonly<Record<string, string>> = {
  '\u00a0': 'a no-break space',
  '\u00ad': 'a soft hyphen',
  '\u200b': 'a zero-width space',
  '\u202f': 'a narrow no-break space',
  '\u3000': 'a wide space',
  '\ufeff': 'a byte order mark',
};

/** A character that misleads the reader of a text, with its name, such as `U+00A0, a no-break space`. */
export interface Misleading {
  index: number;
  character: string;
  name: string;
}

/** Longer names are not compared, because typing errors occur in single words. */
const maxLength = 64;
/** The number of letters in which one wrong letter counts as a typing error. */
const lettersPerSlip = 3;
const maxSlips = 3;

/** Returns the candidate that the author of `name` probably meant; undefined when none is close. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > maxLength) return undefined;
  const written = fold(name);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    if (candidate.length > maxLength) continue;
    const allowed = Math.min(
      maxSlips,
      Math.max(1, Math.floor(Math.max(name.length, candidate.length) / lettersPerSlip)),
    );
    const folded = fold(candidate);
    // Each letter that one of the two lacks is a slip; counting all of them takes much longer.
    if (Math.abs(written.length - folded.length) > allowed) continue;
    const distance = distanceBetween(written, folded, best === undefined ? allowed : Math.min(allowed, best.distance));
    if (distance <= allowed && (best === undefined || distance < best.distance)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** Removes the differences between `created-at`, `createdAt`, `Created At` and `created_at`. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s]/g, '');
}

/**
 * Counts the letters to insert, remove, replace or swap with their neighbour (optimal string alignment).
 * @param most a greater distance is not counted to its end, because most names resemble nothing: then the result is greater
 * than this, or infinite.
 */
export function distanceBetween(one: string, other: string, most = Number.POSITIVE_INFINITY): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  let leastOfLast = 0;
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (isSame ? 0 : 1));
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (row > 1 && column > 1 && isSwapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
      least = Math.min(least, cost);
    }
    // Later rows begin from this one, or from the last one with a swap.
    if (least > most && leastOfLast >= most) return Number.POSITIVE_INFINITY;
    [beforeLast, last, leastOfLast] = [last, current, least];
  }
  return at(last, other.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

/** Returns a number and its noun: `1 repository`, `1,234 repositories`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`;
}

/** Returns the code of the first character that no text may have; undefined when there is none. */
export function findControlCharacter(text: string): string | undefined {
  const [found] = controlCharacter.exec(text) ?? [];
  return found === undefined ? undefined : formatCodePoint(found);
}

/** Returns the code of a character as Unicode writes it: `U+0007`. */
export function formatCodePoint(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Returns the characters of a text that mislead its reader, in order; a byte order mark at the beginning does not. */
export function findMisleading(text: string): Misleading[] {
  return [...text.matchAll(misleading)].flatMap(({ index, 0: character }) => {
    if (index === 0 && character === '\ufeff') return [];
    const name = names[character];
    return [
      {
        index,
        character,
        name: name === undefined ? formatCodePoint(character) : `${formatCodePoint(character)}, ${name}`,
      },
    ];
  });
}
