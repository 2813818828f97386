import { pageLanguage } from '../../http/pipeline/page-language.ts';
import type { PageProblem } from '../../http/pipeline/send.ts';
import type { StartingPages } from '../../http/server/starting.ts';
import { problemText } from '../cards/card-images.ts';
import { fill } from '../languages/language.ts';
import type { PageWords } from '../languages/texts.ts';
import { html, type Markup, trusted } from './layout/html.ts';
import { renderDocument, type Site } from './layout/layout.ts';
import { type Reader, toReader } from './layout/reader.ts';
import { style } from './layout/style.ts';

/** Renders an error for readers of pages. */
export function problemPage(site: Site, reader: Reader, problem: PageProblem): string {
  const { words, language, to } = reader;
  const { title, detail } = problemText(withLabels(problem, words), language.words);
  const { status, explanations, retryAfterS } = problem;
  const home = to('/');
  return renderDocument(site, reader, {
    title,
    description: title,
    main: html`<section class="state"><p class="status">${status}</p><h1>${title}</h1><p${explanations.length === 0 && language.locale !== 'en' && trusted(' lang="en" dir="ltr"')}>${withLinks(detail)}</p>
${
  retryAfterS === undefined
    ? html`<p><a class="button" href="${home}">${words.backHome}</a></p>`
    : html`<p>${fill(words.tryAgain, { when: timeUntil(retryAfterS, language.locale) })}</p>
<p><a class="button" href="">${words.refresh}</a></p><p><a href="${home}">${words.backHome}</a></p>`
}</section>`,
  });
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
