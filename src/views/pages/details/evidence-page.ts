import { type Static, type TObject, Type } from 'typebox';
import type { Connection } from '../../../database/connections/connection.ts';
import type { PartRequest } from '../../../http/pipeline/endpoint-registry.ts';
import type { Envelope } from '../../../http/pipeline/envelope.ts';
import type { Page, PageContext, PageServices } from '../../../http/pipeline/pages.ts';
import type { Account } from '../../../model/account.ts';
import { fill } from '../../languages/language.ts';
import type { PageWords } from '../../languages/texts.ts';
import { olderLink } from '../account/sections.ts';
import {
  type PageWindow,
  PrivateParameter,
  privateQuery,
  readPageWindow,
  renderChange,
  WindowQuery,
  windowPicker,
} from '../account/window-picker.ts';
import { accountPath, endpointPath, previewPath, repositoryPath, withQuery } from '../layout/addresses.ts';
import { html, type Markup } from '../layout/html.ts';
import { renderDocument, type Site } from '../layout/layout.ts';
import { type Part, partReader, unlessMoved } from '../layout/parts.ts';
import { type Reader, toReader } from '../layout/reader.ts';
import { collectingLine, isCollecting, pendingPage, progressScriptPath } from '../progress/page.ts';
import { countProgress, type Progress } from '../progress/store.ts';

/** The reasons in lists that have pages. */
const reasons = ['host-total', 'private', 'erased-account', 'earned-once'] as const;

const Item = Type.Object({
  kind: Type.Union([Type.Null(), Type.String()]),
  repository: Type.Union([Type.Null(), Type.String()]),
  number: Type.Optional(Type.Union([Type.Null(), Type.Integer()])),
  title: Type.String(),
  url: Type.String(),
  occurred_dttm: Type.String(),
  points: Type.Optional(Type.Number()),
  amount: Type.Optional(Type.Integer()),
  files: Type.Optional(Type.Integer()),
});
type Item = Static<typeof Item>;
const readPart = partReader(Item);
const shownItems = 50;
const after = Type.Optional(Type.String({ maxLength: 500 }));
/** The parameter of pages that chooses a frozen season of a board. */
export const SeasonNumber = Type.Optional(
  Type.String({
    pattern: '^[1-9][0-9]{0,4}$',
    'x-expected': 'an integer from 1 to 99999',
    'x-explanation': { phrase: 'integerBetween', values: { min: '1', max: '99999' } },
  }),
);

/** The parameters of pages, by the windows that their readers can choose. */
const queries = {
  periods: Type.Object({ ...WindowQuery.properties, after }),
  /** Periods, with or without private contributions. */
  visibility: Type.Object({ ...WindowQuery.properties, after, private: PrivateParameter }),
  seasons: Type.Object({ after, season: SeasonNumber }),
  none: Type.Object({ after }),
};

interface Data extends Part<Item> {
  meta: Envelope['meta_data'];
  next: string | undefined;
  within: PageWindow;
  /** The number in the previous window; undefined where it is not known. */
  before: number | undefined;
  /** Counts the repositories that are collected; undefined where the number is complete. */
  collected: Progress | undefined;
}

interface Services extends Pick<PageServices, 'now'> {
  site: Site;
  connection: Connection;
}

interface NumberDescription {
  path: string;
  title: string;
  /** The login of the person whose number it is; absent: the account of the page. */
  person?: string;
  /** The path of the endpoint, below the account. */
  endpoint: string;
  /** The repository that it is about; absent: all. */
  repository?: string;
  definition: readonly string[];
  /** The endpoint below the account whose card previews of links show, with its parameters. */
  preview: readonly [endpoint: string, query?: Record<string, string>];
}

/** The facts about a number beside its items. */
export interface NumberDetails {
  total: number;
  /** The subject of the title, where only the response names it. */
  subject?: string;
  /** The points that differ from the sum of their items. */
  changed: number;
  /** The link to the list that has the number. */
  listLink: Markup;
  /** The window, and the way to the number that is wanted. */
  facts: Markup;
  /** The parts of the number; absent: it has one. */
  parts?: Markup;
}

/** A kind of number with a page of its items. */
export interface NumberKind<Path extends TObject> {
  path: string;
  params: Path;
  operationId: string;
  /** The windows that readers can choose; `none` where the number has its own. */
  windows: Exclude<keyof typeof queries, 'visibility'>;
  /** True for a number that also exists with private contributions. */
  canBePrivate?: boolean;
  /** True for a number that comes from repositories of the account, also where the host reports the numbers of persons. */
  isOfOwned?: boolean;
  partRequest: (params: Static<Path>) => PartRequest;
  /** Returns more about the number than its items, from the response; absent: there is no more. */
  details?: (
    meta: unknown,
    account: Pick<Account, 'provider' | 'name'> & { season: string | undefined },
    reader: Reader,
  ) => NumberDetails;
  /** The path of the page, the title, and the endpoint of the API below the account. */
  describe: (
    params: Static<Path>,
    account: Pick<Account, 'provider' | 'name' | 'type'>,
    reader: Reader,
  ) => NumberDescription;
}

/** Returns the page with the items behind a kind of number. */
export function evidencePage<Path extends TObject>(
  { site, connection, now }: Services,
  kind: NumberKind<Path>,
): Page<Path, Data> {
  return {
    path: kind.path,
    params: kind.params,
    query: kind.canBePrivate === true ? queries.visibility : queries[kind.windows],
    load: async (read, { account, provider, params, query: { after, season, ...query } }) => {
      const within = readPageWindow(kind.windows === 'periods' ? query : {}, now(), account);
      const visible = within.withPrivate ? { private: true } : {};
      const request = kind.partRequest(params);
      const result = unlessMoved(
        await read(kind.operationId, {
          ...request,
          query: { ...within.texts, ...visible, ...(season !== undefined && { season: Number(season) }) },
          window: within.window,
          limit: shownItems,
          after,
        }),
      );
      const part = unlessMoved(readPart(result));
      if (result === undefined || part === undefined) return undefined;
      const { meta_data: meta, next_cursor: next } = result.envelope;
      // A window of the host's own numbers would take another request to the host.
      const hasBefore = within.before !== undefined && meta.source !== 'host' && after === undefined;
      const earlier = hasBefore
        ? await read(kind.operationId, { ...request, query: visible, window: within.before, limit: 1 })
        : undefined;
      const before = unlessMoved(earlier)?.envelope.meta_data;
      const followed = { provider: provider.name, name: account.name, repository: request.params?.['repository'] };
      const reportsTotals = kind.isOfOwned !== true && provider.accounts.reportsTotals;
      const isComplete = part.missing.length === 0;
      const collected = isComplete
        ? undefined
        : await countProgress(connection, followed, { now: now(), reportsTotals });
      return { ...part, meta, next, within, before: before?.missing?.length ? undefined : before?.total, collected };
    },
    render: (data, context, language) => ({
      html: render(site, toReader(language), kind, data, context),
      isComplete: data.missing.length === 0,
      staleAt: data.staleAt,
    }),
    renderPending: ({ provider, name }, language, wait) => {
      const reader = toReader(language);
      return pendingPage(site, reader, { provider, name, title: reader.words.detail.evidence, wait });
    },
  };
}

function render<Path extends TObject>(
  site: Site,
  reader: Reader,
  kind: NumberKind<Path>,
  data: Data,
  { account, params, query: { season } }: PageContext<Static<Path>>,
): string {
  const { words, language, to } = reader;
  const { detail } = words;
  const { provider, name } = account;
  const { path, title, person, endpoint, repository, definition, preview } = kind.describe(params, account, reader);
  const visible = privateQuery(data.within.withPrivate);
  const query = { ...data.within.texts, ...visible, ...(season !== undefined && { season }) };
  const details = kind.details?.(data.meta, { ...account, season }, reader);
  const { total = details?.total } = data.meta;
  const subject = person ?? details?.subject;
  const whose = subject === undefined ? title : `${title}: ${subject}`;
  const count = total ?? data.items.length;
  return renderDocument(site, reader, {
    title: `${whose} · ${name}`,
    description: `${detail.evidence}: ${whose}, ${name}`,
    path: withQuery(path, season === undefined ? visible : { season }),
    // The board of a frozen season may have no card any more.
    previewPath:
      season === undefined ? previewPath(provider, name, ...preview) : previewPath(provider, name, 'contributions'),
    isAboutAccount: true,
    scripts: isCollecting(data.collected) ? [progressScriptPath] : [],
    main: html`<section class="title"><p class="handle"><a href="${to(accountPath(provider, name))}">${account.displayName || name}</a>${repository !== undefined && html` · <a href="${to(repositoryPath(provider, name, repository))}">${repository}</a>`}${details !== undefined && html` · ${details.listLink}`} · ${detail.evidence}</p>
<h1>${title}${subject !== undefined && html`: <bdi>${subject}</bdi>`}${total !== undefined && html` <span class="total">${language.number(count)}</span> ${renderChange(count, data.before, reader)}`}</h1>
${definition.map((text) => html`<p class="bio">${text}</p>`)}
${details?.facts}${kind.windows === 'periods' && windowPicker(path, data.within, reader)}
${data.asOf !== undefined && html`<p class="note"><time datetime="${data.asOf.toISOString()}">${fill(language.words.asOf, { date: language.date(data.asOf) })}</time></p>`}</section>
${isCollecting(data.collected) && collectingLine({ provider, name, repository }, data.collected, reader)}
${details?.parts}
<section><div class="heading"><h2>${detail.evidence}</h2><a class="quiet" href="${endpointPath(provider, name, endpoint, query)}">${words.asData}</a></div>
${data.items.length === 0 ? html`<p class="empty">${words.owner.nothingHere}</p>` : html`<ul class="entries">${data.items.map((item) => entry(item, reader))}</ul>`}
${data.next !== undefined && olderLink(path, { ...query, after: data.next }, reader)}
${renderRemainder(data.meta, details?.changed ?? 0, reader)}</section>`,
  });
}

function entry(item: Item, { language }: Reader): Markup {
  const { title, url, repository, number, occurred_dttm: at, amount, points = amount, files } = item;
  const itemName = `${repository ?? ''}${number === null || number === undefined ? '' : ` #${number}`}`;
  const label = title || itemName || url;
  const part = points === undefined ? files && language.plural('changedFiles', files) : language.number(points);
  return html`<li><strong>${url === '' ? label : html`<a href="${url}" rel="nofollow ugc">${label}</a>`}</strong>${part !== undefined && html` <span class="chip">${part}</span>`}
<small>${title !== '' && html`<bdi>${itemName}</bdi> · `}<time datetime="${at}">${language.date(new Date(at))}</time></small></li>`;
}

/**
 * Renders the part of a number of which no items are listed, one sentence for each reason.
 * @param changed the points that differ from the sum of their items.
 */
function renderRemainder(
  { remainder = {}, host_search: search }: Envelope['meta_data'],
  changed: number,
  reader: Reader,
): Markup | false {
  const { words, language } = reader;
  const parts = reasons.flatMap((reason) => {
    const count = remainder[reason] ?? 0;
    if (count === 0) return [];
    const text = fill(findSentence(reason, words.detail), { n: language.number(count) });
    const isSearch = reason === 'host-total' && search !== undefined;
    return [html`<li>${isSearch ? html`<a href="${search}" rel="nofollow">${text}</a>` : text}</li>`];
  });
  if (changed !== 0) parts.push(html`<li>${fill(words.detail.changedSince, { n: language.signed(changed) })}</li>`);
  return (
    parts.length > 0 && html`<div class="note"><p>${words.detail.remainder}:</p><ul class="rest">${parts}</ul></div>`
  );
}

function findSentence(reason: (typeof reasons)[number], detail: PageWords['detail']): string {
  if (reason === 'private') return detail.inPrivate;
  if (reason === 'erased-account') return detail.ofErased;
  if (reason === 'earned-once') return detail.ofSeveral;
  return detail.hostMore;
}
