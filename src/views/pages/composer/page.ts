import { streakUnits } from '../../../contributions/calendar/streaks.ts';
import { relativePeriods } from '../../../model/windows/periods.ts';
import { findPalettes, themeNames } from '../../cards/drawing/themes.ts';
import { findCard } from '../../cards/index.ts';
import { layouts } from '../../cards/options.ts';
import { fill } from '../../languages/language.ts';
import { locales, type PageWords } from '../../languages/texts.ts';
import { galleryImagePath, phonePicture, swatch } from '../gallery/page.ts';
import { findGalleryCard } from '../gallery/samples.ts';
import { html, type Markup, trusted } from '../layout/html.ts';
import { renderDocument, type Site } from '../layout/layout.ts';
import type { Reader } from '../layout/reader.ts';
import { type Field, type FieldValues, findKind, imagePath, kinds, readList } from './address.ts';
import { formatAltText, labelOfCard, labelOfPart, labelOfPeriod, labelOfUnit, nameOfLanguage } from './labels.ts';
import { type Embedding, isPublic, snippets, withTheme } from './snippets.ts';

const colours = ['accent', 'background', 'text', 'muted', 'border'] as const;

/** A form: its reader, with the texts, and its fields. */
interface Form {
  reader: Reader;
  texts: PageWords['composer'];
  values: FieldValues;
}

/** Returns the page on which a card is composed. It works by submitting the form; `script.js` updates it live. */
export function composerPage(site: Site, reader: Reader, sent: FieldValues): string {
  // Cards are in the language of their composer, unless another one is chosen.
  const values: FieldValues = new Map([['locale', reader.language.locale], ...sent]);
  const texts = reader.words.composer;
  const form: Form = { reader, texts, values };
  const { words } = reader;
  return renderDocument(site, reader, {
    title: words.cards,
    description: words.composeCard,
    path: '/cards',
    scripts: ['/cards/script.js'],
    main: html`<section class="title"><h1>${words.cards}</h1>
<p>${texts.lead}</p></section>
<div class="composer">
<form method="get" action="/cards" id="form">
${formFields(form, site)}
<p><button type="submit">${words.show}</button></p>
</form>
<div id="result">
${result(form, site)}
</div>
</div>`,
  });
}

function formFields(form: Form, { providers }: Site): Markup {
  const { reader, texts, values } = form;
  const { words } = reader;
  const kind = findKind(values);
  const chosen = reader.to('').includes('lang=');
  return html`${chosen && html`<input type="hidden" name="lang" value="${reader.language.locale}">`}<fieldset class="fields"><legend>${texts.card}</legend>
${select(values, 'provider', words.host, providers.map(named))}
${text(values, 'name', words.account, 'required autocomplete="off" spellcheck="false"')}
${select(
  values,
  'card',
  texts.card,
  kinds.map(({ card }) => [card, labelOfCard(card, reader)]),
)}
${kind.takesRepository && text(values, 'repository', texts.repository, 'autocomplete="off" spellcheck="false"')}
${kind.fields.map((field) => kindField[field](form))}
</fieldset>
${themes(form)}
${parts(form)}
<fieldset class="fields"><legend>${texts.look}</legend>
${select(
  values,
  'locale',
  words.language,
  locales.map((code) => [code, nameOfLanguage(code)]),
)}
${text(values, 'title', texts.title, 'maxlength="100"', texts.automatic)}
${text(values, 'width', texts.width, 'type="number" min="240" max="1200"', texts.automatic)}
${text(values, 'radius', texts.radius, 'type="number" min="0" max="32" placeholder="8"')}
${select(values, 'format', texts.format, [
  ['svg', 'SVG'],
  ['png', 'PNG'],
])}
${text(values, 'scale', texts.scale, 'type="number" min="1" max="4" placeholder="1"')}
${checkbox(values, 'border', texts.border, { on: 'true', off: 'false', isOn: true })}
${checkbox(values, 'animation', texts.animation, { on: 'subtle', off: 'none', isOn: false })}
</fieldset>
<details${trusted(colours.some((colour) => values.has(`${colour}_color`)) ? ' open' : '')}><summary>${texts.colours}</summary>
<p class="note">${texts.hexadecimal}</p>
<div class="fields">
${colours.map((colour) => text(values, `${colour}_color`, texts[colour], 'pattern="#?[0-9a-fA-F]{3,8}" placeholder="0969da" autocomplete="off"'))}
</div>
</details>`;
}

const kindField: Readonly<Record<Field, (form: Form) => Markup>> = {
  board: ({ values, texts }) => text(values, 'board', texts.board, 'required autocomplete="off" spellcheck="false"'),
  limit: ({ values, texts }) => text(values, 'limit', texts.limit, 'type="number" min="1" max="100"'),
  hidden: ({ values, texts }) =>
    text(
      new Map([['hide', namesIn(values).join(', ')]]),
      'hide',
      texts.hiddenLanguages,
      'maxlength="200" placeholder="HTML, CSS" dir="ltr" autocomplete="off" spellcheck="false"',
    ),
  bots: ({ values, texts }) => checkbox(values, 'bots', texts.bots, { on: 'true', off: 'false', isOn: false }),
  columns: ({ values, texts }) => text(values, 'columns', texts.columns, 'type="number" min="1" max="6"', texts.asFit),
  layout: ({ values, texts }) =>
    select(
      values,
      'layout',
      texts.layout,
      layouts.map((layout) => [layout, texts[layout]]),
    ),
  by: ({ values, texts, reader }) =>
    select(
      values,
      'by',
      texts.by,
      streakUnits.map((unit) => [unit, labelOfUnit(unit, reader)]),
    ),
  days_off: ({ values, reader }) =>
    text(values, 'days_off', reader.language.words.daysOff, 'placeholder="sat,sun" autocomplete="off"'),
  raw: ({ values, texts }) => checkbox(values, 'raw', texts.raw, { on: 'true', off: 'false', isOn: false }),
  period: ({ values, texts, reader }) =>
    select(values, 'period', texts.period, [
      ['', reader.words.detail.lifetime],
      ...relativePeriods.map((period) => [period, labelOfPeriod(period, reader)] as const),
    ]),
  since: ({ values, texts }) => text(values, 'since', texts.since, 'type="date"'),
  until: ({ values, texts }) => text(values, 'until', texts.until, 'type="date"'),
  time_zone: ({ values, texts }) => text(values, 'time_zone', texts.timeZone, 'placeholder="UTC"'),
  private: ({ values, texts, reader }) => {
    const states = { on: 'true', off: 'false', isOn: false };
    return checkbox(values, 'private', reader.language.words.publicAndPrivate, states, texts.privateDetail);
  },
};

/** Returns the names to leave out that are no parts, such as those of languages. */
function namesIn(values: FieldValues): string[] {
  const { hideable } = findCard(findKind(values).card).parts;
  return readList(values.get('hide')).filter((name) => !hideable.includes(name));
}

function themes({ values, reader }: Form): Markup {
  const chosen = values.get('theme') ?? 'auto';
  return html`<fieldset class="choices"><legend>${reader.words.themes}</legend>${themeNames.map(
    (theme) =>
      html`<label><input type="radio" name="theme" value="${theme}"${checked(theme === chosen)}>${swatch(findPalettes(theme))}${theme.replaceAll('-', ' ')}</label>`,
  )}</fieldset>`;
}

/** The parts of the card, checked where they are on it. */
function parts({ values, texts, reader }: Form): Markup | undefined {
  const { card } = findKind(values);
  const { hideable, showable } = findCard(card).parts;
  if (hideable.length + showable.length === 0) return undefined;
  const chosen = (name: 'hide' | 'show'): string[] => readList(values.get(name));
  const isShown = (part: string): boolean =>
    hideable.includes(part) ? !chosen('hide').includes(part) : chosen('show').includes(part);
  return html`<fieldset class="choices"><legend>${texts.parts}</legend><input type="hidden" name="parts" value="${card}">${[
    ...hideable,
    ...showable,
  ].map(
    (part) =>
      html`<label><input type="checkbox" name="part" value="${part}"${checked(isShown(part))}>${labelOfPart(part, reader)}</label>`,
  )}</fieldset>`;
}

function result({ values, texts }: Form, { publicUrl, profileUrl }: Site): Markup {
  const path = imagePath(values);
  if (path === undefined) return example(values, texts);
  const base = publicUrl();
  const embedding: Embedding = {
    imageUrl: `${base}${path}`,
    linkUrl: profileUrl(values.get('provider') ?? 'github', values.get('name') ?? ''),
    altText: formatAltText(values),
  };
  return html`<section class="shown"><h2>${texts.preview}</h2>
${previews(path, embedding.altText, texts.preview)}</section>
<section><h2>${texts.snippets}</h2>
${!isPublic(base) && html`<p class="warning" role="status">${fill(texts.notPublic, { address: base })}</p>`}
${snippets.map(({ id, label, write }) => snippet(id, id === 'picture' ? texts.lightAndDark : label, { content: write(embedding), texts }))}</section>`;
}

/** Shows the chosen card of an invented account. */
function example(values: FieldValues, texts: PageWords['composer']): Markup {
  const card = findGalleryCard(findKind(values).card, values);
  const look = { theme: values.get('theme') ?? 'auto', locale: values.get('locale') ?? 'en' };
  const path = card && galleryImagePath(card, look);
  return html`<section class="shown"><h2>${texts.example}</h2><p>${texts.nameFirst}</p>${path !== undefined && previews(path, texts.example, texts.preview)}</section>`;
}

/** Shows the card on a light and on a dark page. A PNG has one theme, so each page needs an address of its own. */
function previews(path: string, altText: string, label: string): Markup {
  const of = (theme: 'light' | 'dark'): Markup => {
    const address = /[?&]format=png(&|$)/.test(path) ? withTheme(path, theme) : path;
    return html`<div class="${theme}">${phonePicture((width) => withWidth(address, width), altText)}</div>`;
  };
  return html`<div class="previews" role="group" aria-label="${label}" tabindex="0">${of('light')}${of('dark')}</div>`;
}

/** Returns the address of a card in a width, unless it has one of its own. */
function withWidth(path: string, width: string | undefined): string {
  return width === undefined || /[?&]width=/.test(path) ? path : `${path}&width=${width}`;
}

function snippet(
  id: string,
  label: string,
  { content, texts }: { content: string; texts: PageWords['composer'] },
): Markup {
  return html`<p><label for="${id}">${label}</label>
<textarea id="${id}" readonly rows="3" spellcheck="false" dir="ltr">${content}</textarea>
<button type="button" class="copy small" data-copies="${id}" data-copied="${texts.copied}" hidden>${fill(texts.copy, { format: label })}</button></p>`;
}

/** @param attributes further attributes in HTML. */
function text(values: FieldValues, name: string, label: string, attributes: string, placeholder?: string): Markup {
  return html`<p><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${values.get(name) ?? ''}" ${trusted(attributes)}${placeholder !== undefined && html` placeholder="${placeholder}"`}></p>`;
}

/**
 * A checkbox after a hidden field, which is sent in its place where it is not checked.
 * @param detail explains the choice.
 */
function checkbox(
  values: FieldValues,
  name: string,
  label: string,
  { on, off, isOn }: { on: string; off: string; isOn: boolean },
  detail?: string,
): Markup {
  const value = values.get(name) ?? (isOn ? on : off);
  return html`<p class="check"><input type="hidden" name="${name}" value="${off}"><label><input type="checkbox" name="${name}" value="${on}"${checked(value === on)}${detail !== undefined && html` aria-describedby="${name}-detail"`}>${label}</label>${detail !== undefined && html`<small id="${name}-detail">${detail}</small>`}</p>`;
}

function select(
  values: FieldValues,
  name: string,
  label: string,
  options: readonly (readonly [string, string])[],
): Markup {
  const chosen = values.get(name);
  return html`<p><label for="${name}">${label}</label><select id="${name}" name="${name}">${options.map(
    ([value, words]) => html`<option value="${value}"${trusted(value === chosen ? ' selected' : '')}>${words}</option>`,
  )}</select></p>`;
}

function checked(isChecked: boolean): Markup {
  return trusted(isChecked ? ' checked' : '');
}

function named(value: string): readonly [string, string] {
  return [value, value.replaceAll('-', ' ')];
}
