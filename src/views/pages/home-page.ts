import type { AccountName } from '../../http/pipeline/endpoint.ts';
import { calendarPicture } from './account/sections.ts';
import { galleryImagePath, galleryPreviewPath, phonePicture } from './gallery/page.ts';
import { composerPath, endpointPath, previewPath } from './layout/addresses.ts';
import { html, type Markup } from './layout/html.ts';
import { renderDocument, type Site, searchForm } from './layout/layout.ts';
import type { Reader } from './layout/reader.ts';

/** Renders the start page. */
export function homePage(site: Site, reader: Reader): string {
  const { words } = reader;
  return renderDocument(site, reader, {
    title: site.name,
    description: words.intro,
    path: '/',
    previewPath: toPreviewPath(site.example, reader),
    hasSearch: true,
    main: html`<section class="welcome"><h1>${words.tagline}</h1><p>${words.intro}</p>${searchForm(site, reader)}</section>
${examples(site.example, reader)}
<section><div class="heading"><h2>${words.inThreeSteps}</h2></div>
<ol class="steps">${words.steps.map((step) => html`<li>${step}</li>`)}</ol>
<p class="actions"><a class="button" href="/cards">${words.composeCard}</a> <a class="quiet" href="/docs/start">${words.docs}</a></p></section>`,
  });
}

function toPreviewPath(account: AccountName | undefined, { language: { locale } }: Reader): string {
  return account === undefined
    ? galleryPreviewPath('contributions', locale)
    : previewPath(account.provider, account.name, 'contributions', { locale });
}

/** Shows cards of the account that the operator chose, or samples, each with a link to its composer. */
export function examples(account: AccountName | undefined, reader: Reader): Markup {
  const { words, language, to } = reader;
  const options = { format: 'svg', locale: language.locale };
  const cards = [
    { alt: words.contributions, card: 'contributions', endpoint: 'contributions', query: options },
    { alt: language.words.achievementsTitle, card: 'achievements', endpoint: 'achievements', query: options },
    { alt: words.year, card: 'calendar', endpoint: 'contributions', query: { card: 'calendar', ...options } },
  ] as const;
  return html`<section class="examples">${cards.map(({ alt, card, endpoint, query }) => {
    const toPath = (width?: string): string =>
      account === undefined
        ? galleryImagePath(card, { theme: 'auto', locale: language.locale, ...(width && { width }) })
        : endpointPath(account.provider, account.name, endpoint, { ...query, ...(width && { width }) });
    const image = card === 'calendar' ? calendarPicture(toPath, reader) : phonePicture(toPath, alt);
    const composer = composerPath({ card, ...(account && { provider: account.provider, name: account.name }) });
    return html`<a href="${to(composer)}">${image}</a>`;
  })}</section>`;
}
