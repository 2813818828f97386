import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Connection } from '../../../database/connections/connection.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import type { Page, PageServices, ReadPart } from '../../../http/pipeline/pages.ts';
import { toPathPart } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import { noSuchBoard } from '../../../recognition/boards/views/load-board.ts';
import { formatCompleteness } from '../../cards/states/completeness.ts';
import { fill } from '../../languages/language.ts';
import { daysOfWindow } from '../account/window-picker.ts';
import { accountPath, boardPath, endpointPath, previewPath, withQuery } from '../addresses.ts';
import { defineNumber } from '../definitions.ts';
import { html, type Markup, trusted } from '../layout/html.ts';
import { renderDocument, type Site } from '../layout/layout.ts';
import { BoardFacts, type Part, partReader, unlessMoved } from '../layout/parts.ts';
import { tipsPath } from '../layout/style.ts';
import { collectingLine, isCollecting, pendingPage, progressScriptPath } from '../progress/page.ts';
import { countProgress, type Progress } from '../progress/store.ts';
import { type Reader, toReader } from '../reader.ts';
import { morePeopleLink, SeasonNumber } from './parts.ts';
import { podium, type RankFacts, RankPart, rankTable } from './ranks.ts';

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
