/** Control characters and halves of surrogate pairs, which JSON and YAML can write by an escape; no text of a host has them. */
const controlCharacter = /[^\P{Cc}\t\n\r\u0085]|\p{Cs}/u;

/** Returns the code of the first character that no text may have; undefined when there is none. */
export function findControlCharacter(text: string): string | undefined {
  const [found] = controlCharacter.exec(text) ?? [];
  return found === undefined ? undefined : codeOf(found);
}

/** Returns the code of a character as Unicode writes it: `U+0007`. */
export function codeOf(character: string): string {
  return `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;
}
