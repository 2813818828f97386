import { examples } from '../home-page.ts';
import { composerPath } from '../layout/addresses.ts';
import { html } from '../layout/html.ts';
import { renderDocument, type Site, searchForm } from '../layout/layout.ts';
import type { Reader } from '../layout/reader.ts';

/** Renders the page of a code host: a search there, cards, and the document about the host. */
export function hostPage(site: Site, reader: Reader, provider: string): string {
  const { words } = reader;
  const { host } = new URL(site.profileUrl(provider, ''));
  const example = site.example?.provider === provider ? site.example : undefined;
  return renderDocument(site, reader, {
    title: host,
    description: `${words.search} · ${host}`,
    path: `/${provider}`,
    hasSearch: true,
    main: html`<section class="welcome"><h1>${host}</h1><p>${words.intro}</p>${searchForm(site, reader, provider)}</section>
${examples(example, reader)}
<p class="actions"><a class="button" href="${composerPath({ provider })}">${words.composeCard}</a> <a class="quiet" href="${documentPath(site, provider)}">${words.docs}</a></p>`,
  });
}

function documentPath({ findKind }: Site, provider: string): string {
  const kind = findKind(provider);
  if (kind === undefined) return '/docs';
  return `/docs/providers/${kind === 'forgejo' ? 'gitea' : kind}`;
}
