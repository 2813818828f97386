const maxLength = 256;
/** Control characters, and marks that change the direction of text after them (Unicode, categories Cc and Cf). */
const unwanted = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/gu;

const clean = /^[!-~]+(?: [!-~]+)*$/;

/** Cleans the title of an item, which strangers write: one line without invisible characters, at most 256 letters. */
export function toTitle(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  // Most are clean, and a history has millions.
  if (text.length <= maxLength && clean.test(text)) return text;
  const line = text.replaceAll(unwanted, ' ').replaceAll(/\s+/g, ' ').trim();
  // By whole characters, so that no half of a surrogate pair is left.
  return line.length <= maxLength ? line : Array.from(line).slice(0, maxLength).join('');
}
