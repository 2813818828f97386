import { nameKey } from '../../../../model/account.ts';
import { AppError } from '../../../../model/errors.ts';
import { fill } from '../../../languages/language.ts';
import { html } from '../../layout/html.ts';
import { form, type Section } from '../section.ts';

/** Everything that is stored about an account: its export and its erasure. */
export const data: Section = {
  slug: 'data',
  title: (words) => words.yourData,
  show: async (context) => {
    const { owner } = context.reader.words;
    const { name } = context.target.account;
    return html`<h2>${owner.export}</h2><p>${owner.exportDetail}</p>
${form(context, 'export', html`<p><button type="submit">${owner.export}</button></p>`)}
<h2>${owner.erase}</h2><p>${owner.eraseDetail}</p>
${form(
  context,
  'erase',
  html`<p class="field"><label for="confirmed">${fill(owner.typeName, { name })}</label><input id="confirmed" name="name" required maxlength="255" autocomplete="off" autocapitalize="off" spellcheck="false">
<button type="submit" class="danger">${owner.erase}</button></p>`,
)}`;
  },
  actions: {
    erase: async ({ call, target }, { name = '' }) => {
      if (nameKey(name) !== nameKey(target.account.name)) {
        throw new AppError('invalid_input', 'The name is not that of the account. Nothing was erased.');
      }
      await call('eraseAccount');
      return undefined;
    },
  },
};
