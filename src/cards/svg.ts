/** Text in a picture: nothing of it is ever read as markup, and what XML does not allow is left out. */
export function escapeText(text: string): string {
  return (
    text
      .toWellFormed()
      // Controls and non-characters, of which XML allows only white space.
      .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;')
  );
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Letters of East Asia and emoji take about twice the room of others. */
const wide =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;

/** Marks that are piled on a letter would run into other lines. */
const piledMarks = /(\p{M}{2})\p{M}+/gu;

/** Cuts text to the room that it has, never within a letter. @param room in letters of ordinary width. */
export function fit(text: string, room: number): string {
  const letters = [...graphemes.segment(text.replace(/\s+/gu, ' ').replace(piledMarks, '$1').trim())].map(
    ({ segment }) => segment,
  );
  let used = 0;
  for (const [index, letter] of letters.entries()) {
    used += wide.test(letter) ? 2 : 1;
    if (used > room) return `${letters.slice(0, Math.max(0, index - 1)).join('')}…`;
  }
  return letters.join('');
}

/** What every card is drawn on: one file for light and dark, readable without seeing it, without anything from elsewhere. */
export function frame(card: {
  width: number;
  height: number;
  title: string;
  description: string;
  body: string;
}): string {
  const { width, height } = card;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">
<title id="title">${escapeText(card.title)}</title>
<desc id="desc">${escapeText(card.description)}</desc>
<style>
text{font-family:-apple-system,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif;font-size:13px;fill:#1f2328}
.title{font-size:17px;font-weight:600}
.soft{fill:#59636e}
.number{font-weight:600;text-anchor:end}
.ground{fill:#fff;stroke:#d1d9e0}
.track{fill:#e6eaef}
.bar{fill:#1a7f37}
.disc{fill:#0969da}
.initials{fill:#fff;font-weight:600;text-anchor:middle}
@media (prefers-color-scheme:dark){
text{fill:#f0f6fc}
.soft{fill:#9198a1}
.ground{fill:#0d1117;stroke:#3d444d}
.track{fill:#262c36}
.bar{fill:#3fb950}
.disc{fill:#1f6feb}
.initials{fill:#fff}
}
</style>
<rect class="ground" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="6"/>
${card.body}
</svg>
`;
}

/** A line of text, escaped. */
export function line(place: { x: number; y: number; class?: string }, text: string): string {
  const kind = place.class === undefined ? '' : ` class="${place.class}"`;
  return `<text${kind} x="${place.x}" y="${place.y}">${escapeText(text)}</text>`;
}
