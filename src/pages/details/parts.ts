import { Type } from 'typebox';
import { html, type Markup } from '../html.ts';
import type { Reader } from '../reader.ts';

/** The parameters of pages with a window and several pages of items. */
export const WindowedQuery = Type.Object({
  period: Type.Optional(Type.Enum(['last-30d', 'this-month', 'this-year'])),
  after: Type.Optional(Type.String({ maxLength: 500 })),
});

/** Renders the links to the same page within other windows. */
export function windowPicker(path: string, period: string | undefined, { words, to }: Reader): Markup {
  const { detail } = words;
  const choices = [
    [undefined, detail.lifetime],
    ['last-30d', detail.lastMonth],
    ['this-month', detail.thisMonth],
    ['this-year', detail.thisYear],
  ] as const;
  return html`<nav class="picker" aria-label="${detail.window}">${choices.map(
    ([value, label]) =>
      html`<a href="${to(value === undefined ? path : `${path}?period=${value}`)}"${value === period && html` aria-current="true"`}>${label}</a>`,
  )}</nav>`;
}

/** Renders the link to the next items of a list. */
export function olderLink(path: string, query: Record<string, string | undefined>, { words, to }: Reader): Markup {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  return html`<p><a href="${to(`${path}?${parameters.toString()}`)}" rel="next">${words.detail.older}</a></p>`;
}
