import { Type } from 'typebox';
import { toFields } from '../../../../model/fields.ts';
import { html } from '../../layout/html.ts';
import { day, list, readItems, type Section } from '../section.ts';

const Entry = Type.Object({
  action: Type.String(),
  subject: Type.String(),
  actor: Type.String(),
  created_dttm: Type.String(),
});
const pageSize = 30;

/** The audit trail. */
export const audit: Section = {
  slug: 'audit',
  title: (words) => words.audit,
  show: async (context) => {
    const { reader, query, services } = context;
    const { owner } = reader.words;
    const after = query.get('after');
    const start = services.cursors.readStart('audit', after === null ? {} : { after });
    const response = await context.call('listAudit', { page: { limit: pageSize, start } });
    const { next_cursor: next } = toFields(response);
    return html`<h2>${owner.audit}</h2>${list(
      readItems(Entry, response).map(
        (entry) => html`<strong><code>${entry.action}</code></strong> <bdi>${entry.actor}</bdi>
<small>${day(entry.created_dttm, reader)} · <code>${entry.subject}</code></small>`,
      ),
      reader,
    )}
${typeof next === 'string' && html`<p><a class="quiet" href="?${new URLSearchParams({ after: next }).toString()}">${owner.older}</a></p>`}`;
  },
  actions: {},
};
