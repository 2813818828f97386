const unsafe = /[&<>"']/;
/** Characters that XML does not allow: of controls it allows only white space (XML 1.0, section 2.2). */
const notAllowed = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const plain = /^[\x20-\x7e\u00a0-\u2fff]*$/;

/** Escapes text for a card, so that none of it is read as markup, and removes characters that XML does not allow. */
export function escapeText(text: string): string {
  const allowed = plain.test(text) ? text : text.toWellFormed().replace(notAllowed, '');
  if (!unsafe.test(allowed)) return allowed;
  return allowed
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Formats a number of pixels with at most two decimals. */
export function px(value: number): string {
  return String(Math.round(value * 100) / 100);
}
