import { galleryPreviewPath } from '../gallery/page.ts';
import { html, type Markup, trusted } from '../layout/html.ts';
import { renderDocument, type Site } from '../layout/layout.ts';
import type { Reader } from '../layout/reader.ts';
import { docsPath, navigation } from './contents.ts';
import { documentPath } from './library.ts';
import type { Found } from './search.ts';

/** A page of the documentation: its path below `/docs`, and its content, which is in English. */
export interface Content {
  slug: string;
  title: string;
  main: Markup;
}

/** Renders a page with the navigation and the search. */
export function docsPage(site: Site, reader: Reader, { slug, title, main }: Content, query = ''): string {
  return renderDocument(site, reader, {
    title,
    description: `${title}: documentation of Plaudit`,
    path: query === '' ? documentPath(slug) : `${documentPath(slug)}?${new URLSearchParams({ q: query }).toString()}`,
    // The documentation is in English.
    previewPath: galleryPreviewPath('contributions', 'en'),
    main: html`<div class="docs" lang="en" dir="ltr">
${searchForm(query)}
<nav aria-label="Documentation">${navigation.map(
      ({ heading, entries }) =>
        html`<h2>${heading}</h2><ul>${entries.map(
          ([path, name]) =>
            html`<li><a href="${documentPath(path)}"${isAt(slug, path) && trusted(' aria-current="page"')}>${name}</a></li>`,
        )}</ul>`,
    )}</nav>
<article>${main}</article></div>`,
  });
}

/** Pages of the reference and decisions belong to their index. */
function isAt(slug: string, path: string): boolean {
  return slug === path || slug.startsWith(`${path}/`);
}

function searchForm(query: string): Markup {
  return html`<form class="search" action="${docsPath}/search" method="get" role="search" aria-label="Documentation"><input name="q" type="search" required maxlength="200" aria-label="Search the documentation" placeholder="Search" value="${query}"><button type="submit">Go</button></form>`;
}

const introductions: Readonly<Record<string, string>> = {
  Guide: 'Cards, windows of time, achievements, boards, private data.',
  API: 'Every address, parameter and field.',
  Operation: 'Run, configure, monitor and repair the service.',
  Development: 'How the service is made, and why.',
};

/** The first page: all groups with their documents. */
export function docsIndex(): Markup {
  return html`<h1>Documentation</h1>
<div class="groups">${navigation.map(
    ({ heading, entries }) =>
      html`<section><h2>${heading}</h2><p>${introductions[heading]}</p><ul>${entries.map(([path, name]) => html`<li><a href="${documentPath(path)}">${name}</a></li>`)}</ul></section>`,
  )}</div>`;
}

/** The results of a search. */
export function searchResults(query: string, found: readonly Found[]): Markup {
  return html`<h1>${query === '' ? 'Search' : `Search: ${query}`}</h1>
${found.length === 0 && html`<p>No part of the documentation contains all of these words.</p>`}
<ol class="found">${found.map(
    ({ path, title, heading, excerpt }) =>
      html`<li><a href="${path}">${title}${heading !== '' && ` › ${heading}`}</a><p>${excerpt}</p></li>`,
  )}</ol>`;
}
