import { Type } from 'typebox';
import { html, type Markup } from '../html.ts';
import type { Reader } from '../reader.ts';

/** The parameter of pages that chooses a frozen season of a board. */
export const SeasonNumber = Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,4}$' }));

/** Renders the link to the next items of a list. */
export function olderLink(path: string, query: Record<string, string | undefined>, { words, to }: Reader): Markup {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  return html`<p><a href="${to(`${path}?${parameters.toString()}`)}" rel="next">${words.detail.older}</a></p>`;
}
