import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Connection } from '../../../database/connections/connection.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import type { Page, PageServices, ReadPart } from '../../../http/pipeline/pages.ts';
import { toPathPart } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import { noSuchBoard } from '../../../recognition/boards/views/load-board.ts';
import { formatCompleteness } from '../../cards/states/coverage.ts';
import { fill } from '../../languages/language.ts';
import { avatar, morePeopleLink } from '../account/sections.ts';
import { daysOfWindow } from '../account/window-picker.ts';
import { accountPath, boardPath, endpointPath, previewPath, withQuery } from '../layout/addresses.ts';
import { html, type Markup, trusted } from '../layout/html.ts';
import { renderDocument, type Site } from '../layout/layout.ts';
import { defineNumber, type NumberFacts, numberLink, sharedTip } from '../layout/numbers.ts';
import { BoardFacts, type Part, partReader, unlessMoved } from '../layout/parts.ts';
import { type Reader, toReader } from '../layout/reader.ts';
import { tipsPath } from '../layout/style.ts';
import { collectingLine, isCollecting, pendingPage, progressScriptPath } from '../progress/page.ts';
import { countProgress, type Progress } from '../progress/store.ts';
import { SeasonNumber } from './evidence-page.ts';

/** The people of a ranking; null for those of a frozen season who were erased or hidden later. */
const RankPart = Type.Object({
  rank: Type.Integer(),
  person: Type.Union([
    Type.Null(),
    Type.Object({ provider: Type.String(), name: Type.String(), display_name: Type.String() }),
  ]),
  points: Type.Number(),
  change: Type.Union([Type.Null(), Type.Integer()]),
  newcomer: Type.Boolean(),
  returning: Type.Boolean(),
  granted: Type.Number(),
  eligible: Type.Union([Type.Null(), Type.Boolean()]),
  teams: Type.Array(Type.String()),
});
type RankPart = Static<typeof RankPart>;

/** The number of rows that a reader sees at once. The reader's own row among them is marked, and not repeated above. */
const seenAtOnce = 10;

/** The facts about the points of a ranking, and where pages show their items. */
interface RankFacts extends NumberFacts {
  /** Returns the path of the page with the items of a person. */
  toPath: (login: string) => string;
  /** The host of names without one. */
  provider: string;
  /** The points from which a person is eligible; null where the board has none. */
  threshold: number | null;
}

const BoardPath = Type.Object({ ...AccountPath.properties, slug: Type.String({ maxLength: 64 }) });
const Query = Type.Object({
  team: Type.Optional(Type.String({ maxLength: 60 })),
  season: SeasonNumber,
  after: Type.Optional(Type.String({ maxLength: 500 })),
});

const BoardPart = Type.Object({
  ...BoardFacts.properties,
  description: Type.String(),
  repositories: Type.Object({
    total: Type.Integer(),
    complete: Type.Integer(),
    incomplete: Type.Array(Type.Object({ repository: Type.String(), state: Type.String() })),
  }),
  ties: Type.Enum(['shared', 'earliest']),
  teams: Type.Array(Type.String()),
});
type BoardPart = Static<typeof BoardPart>;
const SeasonPart = Type.Object({
  number: Type.Integer(),
  name: Type.String(),
  description: Type.String(),
  since: BoardPart.properties.window.properties.since,
  until: Type.String(),
  time_zone: Type.String(),
  repositories: BoardPart.properties.repositories,
  rules: BoardPart.properties.rules,
  rule_known: Type.Boolean(),
  threshold: BoardPart.properties.threshold,
  ties: BoardPart.properties.ties,
});
type SeasonPart = Static<typeof SeasonPart>;
type Ends = Pick<BoardPart['window'], 'since' | 'until'>;

const readRanks = partReader(RankPart);
const readBoards = partReader(BoardPart);
const readSeasons = partReader(SeasonPart);
const podiumPlaces = 3;
const shownPeople = 100;
/** The number of seasons that are shown at once; the reader can unfold the others. */
const shownSeasons = 6;

interface Data {
  /** As it is, or as it was in the season that is shown. */
  board: BoardPart;
  /** False for a board that its file no longer defines, which has seasons alone. */
  isPresent: boolean;
  ranks: Part<RankPart>;
  /** True when private repositories count, whose names the signed statement has for the owner alone. */
  countsPrivate: boolean;
  next: string | undefined;
  seasons: readonly SeasonPart[];
  /** Counts the repositories of the owner; undefined where none of the board is being collected. */
  collected: Progress | undefined;
  /** The row of the person who is signed in. */
  own?: RankPart;
}

interface Services extends Pick<PageServices, 'now'> {
  site: Site;
  connection: Connection;
}

/** Returns the page of a board: podium, table, teams and seasons. */
export function boardPage({ site, connection, now }: Services, provider: string): Page<typeof BoardPath, Data> {
  return {
    path: `/${provider}/:name/boards/:slug`,
    params: BoardPath,
    query: Query,
    load: async (read, { account, params: { slug }, query: { team, season, after } }) => {
      const result = unlessMoved(
        season === undefined
          ? await read('getBoard', { params: { slug }, query: { team }, limit: shownPeople, after })
          : await read('getBoardSeason', { params: { slug, number: season }, limit: shownPeople, after }),
      );
      const ranks = unlessMoved(readRanks(result));
      if (result === undefined || ranks === undefined) return undefined;
      const boards = unlessMoved(readBoards(await read('listBoards')));
      const seasons = unlessMoved(readSeasons(await read('listBoardSeasons', { params: { slug } })));
      if (boards === undefined) return undefined;
      const present = boards.items.find((item) => item.slug.toLowerCase() === slug.toLowerCase());
      const { meta_data: meta, next_cursor: next } = result.envelope;
      const list = seasons?.items ?? [];
      const frozen = list.find((item) => String(item.number) === season);
      const board = frozen === undefined ? present : toBoardPart(frozen, slug, present);
      if (board === undefined) throw noSuchBoard();
      const countsPrivate = meta.includes_private === true;
      const isRead = board.repositories.incomplete.every(({ state }) => state !== 'collecting');
      const owner = { provider: account.provider, name: account.name };
      const isOpen = !isRead && season === undefined;
      const collected = isOpen
        ? await countProgress(connection, owner, { now: now(), reportsTotals: false })
        : undefined;
      return { board, isPresent: present !== undefined, ranks, countsPrivate, next, seasons: list, collected };
    },
    loadOwn: async (read, data, { params: { slug }, query: { season }, provider: { name: host } }, viewer) => {
      if (season !== undefined) return data;
      const login = viewer.provider === host ? viewer.name : `${viewer.provider}/${viewer.name}`;
      const own = await readOwn(read, { slug, login });
      return own === undefined ? data : { ...data, own };
    },
    render: (data, { account, query }, language) => ({
      html: render(site, toReader(language), { ...data, account, query }),
      isComplete: data.ranks.missing.length === 0,
      staleAt: data.ranks.staleAt,
    }),
    renderPending: ({ provider, name, slug }, language, wait) =>
      pendingPage(site, toReader(language), { provider, name, title: slug, wait }),
  };
}

/**
 * Returns a board as it was in a frozen season.
 * @param present undefined where its file no longer defines the board.
 */
function toBoardPart(season: SeasonPart, slug: string, present: BoardPart | undefined): BoardPart {
  const { since, until, time_zone: timeZone, ...frozen } = season;
  const window = { since, until, time_zone: timeZone };
  return { ...frozen, slug: present?.slug ?? slug, window, teams: present?.teams ?? [] };
}

/** Returns undefined for what the reader may not see, or what does not exist. */
async function orAbsent<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

const OwnRankMeta = Compile(Type.Object({ person: RankPart }));

/** Reads the row of a person; undefined when the board does not rank the person. */
async function readOwn(read: ReadPart, params: { slug: string; login: string }): Promise<RankPart | undefined> {
  const result = unlessMoved(await orAbsent(read('listBoardEvidence', { params, limit: 1 })));
  const meta: unknown = result?.envelope.meta_data;
  return OwnRankMeta.Check(meta) ? meta.person : undefined;
}

interface BoardView extends Data {
  account: { provider: string; name: string; displayName: string };
  query: Readonly<Record<string, string | undefined>>;
}

function render(site: Site, reader: Reader, view: BoardView): string {
  const { board, ranks, next, account, query, collected } = view;
  const { words, language, to } = reader;
  const { detail } = words;
  const { provider, name } = account;
  const path = boardPath(provider, name, board.slug);
  const endpoint = `boards/${board.slug}`;
  const { team, season: number, after } = query;
  const season = view.seasons.find((candidate) => String(candidate.number) === number);
  const counted = facts(view, path, reader);
  const isFirst = after === undefined && team === undefined;
  const data = season === undefined ? endpoint : `${endpoint}/seasons/${season.number}`;
  return renderDocument(site, reader, {
    title: `${board.name} · ${name}`,
    description: board.description || board.name,
    // A board that its file no longer defines has no other address.
    path: withQuery(path, season === undefined ? {} : { season: String(season.number) }),
    previewPath: previewPath(provider, name, view.isPresent ? endpoint : 'contributions'),
    feeds: view.isPresent ? [{ path: endpointPath(provider, name, `${endpoint}/feed`), title: board.name }] : [],
    isAboutAccount: true,
    scripts: isCollecting(collected) ? [progressScriptPath, tipsPath] : [tipsPath],
    main: html`<section class="title"><p class="handle"><a href="${to(accountPath(provider, name))}">${account.displayName || name}</a> · ${detail.boards}</p>
<h1>${board.name}</h1>${board.description !== '' && html`<p class="bio" dir="auto">${board.description}</p>`}
<p class="facts"><span>${counted.window}</span><span>${formatCompleteness((season ?? board).repositories, ranks.asOf, language)}</span>${
      season !== undefined &&
      !view.countsPrivate &&
      html`<a href="${endpointPath(provider, name, `${data}/statement`)}">${detail.statement}</a>`
    }${
      season !== undefined &&
      season.threshold !== null &&
      html`<a href="${endpointPath(provider, name, data, { format: 'voters' })}">voters.yaml</a>`
    }</p>
${season?.rule_known === false && html`<p class="note">${detail.noRule}</p>`}
${renderIncomplete((season ?? board).repositories, reader)}
${pickers(view, path, reader)}</section>
${isCollecting(collected) && collectingLine({ provider, name }, collected, reader)}
${isFirst && ranks.items.length >= podiumPlaces && podium(ranks.items.slice(0, podiumPlaces), counted, reader)}
<section><div class="heading"><h2>${detail.ranking}</h2><a class="quiet" href="${endpointPath(provider, name, data, team === undefined ? {} : { team })}">${words.asData}</a></div>
${ranks.items.length === 0 ? html`<p class="empty">${language.words.nobodyYet}</p>` : rankTable({ items: ranks.items, own: view.own }, counted, reader)}
${next !== undefined && morePeopleLink(path, { ...query, after: next }, reader)}</section>
${board.rules.length > 0 && html`<section><h2>${detail.rules}</h2><ol class="rules" lang="en" dir="ltr">${board.rules.map(({ text }) => html`<li>${text}</li>`)}</ol><p class="note">${board.ties === 'earliest' ? detail.earliestTies : detail.sharedTies}</p></section>`}`,
  });
}

function facts({ board, ranks, account, query, seasons }: BoardView, path: string, reader: Reader): RankFacts {
  const { season: number } = query;
  const season = seasons.find((candidate) => String(candidate.number) === number);
  return {
    id: 'points-tip',
    means: defineNumber('points', reader),
    window: formatSpan(season ?? board.window, board.window.time_zone, reader),
    asOf: ranks.asOf,
    toPath: (login) => withQuery(`${path}/people/${toPathPart(login)}`, number === undefined ? {} : { season: number }),
    provider: account.provider,
    threshold: board.threshold,
  };
}

/** The number of incomplete repositories that the page names. */
const shownIncomplete = 20;

/** Names the repositories that are not completely collected. */
function renderIncomplete({ incomplete }: BoardPart['repositories'], { words, language }: Reader): Markup | false {
  if (incomplete.length === 0) return false;
  const named = incomplete.slice(0, shownIncomplete).map(
    ({ repository, state }) =>
      // Isolated, because the hyphen at which a name is broken would move to its other end from right to left.
      `\u2068${repository}\u2069 (${state === 'collecting' ? language.words.stillCounting : words.detail.notInstalled})`,
  );
  const others = incomplete.length - named.length;
  const more = others > 0 ? [fill(language.words.more, { n: language.number(others) })] : [];
  return html`<p class="note" dir="auto">${fill(words.missing, { names: [...named, ...more].join(', ') })}</p>`;
}

/** The days of a window. */
function formatSpan(ends: Ends, timeZone: string, { language, words }: Reader): string {
  const { since, until } = ends;
  if (since === null && until === null) return words.detail.lifetime;
  return daysOfWindow({ since, until, time_zone: timeZone }, language);
}

function pickers({ board, isPresent, seasons, query }: BoardView, path: string, reader: Reader): Markup {
  const { words, to } = reader;
  const { detail } = words;
  const { team, season } = query;
  const link = (parameters: Record<string, string>, label: string, isCurrent: boolean): Markup =>
    html`<a href="${to(withQuery(path, parameters))}"${isCurrent && trusted(' aria-current="true"')}>${label}</a>`;
  const seasonLinks = seasons.map((finished) =>
    link(
      { season: String(finished.number) },
      formatSpan(finished, board.window.time_zone, reader),
      String(finished.number) === season,
    ),
  );
  return html`${
    board.teams.length > 0 &&
    html`<nav class="picker" aria-label="${detail.teams}">${link({}, detail.everyone, team === undefined)}${board.teams.map((name) => link({ team: name }, name, name === team))}</nav>`
  }${
    seasons.length > 0 &&
    html`<nav class="picker" aria-label="${detail.seasons}">${isPresent && link({}, detail.present, season === undefined)}${seasonLinks.slice(0, shownSeasons)}</nav>${
      seasonLinks.length > shownSeasons &&
      html`<details class="more"><summary>${detail.older}</summary><nav class="picker" aria-label="${detail.older}">${seasonLinks.slice(shownSeasons)}</nav></details>`
    }`
  }`;
}

/** The first three, the first one in the middle. */
function podium(items: readonly RankPart[], facts: RankFacts, reader: Reader): Markup {
  const { language, to } = reader;
  return html`<section><div class="podium">${items.map((item) => {
    const { rank, person, points } = item;
    if (person === null) return html`<div><strong>–</strong></div>`;
    const { provider, name, display_name: displayName } = person;
    const text = language.plural('points', points);
    return html`<div><a href="${to(accountPath(provider, name))}">${avatar(provider, person, 72)}<strong dir="auto">${displayName || name}</strong></a>
<span class="place">${language.number(rank)}</span>${renderPoints(item, text, { ...facts, id: 'podium-tip' }, reader)}</div>`;
  })}</div>${sharedTip({ ...facts, id: 'podium-tip' }, reader)}</section>`;
}

/** The rows of a ranking, below that of the person who is signed in, unless it is one of the first. */
function rankTable(
  { items, own }: { items: readonly RankPart[]; own?: RankPart | undefined },
  facts: RankFacts,
  reader: Reader,
): Markup {
  const { detail } = reader.words;
  const { language } = reader;
  const { threshold } = facts;
  const isOwn = ({ rank, person }: RankPart): boolean =>
    own !== undefined && rank === own.rank && person?.name === own.person?.name;
  const isPinned = own !== undefined && !items.slice(0, seenAtOnce).some(isOwn);
  return html`<div class="wide" role="region" aria-label="${detail.ranking}" tabindex="0"><table class="ranks"><thead><tr><th scope="col">${detail.rank}</th><th scope="col">${detail.person}</th><th scope="col">${detail.points}</th><th scope="col">${detail.change}</th></tr></thead>
<tbody>${isPinned && row(own, { facts, isOwn: true }, reader)}${items.map((item) => row(item, { facts, isOwn: isOwn(item) }, reader))}</tbody></table></div>
${sharedTip(facts, reader)}
${threshold !== null && html`<p class="note">${detail.eligible}: <bdi dir="ltr">≥ ${language.number(threshold)}</bdi></p>`}
<p class="note">${detail.change}: ${defineNumber('change', reader)}</p>`;
}

function row(item: RankPart, { facts, isOwn }: { facts: RankFacts; isOwn: boolean }, reader: Reader): Markup {
  const { rank, person, points, granted, change, newcomer, returning, eligible, teams } = item;
  const { words, language, to } = reader;
  const { detail } = words;
  return html`<tr${isOwn && trusted(' class="own"')}><td>${language.number(rank)}</td><td>${person === null ? '–' : html`<a class="who" href="${to(accountPath(person.provider, person.name))}">${avatar(person.provider, person, 28)}<bdi>${person.display_name || person.name}</bdi></a>`}${isOwn && chip(detail.you)}${eligible === true && chip(detail.eligible)}${newcomer && chip(detail.newcomer)}${returning && chip(detail.returning)}${teams.map(chip)}</td>
<td>${renderPoints(item, language.number(points), facts, reader)}${granted !== 0 && html`<small dir="auto">${fill(detail.granted, { n: language.number(granted) })}</small>`}</td><td>${moved(change, reader)}</td></tr>`;
}

function renderPoints({ person }: RankPart, text: string, facts: RankFacts, { to }: Reader): Markup {
  const { toPath, provider } = facts;
  if (person === null) return html`<span>${text}</span>`;
  const login = person.provider === provider ? person.name : `${person.provider}/${person.name}`;
  return numberLink(to(toPath(login)), text, facts);
}

function chip(text: string): Markup {
  return html` <span class="chip">${text}</span>`;
}

function moved(change: number | null, { language }: Reader): Markup | string {
  if (change === null || change === 0) return '–';
  const sign = change > 0 ? '▲' : '▼';
  return html`<span class="${change > 0 ? 'up' : 'down'}"><span aria-hidden="true">${sign} ${language.number(Math.abs(change))}</span><span class="unseen">${language.signed(change)}</span></span>`;
}
