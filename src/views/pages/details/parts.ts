import { Type } from 'typebox';
import { html, type Markup } from '../layout/html.ts';
import type { Reader } from '../reader.ts';

/** The parameter of pages that chooses a frozen season of a board. */
export const SeasonNumber = Type.Optional(
  Type.String({
    pattern: '^[1-9][0-9]{0,4}$',
    'x-expected': 'an integer from 1 to 99999',
    'x-explanation': { phrase: 'integerBetween', values: { min: '1', max: '99999' } },
  }),
);

/** Renders the link to the next items of a list, of which the newest are first. */
export function olderLink(path: string, query: Record<string, string | undefined>, reader: Reader): Markup {
  return nextLink(path, query, { label: reader.words.detail.older }, reader);
}

/** Renders the link to the next people of a list, of whom those with the largest numbers are first. */
export function morePeopleLink(
  path: string,
  query: Record<string, string | undefined>,
  reader: Reader,
  id = '',
): Markup {
  return nextLink(path, query, { label: reader.words.detail.more, id }, reader);
}

function nextLink(
  path: string,
  query: Record<string, string | undefined>,
  { label, id = '' }: { label: string; id?: string },
  { to }: Reader,
): Markup {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, value);
  const fragment = id === '' ? '' : `#${id}`;
  return html`<p><a href="${to(`${path}?${parameters.toString()}`)}${fragment}" rel="next">${label}</a></p>`;
}
