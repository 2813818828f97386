import { endpointPath } from './addresses.ts';
import { html, type Markup } from './html.ts';
import { renderDocument, type Site } from './layout.ts';
import { pageWords as words } from './words.ts';

/** An account whose cards the start page shows. */
export interface Example {
  provider: string;
  name: string;
}

/** Renders the start page. */
export function homePage(site: Site, example: Example | undefined): string {
  return renderDocument(site, {
    title: site.name,
    description: words.intro,
    path: '/',
    main: html`<section class="welcome"><h1>${words.tagline}</h1><p>${words.intro}</p></section>
${example !== undefined && examples(example)}
<section><div class="heading"><h2>${words.inThreeSteps}</h2></div>
<ol class="steps">${words.steps.map((step) => html`<li>${step}</li>`)}</ol>
<p><a class="button" href="/cards">${words.composeCard}</a></p></section>`,
  });
}

function examples({ provider, name }: Example): Markup {
  const cards = [
    { alt: words.contributions, path: endpointPath(provider, name, 'contributions', { format: 'svg' }) },
    { alt: words.achievements, path: endpointPath(provider, name, 'achievements', { format: 'svg' }) },
    { alt: words.year, path: endpointPath(provider, name, 'contributions', { card: 'calendar', format: 'svg' }) },
  ];
  return html`<section class="examples">${cards.map(({ alt, path }) => html`<img src="${path}" alt="${alt}">`)}</section>`;
}
