import { html, type Markup } from '../html.ts';
import type { Reader } from '../reader.ts';

/** Renders the link to the next items of a list. */
export function olderLink(path: string, query: Record<string, string | undefined>, { words, to }: Reader): Markup {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  return html`<p><a href="${to(`${path}?${parameters.toString()}`)}" rel="next">${words.detail.older}</a></p>`;
}
