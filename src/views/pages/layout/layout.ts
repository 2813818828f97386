import type { HostKind } from '../../../hosts/config/host-settings.ts';
import type { AccountName } from '../../../http/pipeline/endpoint.ts';
import { basePathIn, withBaseInPage } from '../../../http/server/base-path.ts';
import { previewSize } from '../../cards/drawing/frame.ts';
import { locales } from '../../languages/texts.ts';
import { html, type Markup, trusted } from './html.ts';
import type { Logo } from './logo.ts';
import { oncePerLanguage, type Reader, withLanguage } from './reader.ts';

/** The site as its operator configured it. */
export interface Site {
  name: string;
  /** Undefined: the mark of the service. */
  logo: Logo | undefined;
  /** The address of the operator's imprint; undefined where there is none. */
  imprintUrl: string | undefined;
  /** True when search engines may list pages about accounts. */
  isIndexed: boolean;
  /** Returns the public base URL of this service, without a trailing slash. */
  publicUrl: () => string;
  /** The code hosts, the first one preselected. */
  providers: readonly string[];
  /** Returns the names of the hosts with which people can sign in. */
  signInHosts: () => readonly string[];
  /** Returns the address of an account on its code host. */
  profileUrl: (provider: string, name: string) => string;
  /** Returns the kind of a code host; undefined for one that is not configured. */
  findKind: (provider: string) => HostKind | undefined;
  /** The path of the stylesheet, which changes with its content. */
  stylePath: string;
  locales: readonly string[];
  /** The account whose cards the start page shows. */
  example: AccountName | undefined;
}

export interface Document {
  title: string;
  description: string;
  /** The path of the page, for its canonical address; undefined for pages that are no result, such as errors. */
  path?: string;
  /** The path of the page for links to other languages, where it has no canonical address. */
  ownPath?: string;
  /** The path of a card for previews in other services. */
  previewPath?: string;
  /** True for pages about accounts, which search engines list only if the operator allows it. */
  isAboutAccount?: boolean;
  /** True when the content of the page has the search form. */
  hasSearch?: boolean;
  /** The paths of scripts, without which the page works too. */
  scripts?: readonly string[];
  /** Feeds about the subject of the page. */
  feeds?: readonly { path: string; title: string }[];
  /** Facts about the subject of the page in the vocabulary of schema.org. */
  facts?: object;
  main: Markup;
}

/** Returns a whole page, with addresses below the path of the public URL. */
export function renderDocument(site: Site, reader: Reader, document: Document): string {
  return withBaseInPage(renderAtRoot(site, reader, document), basePathIn(site.publicUrl()));
}

function renderAtRoot(site: Site, reader: Reader, document: Document): string {
  const { title, description, main, scripts = [], ownPath, path = ownPath ?? '/' } = document;
  const { language } = reader;
  const { top, foot } = provideFrame(site, reader, document);
  return `<!doctype html>\n${html`<html lang="${language.locale}" dir="${language.isRightToLeft ? 'rtl' : 'ltr'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === site.name ? title : `${title} · ${site.name}`}</title>
<meta name="description" content="${description}">
${head(site, document)}
<link rel="stylesheet" href="${site.stylePath}">
${scripts.map((path) => html`<script src="${path}" defer></script>`)}
${top}
${main}
${foot}
${languageLinks(path, reader)}</div></footer>
</body>
</html>
`}`;
}

/** The parts of a page around its content. */
interface Frame {
  top: Markup;
  foot: Markup;
}

const frames = new WeakMap<Site, Map<string, Frame>>();

/** Returns the parts around the content of a page, which are made once for each language and for all pages of a kind. */
function provideFrame(site: Site, reader: Reader, { hasSearch = false }: Document): Frame {
  const hasSignIn = site.signInHosts().length > 0;
  const key = `${reader.language.locale} ${reader.to('/')} ${hasSearch} ${hasSignIn}`;
  const known = frames.get(site) ?? new Map<string, Frame>();
  const frame = known.get(key) ?? makeFrame(site, reader, { hasSearch, hasSignIn });
  frames.set(site, known.set(key, frame));
  return frame;
}

function makeFrame(
  site: Site,
  reader: Reader,
  { hasSearch, hasSignIn }: { hasSearch: boolean; hasSignIn: boolean },
): Frame {
  const { words, to } = reader;
  const top = html`<link rel="icon" href="/favicon.svg" type="image/svg+xml">
</head>
<body>
<a class="skip" href="#main">${words.skip}</a>
<header class="top"><div>
<a class="brand" href="${to('/')}">${brand(site)} ${site.name}</a>
<nav aria-label="${site.name}"><a href="/cards">${words.cards}</a><a href="${to('/gallery')}">${words.gallery}</a><a href="/docs">${words.docs}</a>${
    hasSignIn && html`<a href="${to('/settings')}">${words.owner.settings}</a>`
  }</nav>
${!hasSearch && searchForm(site, reader)}
</div></header>
<main id="main">`;
  const foot = html`</main>
<footer class="foot"><div><p><a href="${to('/')}">${site.name}</a> · <a href="/docs">${words.docs}</a>${
    site.imprintUrl !== undefined && html` · <a href="${site.imprintUrl}">${words.imprint}</a>`
  }</p>`;
  return { top, foot };
}

function brand({ logo }: Site): Markup {
  if (logo === undefined) return mark;
  return html`<img class="logo" src="${logo.path}" alt="" width="${logo.width}" height="${logo.height}">`;
}

/** The mark of the service: an open ring, as around avatars. */
export const mark = html`<svg class="mark" viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="8.5" fill="none" stroke="currentColor" stroke-opacity=".3" stroke-width="4"/><path d="M12 3.5a8.5 8.5 0 1 1-8.08 5.86" fill="none" stroke="currentColor" stroke-width="4" stroke-linecap="round"/></svg>`;

function head(
  site: Site,
  { title, description, path, previewPath, isAboutAccount, feeds = [], facts }: Document,
): Markup {
  const base = site.publicUrl();
  const isListed = path !== undefined && (isAboutAccount !== true || site.isIndexed);
  return html`${!isListed && html`<meta name="robots" content="noindex">`}
${path !== undefined && html`<link rel="canonical" href="${base}${path}"><meta property="og:url" content="${base}${path}">`}
<meta property="og:title" content="${title}"><meta property="og:description" content="${description}">
<meta property="og:type" content="${isAboutAccount === true ? 'profile' : 'website'}"><meta property="og:site_name" content="${site.name}">
${previewPath !== undefined && html`<meta property="og:image" content="${base}${previewPath}"><meta property="og:image:width" content="${previewSize.width}"><meta property="og:image:height" content="${previewSize.height}"><meta name="twitter:card" content="summary_large_image">`}
${feeds.map(({ path: feed, title: of }) => html`<link rel="alternate" type="application/atom+xml" title="${of}" href="${feed}">`)}
${facts !== undefined && factsScript(facts)}`;
}

/** Embeds facts as JSON-LD. It is data, which browsers do not run, so that the content security policy permits it. */
function factsScript(facts: object): Markup {
  const json = JSON.stringify({ '@context': 'https://schema.org', ...facts });
  return html`<script type="application/ld+json">${trusted(json.replaceAll('<', '\\u003c'))}</script>`;
}

/** Renders links to the same page in all languages, by their own names. */
function languageLinks(path: string, reader: Reader): Markup {
  const address = html`${withLanguage(path, '')}`.toString();
  return trusted(aroundAddresses(reader).join(address));
}

/** Stands for the address of a page, and occurs in no markup. */
const addressMark = '\0';

/** Returns the markup before, between and behind the addresses of these links, which all pages in a language share. */
const aroundAddresses = oncePerLanguage(({ words, language }) => {
  const links = locales.map((locale) => {
    const name = new Intl.DisplayNames(locale, { type: 'language' }).of(locale);
    const current = locale === language.locale && trusted(' aria-current="true"');
    const link = html`<a href="${addressMark}${locale}"${current} lang="${locale}" hreflang="${locale}">${name}</a>`;
    return trusted(inLatin1(link.toString()));
  });
  return html`<nav class="languages" aria-label="${words.language}">${links}</nav>`.toString().split(addressMark);
});

/**
 * Replaces the characters beyond Latin-1 by references. One of them makes V8 keep the whole page in two bytes for each
 * character, and encoding that as UTF-8 takes four times as long. V8 would also keep the result of `replaceAll` so.
 */
function inLatin1(markup: string): string {
  return Array.from(markup, (character) => (character <= '\u00ff' ? character : `&#${character.codePointAt(0)};`)).join(
    '',
  );
}

/**
 * The form that leads to the page of an account or a repository.
 * @param chosen the code host that is preselected; undefined: the first one.
 */
export function searchForm({ providers }: Site, { words, language, to }: Reader, chosen?: string): Markup {
  return html`<form class="search" action="/find" method="get" role="search">
${
  providers.length > 1
    ? html`<select name="provider" aria-label="${words.host}">${providers.map((name) => html`<option${name === chosen && trusted(' selected')}>${name}</option>`)}</select>`
    : html`<input type="hidden" name="provider" value="${providers[0] ?? ''}">`
}
<input name="name" type="search" required maxlength="1000" aria-label="${words.account}" placeholder="${words.search}" autocomplete="off" autocapitalize="off" spellcheck="false">
${to('/') !== '/' && html`<input type="hidden" name="lang" value="${language.locale}">`}<button type="submit">${words.show}</button>
</form>`;
}
