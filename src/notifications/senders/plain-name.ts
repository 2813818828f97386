const maxLength = 200;

/** A name that somebody else chose, as one line without characters that are not seen, and not too long. */
export function plainName(name: string): string {
  // U+200D joins emoji.
  const line = name.replaceAll(/(?:(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s])+/gu, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).replace(/\p{Cs}$/u, '')}…` : line;
}
