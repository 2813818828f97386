import { readFileSync } from 'node:fs';
import { readLanguage, sendPage } from '../../../http/pipeline/pages.ts';
import type { App } from '../../../http/server/app.ts';
import { toFields } from '../../../model/fields.ts';
import { findCard } from '../../cards/index.ts';
import { cardOptionParameters } from '../../cards/options.ts';
import type { Site } from '../layout/layout.ts';
import { toReader } from '../layout/reader.ts';
import { checkboxes, type FieldValues, findKind, kindFields, readList } from './address.ts';
import { composerPage } from './page.ts';

const fields = [
  'provider',
  'name',
  'repository',
  'board',
  'card',
  'format',
  ...kindFields,
  ...Object.keys(cardOptionParameters),
];
const maxLength = 300;
const script = readFileSync(new URL('script.js', import.meta.url));

/** Registers the page on which people compose cards. */
export function composerRoutes(app: App, { site }: { site: Site }): void {
  app.get('/cards', { schema: { hide: true }, config: { isPage: true } }, async (request, reply) =>
    sendPage(
      reply.header('cache-control', 'no-store'),
      composerPage(site, toReader(readLanguage(site, request)), readForm(request.query)),
    ),
  );
  app.get('/cards/script.js', { schema: { hide: true } }, async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=3600').type('text/javascript; charset=utf-8').send(script),
  );
}

/** Reads the fields of the form: a repeated field becomes a list, and a colour may begin with `#`. */
function readForm(query: unknown): FieldValues {
  const sent = new Map<string, unknown>(Object.entries(toFields(query)));
  const sentFor = (field: string): string[] =>
    [sent.get(field)].flat().filter((word): word is string => typeof word === 'string' && word !== '');
  const values = new Map<string, string>();
  for (const field of fields) {
    const value = sentFor(field).join(',').trim().slice(0, maxLength).toWellFormed();
    if (value !== '') values.set(field, field.endsWith('_color') ? value.replace(/^#/, '') : value);
  }
  // A checkbox comes after the hidden field with the value of an unchecked one.
  for (const field of checkboxes) {
    const last = sentFor(field).at(-1);
    if (last !== undefined) values.set(field, last.slice(0, maxLength));
  }
  const { card } = findKind(values);
  if (sent.get('parts') === card) chooseParts(values, card, sentFor('part'));
  if (card === 'contributions' && readList(values.get('show')).includes('trend')) chooseSeries(values);
  return values;
}

/** Sets the windows of a trend, which is drawn from a series alone. */
function chooseSeries(values: Map<string, string>): void {
  if (!['period', 'since', 'until'].some((field) => values.has(field))) values.set('period', 'this-month');
  if (Number(values.get('limit') ?? 1) <= 1) values.set('limit', '12');
}

/** Sets the parts to leave out and to add from those that are checked. The parts of another card say nothing of this one. */
function chooseParts(values: Map<string, string>, card: string, checked: readonly string[]): void {
  const { hideable, showable, alsoHideable } = findCard(card).parts;
  const named = alsoHideable === undefined ? [] : readList(values.get('hide'));
  const hidden = new Set([...hideable.filter((part) => !checked.includes(part)), ...named]);
  values.set('hide', [...hidden].join(','));
  values.set('show', showable.filter((part) => checked.includes(part)).join(','));
}
