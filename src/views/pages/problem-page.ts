import { pageLanguage } from '../../http/pipeline/page-language.ts';
import type { PageProblem } from '../../http/pipeline/send.ts';
import type { StartingPages } from '../../http/server/starting.ts';
import { problemText } from '../cards/card-images.ts';
import { fill } from '../languages/language.ts';
import type { PageWords } from '../languages/texts.ts';
import { html, type Markup, trusted } from './layout/html.ts';
import { renderDocument, type Site, searchForm } from './layout/layout.ts';
import { type Reader, toReader } from './layout/reader.ts';
import { style } from './layout/style.ts';

/**
 * Renders an error for readers of pages. A page for an address that leads nowhere has a search and links to near ones.
 * @param url the address that was requested.
 */
export function problemPage(site: Site, reader: Reader, problem: PageProblem, url = '/'): string {
  const { words, language } = reader;
  const { title, detail } = problemText(withLabels(problem, words), language.words);
  const { status, explanations, retryAfterS } = problem;
  return renderDocument(site, reader, {
    title,
    description: title,
    hasSearch: status === 404,
    main: html`<section class="state"><p class="status">${status}</p><h1>${title}</h1><p${explanations.length === 0 && language.locale !== 'en' && trusted(' lang="en" dir="ltr"')}>${withLinks(detail)}</p>
${status === 404 ? leadOn(site, reader, url) : leadBack(reader, retryAfterS)}</section>`,
  });
}

/** Renders a link to the start page, and where a retry can help the time of it. */
function leadBack({ words, language, to }: Reader, retryAfterS: number | undefined): Markup {
  const home = to('/');
  if (retryAfterS === undefined) return html`<p><a class="button" href="${home}">${words.backHome}</a></p>`;
  return html`<p>${fill(words.tryAgain, { when: timeUntil(retryAfterS, language.locale) })}</p>
<p><a class="button" href="">${words.refresh}</a></p><p><a href="${home}">${words.backHome}</a></p>`;
}

/** Renders a search, and links to the accounts that an address names, to the start page and to the documents. */
function leadOn(site: Site, reader: Reader, url: string): Markup {
  const { words, to } = reader;
  const [path = ''] = url.split('?', 1);
  const [provider = '', name = '', part] = path.split('/').slice(1);
  const host = site.providers.find((known) => known === provider.toLowerCase());
  const near = host === undefined || part === undefined || name === '' ? [] : findNear(site, host, name, part);
  return html`${searchForm(site, reader, host)}
<p class="actions">${near.map((account) => html`<a class="button" href="${to(`/${host}/${account}`)}">${toText(account)}</a> `)}<a class="quiet" href="${to('/')}">${words.backHome}</a> <a class="quiet" href="/docs">${words.docs}</a></p>`;
}

/** Returns the accounts, as parts of a path, that an address below an account may have meant. */
function findNear({ findKind }: Site, host: string, name: string, part: string): string[] {
  // At GitLab a group below another has the same address as a project.
  return findKind(host) === 'gitlab' ? [name, `${name}:${part}`] : [name];
}

/** Returns a part of a path as people read it; one that is encoded wrongly stays as it is. */
function toText(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll(':', '/');
  } catch {
    return part;
  }
}

/** Renders the path of the documentation in a message as a link. */
function withLinks(message: string): Markup {
  const [before = '', ...after] = message.split(/(?<=^| )\/docs(?= |$)/);
  return html`${before}${after.map((text) => html`<a href="/docs">/docs</a>${text}`)}`;
}

const units = [
  { unit: 'hour', seconds: 3600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const;

/** Returns a time from now in words, in the greatest unit of which it has two, such as "in 30 seconds". */
function timeUntil(afterS: number, locale: string): string {
  const { unit, seconds } = units.find((candidate) => afterS >= 2 * candidate.seconds) ?? units[2];
  return new Intl.RelativeTimeFormat(locale).format(Math.ceil(afterS / seconds), unit);
}

/** Returns a problem that calls the parameters of an address as the forms of pages call their fields. */
function withLabels(problem: PageProblem, { account, detail, owner }: PageWords): PageProblem {
  const labels = new Map([
    ['name', account],
    ['organization', owner.organization],
    ['since', detail.from],
    ['until', detail.until],
    ['time_zone', detail.timeZone],
  ]);
  const toLabel = (name: string): string => labels.get(name) ?? name;
  return {
    ...problem,
    message: problem.message.replace(/^[a-z_]+(?=:? )/, toLabel),
    explanations: problem.explanations.map(({ phrase, values = {} }) => ({
      phrase,
      values: values['name'] === undefined ? values : { ...values, name: toLabel(values['name']) },
    })),
  };
}

/** Returns the pages of a service that starts: errors, which need nothing of a running service, and their stylesheet. */
export function startingPages(site: Site): StartingPages {
  return {
    publicUrl: site.publicUrl,
    stylesheet: { path: site.stylePath, text: style },
    renderProblem: (problem, { url = '', headers }) =>
      problemPage(site, toReader(pageLanguage(site.locales, url, headers['accept-language'])), problem),
  };
}
