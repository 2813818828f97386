import { cardOf } from '../../cards/index.ts';
import { locales } from '../../cards/languages/language.ts';
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
import { altTextOf, type Field, imagePath, kindOf, kinds, type Wanted } from './address.ts';
import { isPublic } from './public-address.ts';
import { type Embedding, snippets, withTheme } from './snippets.ts';

const languageNames = new Intl.DisplayNames('en', { type: 'language' });
const colours = ['accent', 'background', 'text', 'muted', 'border'];

/** Returns the page on which a card is composed. It works by submitting the form; `script.js` updates it live. */
export function composerPage(site: Site, reader: Reader, wanted: Wanted): string {
  return renderDocument(site, reader, {
    title: reader.words.cards,
    description: reader.words.composeCard,
    path: '/cards',
    script: '/cards/script.js',
    main: html`<section class="title" lang="en"><h1>${reader.words.cards}</h1>
<p>A card about the work of an account, for a README or any other page.</p></section>
<div class="composer" lang="en">
<form method="get" action="/cards" id="form">
${formFields(wanted, site)}
<p><button type="submit">Show</button></p>
</form>
<div id="result">
${result(wanted, site)}
</div>
</div>`,
  });
}

function formFields(wanted: Wanted, { providers }: Site): Markup {
  const kind = kindOf(wanted);
  return html`<fieldset class="fields"><legend>What</legend>
${select(wanted, 'provider', 'Code host', providers.map(named))}
${text(wanted, 'name', 'Account', 'required autocomplete="off" spellcheck="false"')}
${select(
  wanted,
  'card',
  'Picture',
  kinds.map(({ card, label }) => [card, label]),
)}
${kind.takesRepository && text(wanted, 'repository', 'Repository (all if empty)', 'autocomplete="off" spellcheck="false"')}
${kind.fields.map((field) => kindField[field](wanted))}
</fieldset>
${themes(wanted)}
${parts(wanted)}
<fieldset class="fields"><legend>Look</legend>
${select(
  wanted,
  'locale',
  'Language',
  locales.map((code) => [code, languageNames.of(code) ?? code]),
)}
${text(wanted, 'title', 'Title', 'maxlength="100" placeholder="its own"')}
${text(wanted, 'width', 'Width', 'type="number" min="240" max="1200" placeholder="its own"')}
${text(wanted, 'radius', 'Corner radius', 'type="number" min="0" max="32" placeholder="8"')}
${select(wanted, 'border', 'Border', [
  ['true', 'yes'],
  ['false', 'no'],
])}
${select(wanted, 'animation', 'Animation', ['none', 'subtle'].map(named))}
${select(wanted, 'format', 'Format', ['svg', 'png'].map(named))}
${text(wanted, 'scale', 'Scale (of PNG)', 'type="number" min="1" max="4" placeholder="1"')}
</fieldset>
<details${trusted(colours.some((colour) => wanted.has(`${colour}_color`)) ? ' open' : '')}><summary>Colours</summary>
<p class="note">Hexadecimal digits; empty: the theme’s.</p>
<div class="fields">
${colours.map((colour) => text(wanted, `${colour}_color`, capitalized(colour), 'pattern="#?[0-9a-fA-F]{3,8}" placeholder="0969da" autocomplete="off"'))}
</div>
</details>`;
}

const noOrYes = [
  ['false', 'no'],
  ['true', 'yes'],
] as const;
const kindField: Readonly<Record<Field, (wanted: Wanted) => Markup>> = {
  limit: (wanted) => text(wanted, 'limit', 'How many at most', 'type="number" min="1" max="100" placeholder="30"'),
  bots: (wanted) => select(wanted, 'bots', 'With bots', noOrYes),
  columns: (wanted) => text(wanted, 'columns', 'Columns', 'type="number" min="1" max="6" placeholder="as fit"'),
  layout: (wanted) => select(wanted, 'layout', 'Layout', layouts.map(named)),
  by: (wanted) => select(wanted, 'by', 'By', streakUnits.map(named)),
  days_off: (wanted) => text(wanted, 'days_off', 'Days off', 'placeholder="sat,sun" autocomplete="off"'),
  raw: (wanted) => select(wanted, 'raw', 'Icons alone', noOrYes),
  period: (wanted) =>
    select(wanted, 'period', 'Period', [['', 'lifetime'], ...relativePeriods.map((one) => [one, one] as const)]),
  since: (wanted) => text(wanted, 'since', 'From day', 'type="date"'),
  until: (wanted) => text(wanted, 'until', 'To day', 'type="date"'),
  time_zone: (wanted) => text(wanted, 'time_zone', 'Time zone', 'placeholder="UTC"'),
};

function themes(wanted: Wanted): Markup {
  const chosen = wanted.get('theme') ?? 'auto';
  return html`<fieldset class="choices"><legend>Theme</legend>${themeNames.map(
    (theme) =>
      html`<label><input type="radio" name="theme" value="${theme}"${checked(theme === chosen)}>${swatch(palettesOf(theme))}${theme.replaceAll('-', ' ')}</label>`,
  )}</fieldset>`;
}

/** The parts of the card, checked where they are on it. */
function parts(wanted: Wanted): Markup | undefined {
  const { card } = kindOf(wanted);
  const { hideable, showable } = cardOf(card).parts;
  if (hideable.length + showable.length === 0) return undefined;
  const chosen = (name: 'hide' | 'show'): string[] => (wanted.get(name) ?? '').split(',');
  const isShown = (part: string): boolean =>
    hideable.includes(part) ? !chosen('hide').includes(part) : chosen('show').includes(part);
  return html`<fieldset class="choices"><legend>Parts</legend><input type="hidden" name="parts" value="${card}">${[
    ...hideable,
    ...showable,
  ].map(
    (part) =>
      html`<label><input type="checkbox" name="part" value="${part}"${checked(isShown(part))}>${part.replaceAll('_', ' ')}</label>`,
  )}</fieldset>`;
}

function result(wanted: Wanted, { publicUrl, profileUrl }: Site): Markup {
  const path = imagePath(wanted);
  if (path === undefined) return example(wanted);
  const base = publicUrl();
  const embedding: Embedding = {
    imageUrl: `${base}${path}`,
    linkUrl: profileUrl(wanted.get('provider') ?? 'github', wanted.get('name') ?? ''),
    altText: altTextOf(wanted),
  };
  return html`<h2>On a light and on a dark page</h2>
${previews(path, embedding.altText)}
<h2>To put into your page</h2>
${!isPublic(base) && html`<p class="warning" role="status">${base} is not an address of the internet, so that others cannot load the card. Set PUBLIC_URL to the address of this service that they reach.</p>`}
${snippets.map(({ id, label, write }) => snippet(id, label, write(embedding)))}`;
}

/** Shows the chosen card of an invented account. */
function example(wanted: Wanted): Markup {
  const { card } = kindOf(wanted);
  const path = isGalleryCard(card)
    ? galleryImagePath(card, wanted.get('theme') ?? 'auto', wanted.get('locale') ?? 'en')
    : undefined;
  return html`<h2>An example</h2><p>Name an account to see its own card.</p>${path !== undefined && previews(path, 'An example of the card')}`;
}

/** Shows the card on both kinds of pages. A PNG follows no screen, so that each kind has an address of its own. */
function previews(path: string, altText: string): Markup {
  const of = (theme: 'light' | 'dark'): Markup => {
    const address = /[?&]format=png(&|$)/.test(path) ? withTheme(path, theme) : path;
    return html`<div class="${theme}"><img src="${address}" alt="${altText}"></div>`;
  };
  return html`<div class="previews">${of('light')}${of('dark')}</div>`;
}

function snippet(id: string, label: string, content: string): Markup {
  return html`<p><label for="${id}">${label}</label>
<textarea id="${id}" readonly rows="3" spellcheck="false">${content}</textarea>
<button type="button" class="copy" data-copies="${id}" hidden>Copy ${label}</button></p>`;
}

/** @param attributes further attributes in HTML. */
function text(wanted: Wanted, name: string, label: string, attributes: string): Markup {
  return html`<p><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${wanted.get(name) ?? ''}" ${trusted(attributes)}></p>`;
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

function capitalized(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
