import { cardOf } from '../../cards/index.ts';
import { fill } from '../../cards/languages/language.ts';
import { locales } from '../../cards/languages/locales.ts';
import { layouts } from '../../cards/options.ts';
import { palettesOf, themeNames } from '../../cards/themes.ts';
import { streakUnits } from '../../contributions/streaks.ts';
import { relativePeriods } from '../../windows/periods.ts';
import { galleryImagePath } from '../gallery/page.ts';
import { isGalleryCard } from '../gallery/samples.ts';
import { html, type Markup, trusted } from '../html.ts';
import { renderDocument, type Site } from '../layout.ts';
import type { Reader } from '../reader.ts';
import { swatch } from '../swatch.ts';
import type { ComposerWords } from '../words/composer-words.ts';
import { type Field, imagePath, kindOf, kinds, type Wanted } from './address.ts';
import { altTextOf, labelOfCard, labelOfPart, labelOfPeriod, labelOfUnit, nameOfLanguage } from './labels.ts';
import { isPublic } from './public-address.ts';
import { type Embedding, snippets, withTheme } from './snippets.ts';

const colours = ['accent', 'background', 'text', 'muted', 'border'] as const;

/** A form: its reader, with the texts, and its fields. */
interface Form {
  reader: Reader;
  own: ComposerWords;
  wanted: Wanted;
}

/** Returns the page on which a card is composed. It works by submitting the form; `script.js` updates it live. */
export function composerPage(site: Site, reader: Reader, given: Wanted): string {
  // Cards are in the language of their composer, unless another one is chosen.
  const wanted: Wanted = new Map([['locale', reader.language.locale], ...given]);
  const own = reader.words.composer;
  const form: Form = { reader, own, wanted };
  const { words } = reader;
  return renderDocument(site, reader, {
    title: words.cards,
    description: words.composeCard,
    path: '/cards',
    scripts: ['/cards/script.js'],
    main: html`<section class="title"><h1>${words.cards}</h1>
<p>${own.lead}</p></section>
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
  const { reader, own, wanted } = form;
  const { words } = reader;
  const kind = kindOf(wanted);
  const chosen = reader.to('').includes('lang=');
  return html`${chosen && html`<input type="hidden" name="lang" value="${reader.language.locale}">`}<fieldset class="fields"><legend>${own.card}</legend>
${select(wanted, 'provider', words.host, providers.map(named))}
${text(wanted, 'name', words.account, 'required autocomplete="off" spellcheck="false"')}
${select(
  wanted,
  'card',
  own.card,
  kinds.map(({ card }) => [card, labelOfCard(card, reader)]),
)}
${kind.takesRepository && text(wanted, 'repository', own.repository, 'autocomplete="off" spellcheck="false"')}
${kind.fields.map((field) => kindField[field](form))}
</fieldset>
${themes(form)}
${parts(form)}
<fieldset class="fields"><legend>${own.look}</legend>
${select(
  wanted,
  'locale',
  words.language,
  locales.map((code) => [code, nameOfLanguage(code)]),
)}
${text(wanted, 'title', own.title, 'maxlength="100"', own.own)}
${text(wanted, 'width', own.width, 'type="number" min="240" max="1200"', own.own)}
${text(wanted, 'radius', own.radius, 'type="number" min="0" max="32" placeholder="8"')}
${select(wanted, 'format', own.format, [
  ['svg', 'SVG'],
  ['png', 'PNG'],
])}
${text(wanted, 'scale', own.scale, 'type="number" min="1" max="4" placeholder="1"')}
${checkbox(wanted, 'border', own.border, { on: 'true', off: 'false', isOn: true })}
${checkbox(wanted, 'animation', own.animation, { on: 'subtle', off: 'none', isOn: false })}
</fieldset>
<details${trusted(colours.some((colour) => wanted.has(`${colour}_color`)) ? ' open' : '')}><summary>${own.colours}</summary>
<p class="note">${own.hexadecimal}</p>
<div class="fields">
${colours.map((colour) => text(wanted, `${colour}_color`, own[colour], 'pattern="#?[0-9a-fA-F]{3,8}" placeholder="0969da" autocomplete="off"'))}
</div>
</details>`;
}

const kindField: Readonly<Record<Field, (form: Form) => Markup>> = {
  board: ({ wanted, own }) => text(wanted, 'board', own.board, 'required autocomplete="off" spellcheck="false"'),
  limit: ({ wanted, own }) => text(wanted, 'limit', own.limit, 'type="number" min="1" max="100"'),
  bots: ({ wanted, own }) => checkbox(wanted, 'bots', own.bots, { on: 'true', off: 'false', isOn: false }),
  columns: ({ wanted, own }) => text(wanted, 'columns', own.columns, 'type="number" min="1" max="6"', own.asFit),
  layout: ({ wanted, own }) =>
    select(
      wanted,
      'layout',
      own.layout,
      layouts.map((layout) => [layout, own[layout]]),
    ),
  by: ({ wanted, own, reader }) =>
    select(
      wanted,
      'by',
      own.by,
      streakUnits.map((unit) => [unit, labelOfUnit(unit, reader)]),
    ),
  days_off: ({ wanted, own }) => text(wanted, 'days_off', own.daysOff, 'placeholder="sat,sun" autocomplete="off"'),
  raw: ({ wanted, own }) => checkbox(wanted, 'raw', own.raw, { on: 'true', off: 'false', isOn: false }),
  period: ({ wanted, own, reader }) =>
    select(wanted, 'period', own.period, [
      ['', reader.words.detail.lifetime],
      ...relativePeriods.map((one) => [one, labelOfPeriod(one, reader)] as const),
    ]),
  since: ({ wanted, own }) => text(wanted, 'since', own.since, 'type="date"'),
  until: ({ wanted, own }) => text(wanted, 'until', own.until, 'type="date"'),
  time_zone: ({ wanted, own }) => text(wanted, 'time_zone', own.timeZone, 'placeholder="UTC"'),
};

function themes({ wanted, reader }: Form): Markup {
  const chosen = wanted.get('theme') ?? 'auto';
  return html`<fieldset class="choices"><legend>${reader.words.themes}</legend>${themeNames.map(
    (theme) =>
      html`<label><input type="radio" name="theme" value="${theme}"${checked(theme === chosen)}>${swatch(palettesOf(theme))}${theme.replaceAll('-', ' ')}</label>`,
  )}</fieldset>`;
}

/** The parts of the card, checked where they are on it. */
function parts({ wanted, own, reader }: Form): Markup | undefined {
  const { card } = kindOf(wanted);
  const { hideable, showable } = cardOf(card).parts;
  if (hideable.length + showable.length === 0) return undefined;
  const chosen = (name: 'hide' | 'show'): string[] => (wanted.get(name) ?? '').split(',');
  const isShown = (part: string): boolean =>
    hideable.includes(part) ? !chosen('hide').includes(part) : chosen('show').includes(part);
  return html`<fieldset class="choices"><legend>${own.parts}</legend><input type="hidden" name="parts" value="${card}">${[
    ...hideable,
    ...showable,
  ].map(
    (part) =>
      html`<label><input type="checkbox" name="part" value="${part}"${checked(isShown(part))}>${labelOfPart(part, reader)}</label>`,
  )}</fieldset>`;
}

function result({ wanted, own }: Form, { publicUrl, profileUrl }: Site): Markup {
  const path = imagePath(wanted);
  if (path === undefined) return example(wanted, own);
  const base = publicUrl();
  const embedding: Embedding = {
    imageUrl: `${base}${path}`,
    linkUrl: profileUrl(wanted.get('provider') ?? 'github', wanted.get('name') ?? ''),
    altText: altTextOf(wanted),
  };
  return html`<section class="shown"><h2>${own.preview}</h2>
${previews(path, embedding.altText)}</section>
<section><h2>${own.snippets}</h2>
${!isPublic(base) && html`<p class="warning" role="status">${fill(own.notPublic, { address: base })}</p>`}
${snippets.map(({ id, label, write }) => snippet(id, id === 'picture' ? own.lightAndDark : label, { content: write(embedding), own }))}</section>`;
}

/** Shows the chosen card of an invented account. */
function example(wanted: Wanted, own: ComposerWords): Markup {
  const { card } = kindOf(wanted);
  const path = isGalleryCard(card)
    ? galleryImagePath(card, { theme: wanted.get('theme') ?? 'auto', locale: wanted.get('locale') ?? 'en' })
    : undefined;
  return html`<section class="shown"><h2>${own.example}</h2><p>${own.nameFirst}</p>${path !== undefined && previews(path, own.example)}</section>`;
}

/** Shows the card on a light and on a dark page. A PNG has one theme, so each page needs an address of its own. */
function previews(path: string, altText: string): Markup {
  const of = (theme: 'light' | 'dark'): Markup => {
    const address = /[?&]format=png(&|$)/.test(path) ? withTheme(path, theme) : path;
    return html`<div class="${theme}"><img src="${address}" alt="${altText}"></div>`;
  };
  return html`<div class="previews">${of('light')}${of('dark')}</div>`;
}

function snippet(id: string, label: string, { content, own }: { content: string; own: ComposerWords }): Markup {
  return html`<p><label for="${id}">${label}</label>
<textarea id="${id}" readonly rows="3" spellcheck="false" dir="ltr">${content}</textarea>
<button type="button" class="copy small" data-copies="${id}" data-copied="${own.copied}" hidden>${fill(own.copy, { format: label })}</button></p>`;
}

/** @param attributes further attributes in HTML. */
function text(wanted: Wanted, name: string, label: string, attributes: string, placeholder?: string): Markup {
  return html`<p><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${wanted.get(name) ?? ''}" ${trusted(attributes)}${placeholder !== undefined && html` placeholder="${placeholder}"`}></p>`;
}

/** A checkbox after a hidden field, which is sent in its place where it is not checked. */
function checkbox(
  wanted: Wanted,
  name: string,
  label: string,
  { on, off, isOn }: { on: string; off: string; isOn: boolean },
): Markup {
  const value = wanted.get(name) ?? (isOn ? on : off);
  return html`<p class="check"><input type="hidden" name="${name}" value="${off}"><label><input type="checkbox" name="${name}" value="${on}"${checked(value === on)}>${label}</label></p>`;
}

function select(wanted: Wanted, name: string, label: string, options: readonly (readonly [string, string])[]): Markup {
  const chosen = wanted.get(name);
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
