import { type Static, Type } from 'typebox';
import type { Form } from '../../../../http/server/forms.ts';
import { privateQuery } from '../../account/window-picker.ts';
import { accountPath, withQuery } from '../../layout/addresses.ts';
import { html, trusted } from '../../layout/html.ts';
import { form, readItem, type Section } from '../section.ts';

const Settings = Type.Object({
  publish_private_contributions: Type.Boolean(),
  hidden: Type.Boolean(),
  boards_repository: Type.String(),
});

/** The visibility of an account's numbers. */
export const privacy: Section = {
  slug: 'privacy',
  title: (words) => words.privacy,
  show: async (context) => {
    const { words, language, to } = context.reader;
    const { owner } = words;
    const { entered } = context;
    const { provider, name: account } = context.target.account;
    const stored = readItem(Settings, await context.call('getSettings'));
    const settings = entered['action'] === undefined ? stored : readForm(entered);
    const check = (name: 'publish_private_contributions' | 'hidden', label: string, detail: string) =>
      html`<p class="check"><label><input type="checkbox" name="${name}" value="true" aria-describedby="${name}-detail"${trusted(settings[name] ? ' checked' : '')}> ${label}</label>
<small id="${name}-detail">${detail}</small></p>`;
    return html`<h2>${owner.privacy}</h2>${form(
      context,
      'change',
      html`${check('publish_private_contributions', owner.publish, owner.publishDetail)}
${check('hidden', owner.hide, owner.hideDetail)}
<p class="field"><label for="boards_repository">${owner.boardsRepository}</label>
<input id="boards_repository" name="boards_repository" value="${settings.boards_repository}" maxlength="255" placeholder=".github" aria-describedby="boards-detail" autocomplete="off" spellcheck="false">
<small id="boards-detail">${owner.boardsRepositoryDetail}</small></p>
<p><button type="submit">${owner.save}</button></p>`,
    )}${stored.publish_private_contributions && html`<p><a href="${to(withQuery(accountPath(provider, account), privateQuery(true)))}">${language.words.publicAndPrivate}</a></p>`}`;
  },
  fields: {
    publish_private_contributions: (words) => words.publish,
    hidden: (words) => words.hide,
    boards_repository: (words) => words.boardsRepository,
  },
  actions: {
    change: async ({ call }, fields) => {
      await call('changeSettings', { body: readForm(fields) });
      return undefined;
    },
  },
};

/** Returns the settings that a form has: an unchecked box is not in it. */
function readForm(fields: Form): Static<typeof Settings> {
  return {
    publish_private_contributions: fields['publish_private_contributions'] === 'true',
    hidden: fields['hidden'] === 'true',
    boards_repository: fields['boards_repository']?.trim() ?? '',
  };
}
