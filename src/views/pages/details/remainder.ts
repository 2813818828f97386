import type { Envelope } from '../../../http/pipeline/envelope.ts';
import { fill } from '../../languages/language.ts';
import type { PageWords } from '../../languages/texts.ts';
import { html, type Markup } from '../layout/html.ts';
import type { Reader } from '../reader.ts';

/** The reasons in lists that have pages. */
const reasons = ['host-total', 'private', 'erased-account', 'earned-once'] as const;

/**
 * Renders the part of a number of which no items are listed, one sentence for each reason.
 * @param changed the points that differ from the sum of their items.
 */
export function renderRemainder(
  { remainder = {}, host_search: search }: Envelope['meta_data'],
  changed: number,
  reader: Reader,
): Markup | false {
  const { words, language } = reader;
  const parts = reasons.flatMap((reason) => {
    const count = remainder[reason] ?? 0;
    if (count === 0) return [];
    const text = fill(findSentence(reason, words.detail), { n: language.number(count) });
    const isSearch = reason === 'host-total' && search !== undefined;
    return [html`<li>${isSearch ? html`<a href="${search}" rel="nofollow">${text}</a>` : text}</li>`];
  });
  if (changed !== 0) parts.push(html`<li>${fill(words.detail.changedSince, { n: language.signed(changed) })}</li>`);
  return (
    parts.length > 0 && html`<div class="note"><p>${words.detail.remainder}:</p><ul class="rest">${parts}</ul></div>`
  );
}

function findSentence(reason: (typeof reasons)[number], detail: PageWords['detail']): string {
  if (reason === 'private') return detail.inPrivate;
  if (reason === 'erased-account') return detail.ofErased;
  if (reason === 'earned-once') return detail.ofSeveral;
  return detail.hostMore;
}
