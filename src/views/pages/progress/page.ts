import type { Wait } from '../../../http/pipeline/envelope.ts';
import { fill, timeText } from '../../languages/language.ts';
import { accountPath } from '../layout/addresses.ts';
import { html, type Markup } from '../layout/html.ts';
import { renderDocument, type Site } from '../layout/layout.ts';
import type { Reader } from '../layout/reader.ts';
import { tipsPath } from '../layout/style.ts';
import type { Followed, Progress } from './store.ts';

/** The path of the script that fills in a page. */
export const progressScriptPath = '/pages/progress.js';

/**
 * Renders how many public repositories of an account are collected so far, or that the repository of a page is being
 * collected. The script of the page keeps the text current, and fills the page in once everything is collected.
 */
export function collectingLine({ provider, name, repository }: Followed, progress: Progress, reader: Reader): Markup {
  const { complete, total } = progress;
  const { number, words } = reader.language;
  const query = new URLSearchParams({ until: 'complete', ...(repository !== undefined && { repository }) }).toString();
  const path = `/pages/progress${accountPath(provider, name)}?${query}`;
  const isCounted = repository === undefined && total > 0;
  const text = isCounted
    ? fill(words.completeRepositories, { n: number(complete), total: number(total) })
    : words.collectingDetail;
  const counts =
    repository === undefined ? html`<span data-counts="${words.completeRepositories}">${text}</span>` : text;
  const waiting = waitText(provider, progress, reader);
  const state =
    waiting === undefined ? counts : html`<span data-failing>${isCounted && html`${text} · `}${waiting}</span>`;
  return html`<section><p class="note" role="status" data-progress="${path}"><strong>${words.collecting}</strong> · ${state}</p></section>`;
}

/** Returns whether nothing is being read just now, which pages then say. */
export function isStanding({
  wait: { reason, resumesAt },
  failingSince,
}: Pick<Progress, 'wait' | 'failingSince'>): boolean {
  return failingSince !== null || (resumesAt !== undefined && (reason === 'quota' || reason === 'allowance'));
}

/** Returns the reason why nothing is being read just now, and until when; undefined while something is. */
export function waitText(
  host: string,
  { wait: { reason, resumesAt }, failingSince }: Pick<Progress, 'wait' | 'failingSince'>,
  { language: { locale }, words }: Reader,
): string | undefined {
  if (failingSince !== null) return fill(words.notResponding, { host, time: timeText(failingSince, locale) });
  if (resumesAt === undefined) return undefined;
  if (reason === 'quota') return fill(words.waitsForQuota, { host, time: timeText(resumesAt, locale) });
  return reason === 'allowance' ? fill(words.waitsForAllowance, { time: timeText(resumesAt, locale) }) : undefined;
}

/** Returns whether lists that are being read may still change a page. */
export function isCollecting(progress: Progress | undefined): progress is Progress {
  return progress?.isOpen === true;
}

/** Renders a page whose account is still being looked up. Its script fills it in; without scripts there is a link. */
export function pendingPage(
  site: Site,
  reader: Reader,
  {
    provider,
    name,
    title,
    image,
    wait,
  }: { provider: string; name: string; title: string; image?: Markup; wait: Wait | undefined },
): string {
  const { words } = reader;
  const waiting = wait && waitText(provider, { wait, failingSince: null }, reader);
  return renderDocument(site, reader, {
    title,
    description: words.collectingDetail,
    // The page that takes this one's place has texts about numbers.
    scripts: [progressScriptPath, tipsPath],
    main: html`<section class="state" data-progress="/pages/progress${accountPath(provider, name)}">${image}
<h1>${title}</h1><p role="status">${waiting ?? words.collectingDetail}</p><p role="status" data-counts="${reader.language.words.completeRepositories}"></p><p><a class="button" href="">${words.refresh}</a></p></section>`,
  });
}
