import type { AccountName } from '../http/endpoint.ts';
import { endpointPath } from './addresses.ts';
import { html, type Markup } from './html.ts';
import { renderDocument, type Site } from './layout.ts';
import type { Reader } from './reader.ts';

/** Renders the start page. */
export function homePage(site: Site, reader: Reader): string {
  const { example } = site;
  const { words } = reader;
  return renderDocument(site, reader, {
    title: site.name,
    description: words.intro,
    path: '/',
    main: html`<section class="welcome"><h1>${words.tagline}</h1><p>${words.intro}</p></section>
${example !== undefined && examples(example, reader)}
<section><div class="heading"><h2>${words.inThreeSteps}</h2></div>
<ol class="steps">${words.steps.map((step) => html`<li>${step}</li>`)}</ol>
<p><a class="button" href="/cards">${words.composeCard}</a></p></section>`,
  });
}

function examples({ provider, name }: AccountName, { words, language }: Reader): Markup {
  const options = { format: 'svg', locale: language.locale };
  const cards = [
    { alt: words.contributions, path: endpointPath(provider, name, 'contributions', options) },
    { alt: language.words.achievementsTitle, path: endpointPath(provider, name, 'achievements', options) },
    { alt: words.year, path: endpointPath(provider, name, 'contributions', { card: 'calendar', ...options }) },
  ];
  return html`<section class="examples">${cards.map(({ alt, path }) => html`<img src="${path}" alt="${alt}">`)}</section>`;
}
