import { relativePeriods } from '../../windows/periods.ts';
import { cardOf } from '../index.ts';
import { locales } from '../languages/language.ts';
import { escapeText } from '../markup.ts';
import { themeNames } from '../themes.ts';
import { altTextOf, type Field, imagePath, kindOf, kinds, type Wanted } from './address.ts';
import { toHtml, toMarkdown } from './snippets.ts';

export interface PageContext {
  providers: readonly string[];
  /** The beginning of the URLs of this service for external clients. */
  publicUrl: string;
  /** Returns the URL of the account's own page on its code host. */
  profileUrl: (provider: string, name: string) => string;
}

const languageNames = new Intl.DisplayNames('en', { type: 'language' });
const colours = ['accent', 'background', 'text', 'muted', 'border'];

/** Returns the page on which a card is composed. It works by submitting the form; `script.js` updates it live. */
export function composerPage(wanted: Wanted, context: PageContext): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Cards · Plaudit</title>
<link rel="stylesheet" href="/cards/style.css">
<script src="/cards/script.js" defer></script>
</head>
<body>
<main>
<h1>Cards</h1>
<p>A card about the work of an account, for a README or any other page.</p>
<div class="composer">
<form method="get" action="/cards" id="form">
${formFields(wanted, context)}
<p><button type="submit">Show</button></p>
</form>
<div id="result">
${result(wanted, context)}
</div>
</div>
</main>
</body>
</html>
`;
}

function formFields(wanted: Wanted, { providers }: PageContext): string {
  const kind = kindOf(wanted);
  const { hideable, showable } = cardOf(kind.card).parts;
  return `<fieldset><legend>What</legend>
${select(wanted, 'provider', 'Code host', providers.map(named))}
${text(wanted, 'name', 'Account', 'required autocomplete="off" spellcheck="false"')}
${select(
  wanted,
  'card',
  'Picture',
  kinds.map(({ card, label }) => [card, label]),
)}
${kind.takesRepository ? text(wanted, 'repository', 'Repository (all if empty)', 'autocomplete="off" spellcheck="false"') : ''}
${kind.fields.map((field) => kindField[field](wanted)).join('\n')}
</fieldset>
<fieldset><legend>Look</legend>
${select(wanted, 'theme', 'Theme', themeNames.map(named))}
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
${checkboxes(wanted, 'hide', 'Leave out', hideable)}
${checkboxes(wanted, 'show', 'Add', showable)}
<details${colours.some((colour) => wanted.has(`${colour}_color`)) ? ' open' : ''}><summary>Colours</summary>
<p class="hint">Hexadecimal digits; empty: the theme’s.</p>
<div class="fields">
${colours.map((colour) => text(wanted, `${colour}_color`, capitalized(colour), 'pattern="#?[0-9a-fA-F]{3,8}" placeholder="0969da" autocomplete="off"')).join('\n')}
</div>
</details>`;
}

const noOrYes = [
  ['false', 'no'],
  ['true', 'yes'],
] as const;
const kindField: Readonly<Record<Field, (wanted: Wanted) => string>> = {
  limit: (wanted) => text(wanted, 'limit', 'How many at most', 'type="number" min="1" max="100" placeholder="30"'),
  bots: (wanted) => select(wanted, 'bots', 'With bots', noOrYes),
  columns: (wanted) => text(wanted, 'columns', 'Columns', 'type="number" min="1" max="6" placeholder="as fit"'),
  raw: (wanted) => select(wanted, 'raw', 'Icons alone', noOrYes),
  period: (wanted) =>
    select(wanted, 'period', 'Period', [['', 'lifetime'], ...relativePeriods.map((one) => [one, one] as const)]),
  since: (wanted) => text(wanted, 'since', 'From day', 'type="date"'),
  until: (wanted) => text(wanted, 'until', 'To day', 'type="date"'),
  time_zone: (wanted) => text(wanted, 'time_zone', 'Time zone', 'placeholder="UTC"'),
};

function result(wanted: Wanted, { publicUrl, profileUrl }: PageContext): string {
  const path = imagePath(wanted);
  if (path === undefined) return '<p>Name an account to see its card.</p>';
  const altText = altTextOf(wanted);
  const linkUrl = profileUrl(wanted.get('provider') ?? 'github', wanted.get('name') ?? '');
  const embedding = { imageUrl: `${publicUrl}${path}`, linkUrl, altText };
  const image = `<img src="${escapeText(path)}" alt="${escapeText(altText)}">`;
  return `<h2>On a light and on a dark page</h2>
<div class="previews"><div class="light">${image}</div><div class="dark">${image}</div></div>
<h2>To put into your page</h2>
${snippet('markdown', 'Markdown', toMarkdown(embedding))}
${snippet('html', 'HTML', toHtml(embedding))}`;
}

function snippet(id: string, label: string, content: string): string {
  return `<p><label for="${id}">${label}</label>
<textarea id="${id}" readonly rows="4" spellcheck="false">${escapeText(content)}</textarea>
<button type="button" class="copy" data-copies="${id}" hidden>Copy ${label}</button></p>`;
}

function text(wanted: Wanted, name: string, label: string, attributes: string): string {
  const value = escapeText(wanted.get(name) ?? '');
  return `<p><label for="${name}">${label}</label><input id="${name}" name="${name}" value="${value}" ${attributes}></p>`;
}

function select(wanted: Wanted, name: string, label: string, options: readonly (readonly [string, string])[]): string {
  const chosen = wanted.get(name);
  const optionElements = options.map(
    ([value, words]) =>
      `<option value="${escapeText(value)}"${value === chosen ? ' selected' : ''}>${escapeText(words)}</option>`,
  );
  return `<p><label for="${name}">${label}</label><select id="${name}" name="${name}">${optionElements.join('')}</select></p>`;
}

function checkboxes(wanted: Wanted, name: 'hide' | 'show', label: string, parts: readonly string[]): string {
  if (parts.length === 0) return '';
  const chosen = new Set((wanted.get(name) ?? '').split(','));
  const boxes = parts.map(
    (part) =>
      `<label><input type="checkbox" name="${name}" value="${part}"${chosen.has(part) ? ' checked' : ''}><span>${part.replaceAll('_', ' ')}</span></label>`,
  );
  return `<fieldset class="parts"><legend>${label}</legend>${boxes.join('\n')}</fieldset>`;
}

function named(value: string): readonly [string, string] {
  return [value, value.replaceAll('-', ' ')];
}

function capitalized(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}
