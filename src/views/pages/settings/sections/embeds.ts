import { Type } from 'typebox';
import { composerPath, endpointPath } from '../../layout/addresses.ts';
import { html, trusted } from '../../layout/html.ts';
import {
  callAboutItem,
  form,
  Held,
  holding,
  itemForm,
  list,
  readItem,
  readItems,
  type Section,
  secretNotice,
} from '../section.ts';

const Link = Type.Object({ url: Type.String() });
const Listed = Type.Object({ ...Held.properties, path: Type.String() });

/**
 * Returns the path of a card with private numbers, where it can have some, because links are made for them.
 * @param address a path, or the whole address that the composer writes.
 */
function privateImage(address: string, publicUrl: string): string {
  const path = address.startsWith(`${publicUrl}/`) ? address.slice(publicUrl.length) : address;
  const hasChoice = !/\/contributions(\?|$)/.test(path) || /[?&]private=/.test(path);
  return hasChoice ? path : `${path}${path.includes('?') ? '&' : '?'}private=true`;
}

/** Links that open one card each. */
export const embeds: Section = {
  slug: 'embeds',
  title: (words) => words.embeds,
  show: async (context) => {
    const { reader, target, entered } = context;
    const { owner } = reader.words;
    const { provider, name } = target.account;
    const path = entered['path'] ?? endpointPath(provider, name, 'contributions', { private: 'true' });
    const links = readItems(Listed, await context.call('listEmbeds'));
    return html`<h2>${owner.embeds}</h2><p>${owner.embedsDetail}</p>
${form(
  context,
  'make',
  html`<p class="field"><label for="path">${owner.image}</label>
<input id="path" name="path" required maxlength="1000" value="${path}" dir="ltr" autocomplete="off" spellcheck="false">
<a class="quiet" href="${reader.to(composerPath({ provider, name }))}">${reader.words.composeCard}</a></p>
<p class="field"><label for="format">${owner.format}</label><select id="format" name="format"><option>svg</option><option${trusted(entered['format'] === 'png' ? ' selected' : '')}>png</option></select>
<button type="submit">${owner.makeLink}</button></p>`,
)}
${list(
  links.map(
    (link) => html`<strong dir="ltr">${link.path}</strong> <span class="chip">${owner.states[link.state]}</span>
<small>${holding(link, reader)}</small>
<span class="actions">${itemForm(context, 'renew', link.id, owner.renew)}${itemForm(context, 'revoke', link.id, owner.revoke)}</span>`,
  ),
  reader,
)}`;
  },
  fields: { path: (words) => words.image, format: (words) => words.format },
  actions: {
    make: async (context, { path = '', format }) => {
      const image = privateImage(path, context.site.publicUrl());
      const { url } = readItem(Link, await context.call('createEmbed', { body: { path: image, format } }));
      return secretNotice(context, context.reader.words.owner.embeds, url);
    },
    renew: callAboutItem('renewEmbed', 'embed_id'),
    revoke: callAboutItem('revokeEmbed', 'embed_id'),
  },
};
