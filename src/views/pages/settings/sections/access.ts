import { Type } from 'typebox';
import { listKeys, registerKey, removeOwnKey } from '../../../../accounts/access/keys/manage.ts';
import { grantToken, noToken, tokenIdPattern } from '../../../../accounts/access/tokens/issue.ts';
import { html } from '../../layout/html.ts';
import {
  form,
  Held,
  holding,
  itemForm,
  list,
  readItems,
  type Section,
  type SettingsContext,
  secretNotice,
} from '../section.ts';

const Key = Type.Object({ ...Held.properties, kind: Type.String() });

/** Service tokens and long-term keys. */
export const access: Section = {
  slug: 'access',
  title: (words) => words.access,
  show: async (context) => {
    const { reader, services, target, entered } = context;
    const { owner } = reader.words;
    const keys = readItems(Key, { data: await listKeys(services, target.account) });
    return html`<h2>${owner.tokens}</h2><p>${owner.tokensDetail}</p>
${form(context, 'issue_token', html`<p><button type="submit">${owner.issueToken}</button></p>`)}
${form(
  context,
  'revoke_token',
  html`<p class="field"><label for="token_id">${owner.tokenId}</label><input id="token_id" name="id" value="${entered['action'] === 'revoke_token' && entered['id']}" required maxlength="100" dir="ltr" autocomplete="off" spellcheck="false">
<button type="submit" class="small">${owner.revoke}</button></p>`,
)}
<h2>${owner.keys}</h2><p>${owner.keysDetail}</p>
${list(
  keys.map(
    (key) => html`<strong>${key.kind}</strong> <span class="chip">${owner.states[key.state]}</span>
<small><code>${key.id.slice(0, 16)}…</code> · ${holding(key, reader)}</small>
${itemForm(context, 'remove_key', key.id, owner.remove)}`,
  ),
  reader,
)}
${form(
  context,
  'add_key',
  html`<p class="field"><label for="key">${owner.publicKey}</label><textarea id="key" name="key" required dir="ltr" rows="4" maxlength="10000" spellcheck="false" placeholder="-----BEGIN PUBLIC KEY-----">${entered['key']}</textarea>
<button type="submit">${owner.addKey}</button></p>`,
)}`;
  },
  fields: { 'data.key': (words) => words.publicKey },
  actions: {
    issue_token: async (context) => {
      const { services, session, target } = context;
      const { token } = await grantToken(services, { account: target.account, person: session.person });
      return secretNotice(context, context.reader.words.owner.tokens, token);
    },
    revoke_token: async ({ call }, fields) => {
      const id = fields['id']?.trim() ?? '';
      if (!tokenIdPattern.test(id)) throw noToken();
      await call('revokeToken', { params: { token_id: id } });
      return undefined;
    },
    add_key: async (context, fields) => {
      await registerKey(context.services, toOwner(context), fields['key'] ?? '');
      return undefined;
    },
    remove_key: async (context, fields) => {
      await removeOwnKey(context.services, toOwner(context), fields['id'] ?? '');
      return undefined;
    },
  },
};

function toOwner({ session, target }: SettingsContext) {
  const { person } = session;
  return { account: target.account, person, actor: person.name, tokenId: null };
}
