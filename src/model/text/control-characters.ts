/** Control characters and halves of surrogate pairs, which JSON and YAML can write by an escape; no text of a host has them. */
const controlCharacter = /[^\P{Cc}\t\n\r\u0085]|\p{Cs}/u;

/** Returns the code of the first character that no text may have; undefined when there is none. */
export function findControlCharacter(text: string): string | undefined {
  const [found] = controlCharacter.exec(text) ?? [];
  return found === undefined ? undefined : formatCodePoint(found);
}

/** Returns the code of a character as Unicode writes it: `U+0007`. */
export function formatCodePoint(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}

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
