const maxLength = 200;

/** Returns a name from a host or a file as one line without invisible characters, cut after 200 characters. */
export function plainName(name: string): string {
  // U+200D joins emoji, so it stays.
  const line = name.replaceAll(/(?:(?!\u200d)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\s])+/gu, ' ').trim();
  return line.length > maxLength ? `${line.slice(0, maxLength - 1).replace(/\p{Cs}$/u, '')}…` : line;
}
