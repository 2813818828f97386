import { Type } from 'typebox';
import { html } from '../../layout/html.ts';
import {
  callAboutItem,
  day,
  form,
  itemForm,
  list,
  readItem,
  readItems,
  type Section,
  secretNotice,
} from '../section.ts';

const Item = Type.Object({
  id: Type.String(),
  state: Type.Enum(['waiting', 'sent', 'dead']),
  to: Type.String(),
  repository_name: Type.String(),
  achievement_name: Type.String(),
  person: Type.String(),
  error: Type.Union([Type.Null(), Type.String()]),
  created_dttm: Type.String(),
});
const Secret = Type.Object({ id: Type.String(), url: Type.String(), changed_dttm: Type.String() });
const NewSecret = Type.Object({ url: Type.String(), secret: Type.String() });

/** Messages about awards, and the secrets that sign them. */
export const notifications: Section = {
  slug: 'notifications',
  title: (words) => words.notifications,
  show: async (context) => {
    const { reader, entered } = context;
    const { owner } = reader.words;
    const messages = readItems(Item, await context.call('listNotifications'));
    const secrets = readItems(Secret, await context.call('listWebhookSecrets'));
    return html`<h2>${owner.notifications}</h2><p>${owner.notificationsDetail}</p>
${list(
  messages.map(
    (
      message,
    ) => html`<strong>${message.achievement_name}</strong> · ${message.person} <span class="chip">${owner.states[message.state]}</span>
<small><bdi>${message.to}</bdi> · <bdi>${message.repository_name}</bdi> · ${day(message.created_dttm, reader)}</small>
${message.error !== null && html`<p class="reason" lang="en" dir="ltr">${message.to}: ${message.error}</p>`}
${message.state === 'dead' && itemForm(context, 'retry', message.id, owner.sendAgain)}`,
  ),
  reader,
)}
<h2>${owner.secrets}</h2><p>${owner.secretsDetail}</p>
${list(
  secrets.map(
    (secret) => html`<strong dir="ltr">${secret.url}</strong> <small>${day(secret.changed_dttm, reader)}</small>
${itemForm(context, 'remove_secret', secret.id, owner.remove)}`,
  ),
  reader,
)}
${form(
  context,
  'make_secret',
  html`<p class="field"><label for="url">${owner.address}</label><input id="url" name="url" type="url" required maxlength="2000" dir="ltr" placeholder="https://" value="${entered['url']}" autocomplete="off">
<button type="submit">${owner.makeSecret}</button></p>`,
)}`;
  },
  fields: { url: (words) => words.address },
  actions: {
    retry: callAboutItem('retryNotification', 'notification_id'),
    make_secret: async (context, { url }) => {
      const { secret } = readItem(NewSecret, await context.call('createWebhookSecret', { body: { url } }));
      return secretNotice(context, context.reader.words.owner.secrets, secret);
    },
    remove_secret: callAboutItem('removeWebhookSecret', 'secret_id'),
  },
};
