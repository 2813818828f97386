const unsafe = /[&<>"']/;
/** Of controls XML allows only white space (XML 1.0, section 2.2). */
const notAllowed = /[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const plain = /^[\x20-\x7e\u00a0-\u2fff]*$/;

/** Text in a picture: nothing of it is ever read as markup, and what XML does not allow is left out. */
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

/** A number of pixels, as short as it can be told. */
export function px(value: number): string {
  return String(Math.round(value * 100) / 100);
}
