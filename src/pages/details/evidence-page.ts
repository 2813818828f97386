import { type Static, type TObject, Type } from 'typebox';
import type { Account } from '../../accounts/store.ts';
import { fill } from '../../cards/languages/language.ts';
import { counterNames } from '../../contributions/counters.ts';
import { languageNamed } from '../../contributions/languages/linguist.ts';
import { type AccountName, AccountPath, MovedRepository, RepositoryPath } from '../../http/endpoint.ts';
import type { PartRequest } from '../../http/endpoints.ts';
import type { Envelope } from '../../http/envelope.ts';
import type { Page, PageContext } from '../../http/pages.ts';
import {
  accountPath,
  boardPath,
  contributorPath,
  counterPath,
  endpointPath,
  languagePath,
  previewPath,
  repositoryCounterPath,
  repositoryPath,
} from '../addresses.ts';
import { definitionOf, definitionsOf } from '../definitions/index.ts';
import { html, type Markup } from '../html.ts';
import { renderDocument, type Site } from '../layout.ts';
import { type Part, partReader } from '../parts.ts';
import { pendingPage } from '../progress/page.ts';
import { type Reader, readerOf } from '../reader.ts';
import { changeOf, type PageWindow, WindowQuery, windowOf, windowPicker, withQuery } from '../windows.ts';
import { pointsDetails } from './board-evidence.ts';
import { olderLink, SeasonNumber } from './parts.ts';
import { remainderOf } from './remainder.ts';

const Item = Type.Object({
  kind: Type.Union([Type.Null(), Type.String()]),
  repository: Type.Union([Type.Null(), Type.String()]),
  number: Type.Optional(Type.Union([Type.Null(), Type.Integer()])),
  title: Type.String(),
  url: Type.String(),
  occurred_dttm: Type.String(),
  points: Type.Optional(Type.Number()),
  files: Type.Optional(Type.Integer()),
});
type Item = Static<typeof Item>;
const readPart = partReader(Item);
const shownItems = 50;
const countersOfRepositories = counterNames.filter((name) => name !== 'contributed_to');
const Query = Type.Object({ ...WindowQuery.properties, after: Type.Optional(Type.String({ maxLength: 500 })) });
const SeasonQuery = Type.Object({ ...Query.properties, season: SeasonNumber });

interface Data extends Part<Item> {
  meta: Envelope['meta_data'];
  next: string | undefined;
  within: PageWindow;
  /** The number in the previous window; undefined where it is not known. */
  before: number | undefined;
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

/** A kind of number with a page of its items. */
interface NumberKind<Path extends TObject> {
  path: string;
  params: Path;
  operationId: string;
  /** False: the number has a window of its own, and those of frozen seasons. */
  hasPeriods: boolean;
  partRequest: (params: Static<Path>) => PartRequest;
  /** Returns more about the number than its items, from the response; absent: there is no more. */
  details?: typeof pointsDetails;
  /** The path of the page, the title, and the endpoint of the API below the account. */
  describe: (
    params: Static<Path>,
    account: Pick<Account, 'provider' | 'name' | 'type'>,
    reader: Reader,
  ) => NumberDescription;
}

/** Returns the pages with the items behind numbers: of counters, languages, contributors and people on boards. */
export function evidencePages(site: Site, provider: string, now: () => Date) {
  return {
    counter: evidencePage(site, now, {
      path: `/${provider}/:name/contributions/:counter`,
      params: Type.Object({ ...AccountPath.properties, counter: Type.Enum([...counterNames]) }),
      operationId: 'listCounterEvidence',
      hasPeriods: true,
      partRequest: ({ counter }) => ({ params: { counter } }),
      describe: ({ counter }, { provider: host, name, type }, reader) => ({
        path: counterPath(host, name, counter),
        title: reader.language.words[counter],
        endpoint: `contributions/${counter}`,
        preview: ['contributions'],
        definition: definitionsOf(counter, { isOfAll: type === 'organization' }, reader),
      }),
    }),
    contributor: evidencePage(site, now, {
      path: `/${provider}/:name/contributors/:login`,
      params: Type.Object({ ...AccountPath.properties, login: Type.String({ maxLength: 255 }) }),
      operationId: 'listContributorEvidence',
      hasPeriods: true,
      partRequest: ({ login }) => ({ params: { login } }),
      describe: ({ login }, { provider: host, name }, reader) => ({
        path: contributorPath(accountPath(host, name), login),
        title: reader.words.contributions,
        person: login,
        endpoint: `contributors/${encodeURIComponent(login)}/evidence`,
        preview: ['contributors'],
        definition: [definitionOf('contributions', reader)],
      }),
    }),
    language: evidencePage(site, now, {
      path: `/${provider}/:name/contributions/languages/:language`,
      params: Type.Object({ ...AccountPath.properties, language: Type.String({ maxLength: 64 }) }),
      operationId: 'listLanguageEvidence',
      hasPeriods: true,
      partRequest: ({ language }) => ({ params: { language } }),
      describe: ({ language }, { provider: host, name }, reader) => ({
        path: languagePath(host, name, language),
        title: languageNamed(language) ?? language,
        endpoint: `contributions/languages/${encodeURIComponent(language)}`,
        preview: ['contributions', { card: 'languages' }],
        definition: [definitionOf('languages', reader)],
      }),
    }),
    ...repositoryPages(site, provider, now),
    boardPerson: evidencePage(site, now, {
      path: `/${provider}/:name/boards/:slug/people/:login`,
      params: Type.Object({
        ...AccountPath.properties,
        slug: Type.String({ maxLength: 64 }),
        login: Type.String({ maxLength: 255 }),
      }),
      operationId: 'listBoardEvidence',
      hasPeriods: false,
      details: pointsDetails,
      partRequest: ({ slug, login }) => ({ params: { slug, login } }),
      describe: ({ slug, login }, { provider: host, name }, reader) => ({
        path: `${boardPath(host, name, slug)}/people/${encodeURIComponent(login)}`,
        title: reader.words.detail.points,
        person: login,
        endpoint: `boards/${slug}/people/${encodeURIComponent(login)}`,
        preview: [`boards/${slug}`],
        definition: [definitionOf('points', reader)],
      }),
    }),
  };
}

/** The pages about one repository. */
function repositoryPages(site: Site, provider: string, now: () => Date) {
  return {
    repositoryContributor: evidencePage(site, now, {
      path: `/${provider}/:name/:repository/contributors/:login`,
      params: Type.Object({ ...RepositoryPath.properties, login: Type.String({ maxLength: 255 }) }),
      operationId: 'listRepositoryContributorEvidence',
      hasPeriods: true,
      partRequest: ({ repository, login }) => ({ params: { repository, login } }),
      describe: ({ repository, login }, { provider: host, name }, reader) => ({
        path: contributorPath(repositoryPath(host, name, repository), login),
        title: reader.words.contributions,
        person: login,
        repository,
        endpoint: `repositories/${encodeURIComponent(repository)}/contributors/${encodeURIComponent(login)}/evidence`,
        preview: ['contributors', { repository }],
        definition: [definitionOf('contributions', reader)],
      }),
    }),
    repositoryCounter: evidencePage(site, now, {
      path: `/${provider}/:name/:repository/contributions/:counter`,
      params: Type.Object({ ...RepositoryPath.properties, counter: Type.Enum(countersOfRepositories) }),
      operationId: 'listRepositoryCounterEvidence',
      hasPeriods: true,
      partRequest: ({ repository, counter }) => ({ params: { repository, counter } }),
      describe: ({ repository, counter }, { provider: host, name }, reader) => ({
        path: repositoryCounterPath(host, name, repository, counter),
        title: reader.language.words[counter],
        repository,
        endpoint: `repositories/${encodeURIComponent(repository)}/contributions/${counter}`,
        preview: ['contributors', { repository }],
        definition: definitionsOf(counter, { isOfAll: true }, reader),
      }),
    }),
  };
}

function evidencePage<Path extends TObject>(site: Site, now: () => Date, kind: NumberKind<Path>): Page<Path, Data> {
  return {
    path: kind.path,
    params: kind.params,
    query: kind.hasPeriods ? Query : SeasonQuery,
    load: async (read, { params, query: { after, season, ...query } }) => {
      const within = windowOf(kind.hasPeriods ? query : {}, now());
      const result = await read(kind.operationId, {
        ...kind.partRequest(params),
        query: { ...within.texts, ...(season !== undefined && { season: Number(season) }) },
        window: within.window,
        limit: shownItems,
        after,
      });
      const part = readPart(result);
      if (
        result === undefined ||
        part === undefined ||
        part instanceof MovedRepository ||
        result instanceof MovedRepository
      )
        return undefined;
      const { meta_data: meta, next_cursor: next } = result.envelope;
      // A window of the host's own numbers would take another request to the host.
      const hasBefore = within.before !== undefined && meta.source !== 'host' && after === undefined;
      const earlier = hasBefore
        ? await read(kind.operationId, { ...kind.partRequest(params), window: within.before, limit: 1 })
        : undefined;
      const before = earlier instanceof MovedRepository ? undefined : earlier?.envelope.meta_data;
      return { ...part, meta, next, within, before: before?.missing?.length ? undefined : before?.total };
    },
    render: (data, context, language) => ({
      html: render(site, readerOf(language), kind, data, context),
      isComplete: data.missing.length === 0,
      staleAt: data.staleAt,
    }),
    renderPending: (params, language) => {
      const { provider, name }: AccountName = Object(params);
      const reader = readerOf(language);
      return pendingPage(site, reader, { provider, name, title: reader.words.detail.evidence });
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
  const whose = person === undefined ? title : `${title}: ${person}`;
  const query = { ...data.within.texts, ...(season !== undefined && { season }) };
  const details = kind.details?.(data.meta, { ...account, season }, reader);
  const { total = details?.total } = data.meta;
  const count = total ?? data.items.length;
  return renderDocument(site, reader, {
    title: `${whose} · ${name}`,
    description: `${detail.evidence}: ${whose}, ${name}`,
    path: withQuery(path, season === undefined ? {} : { season }),
    // The board of a frozen season may have no card any more.
    previewPath:
      season === undefined ? previewPath(provider, name, ...preview) : previewPath(provider, name, 'contributions'),
    isAboutAccount: true,
    main: html`<section class="title"><p class="handle"><a href="${to(accountPath(provider, name))}">${account.displayName || name}</a>${repository !== undefined && html` · <a href="${to(repositoryPath(provider, name, repository))}">${repository}</a>`}${details !== undefined && html` · ${details.listLink}`} · ${detail.evidence}</p>
<h1>${title}${person !== undefined && html`: <bdi>${person}</bdi>`}${total !== undefined && html` <span class="total">${language.number(count)}</span> ${changeOf(count, data.before, reader)}`}</h1>
${definition.map((text) => html`<p class="bio">${text}</p>`)}
${details?.facts}${kind.hasPeriods && windowPicker(path, data.within, reader)}
${data.asOf !== undefined && html`<p class="note"><time datetime="${data.asOf.toISOString()}">${fill(language.words.asOf, { date: language.date(data.asOf) })}</time></p>`}</section>
${details?.parts}
<section><div class="heading"><h2>${detail.evidence}</h2><a class="quiet" href="${endpointPath(provider, name, endpoint, query)}">${words.asData}</a></div>
${data.items.length === 0 ? html`<p class="empty">${words.owner.nothingHere}</p>` : html`<ul class="entries">${data.items.map((item) => entry(item, reader))}</ul>`}
${data.next !== undefined && olderLink(path, { ...query, after: data.next }, reader)}
${remainderOf(data.meta, details?.changed ?? 0, reader)}</section>`,
  });
}

function entry(item: Item, { language }: Reader): Markup {
  const { title, url, repository, number, occurred_dttm: at, points, files } = item;
  const itemName = `${repository ?? ''}${number === null || number === undefined ? '' : ` #${number}`}`;
  const label = title || itemName || url;
  const part =
    points === undefined ? files && language.plural(language.words.changedFiles, files) : language.number(points);
  return html`<li><strong>${url === '' ? label : html`<a href="${url}" rel="nofollow ugc">${label}</a>`}</strong>${part !== undefined && html` <span class="chip">${part}</span>`}
<small>${title !== '' && html`<bdi>${itemName}</bdi> · `}<time datetime="${at}">${language.date(new Date(at))}</time></small></li>`;
}
