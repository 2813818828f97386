import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { completenessOf } from '../../cards/completeness.ts';
import { daysOf } from '../../cards/window-days.ts';
import { AppError } from '../../errors.ts';
import { AccountPath, MovedRepository } from '../../http/endpoint.ts';
import type { Page, ReadPart } from '../../http/pages.ts';
import { accountPath, boardPath, endpointPath, previewPath } from '../addresses.ts';
import { html, type Markup, trusted } from '../html.ts';
import { renderDocument, type Site } from '../layout.ts';
import { type Part, partReader } from '../parts.ts';
import { pendingPage } from '../progress/page.ts';
import { type Reader, readerOf } from '../reader.ts';
import { avatar } from '../sections.ts';
import { olderLink } from './parts.ts';

const BoardPath = Type.Object({ ...AccountPath.properties, slug: Type.String({ maxLength: 64 }) });
const Query = Type.Object({
  team: Type.Optional(Type.String({ maxLength: 60 })),
  season: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,5}$' })),
  after: Type.Optional(Type.String({ maxLength: 500 })),
});

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
  teams: Type.Array(Type.String()),
});
type RankPart = Static<typeof RankPart>;
const BoardPart = Type.Object({
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  window: Type.Object({
    since: Type.Union([Type.Null(), Type.String()]),
    until: Type.Union([Type.Null(), Type.String()]),
    time_zone: Type.String(),
  }),
  repositories: Type.Object({ total: Type.Integer(), complete: Type.Integer() }),
  rules: Type.Array(Type.Object({ number: Type.Integer(), text: Type.String() })),
  teams: Type.Array(Type.String()),
});
type BoardPart = Static<typeof BoardPart>;
const SeasonPart = Type.Object({ number: Type.Integer() });

const readRanks = partReader(RankPart);
const readBoards = partReader(BoardPart);
const readSeasons = partReader(SeasonPart);
const podiumPlaces = 3;
const shownPeople = 100;
/** The rows that a reader sees at once: an own row among them is marked, and not repeated above. */
const seenAtOnce = 10;

interface Data {
  board: BoardPart;
  ranks: Part<RankPart>;
  next: string | undefined;
  seasons: readonly number[];
  /** The row of the person who is signed in. */
  own?: RankPart;
}

/** The page of a board: podium, table, teams and seasons. */
export function boardPage(site: Site, provider: string): Page<typeof BoardPath, Data> {
  return {
    path: `/${provider}/:name/boards/:slug`,
    params: BoardPath,
    query: Query,
    load: async (read, { params: { slug }, query: { team, season, after } }) => {
      const result =
        season === undefined
          ? await read('getBoard', { params: { slug }, query: { team }, limit: shownPeople, after })
          : await read('getBoardSeason', { params: { slug, number: season }, limit: shownPeople, after });
      const ranks = readRanks(result);
      if (result === undefined || result instanceof MovedRepository) return undefined;
      if (ranks === undefined || ranks instanceof MovedRepository) return undefined;
      const boards = readBoards(await read('listBoards'));
      const seasons = readSeasons(await read('listBoardSeasons', { params: { slug } }));
      if (boards === undefined || boards instanceof MovedRepository) return undefined;
      const board = boards.items.find((one) => one.slug === slug);
      if (board === undefined) return undefined;
      const numbers = seasons === undefined || seasons instanceof MovedRepository ? [] : seasons.items;
      return { board, ranks, next: result.envelope.next_cursor, seasons: numbers.map(({ number }) => number) };
    },
    loadOwn: async (read, data, { params: { slug }, query: { season }, provider: { name: host } }, viewer) => {
      if (season !== undefined) return data;
      const login = viewer.provider === host ? viewer.name : `${viewer.provider}/${viewer.name}`;
      const own = await readOwn(read, { slug, login });
      return own === undefined ? data : { ...data, own };
    },
    render: (data, { account, query }, language) => ({
      html: render(site, readerOf(language), { ...data, account, query }),
      isComplete: true,
      staleAt: data.ranks.staleAt,
    }),
    renderPending: ({ provider, name, slug }, language) =>
      pendingPage(site, readerOf(language), { provider, name, title: slug }),
  };
}

const Own = Compile(Type.Object({ person: RankPart }));

/** Reads the row of a person; undefined where the board does not rank them. */
async function readOwn(read: ReadPart, params: { slug: string; login: string }): Promise<RankPart | undefined> {
  try {
    const result = await read('listBoardEvidence', { params, limit: 1 });
    if (result === undefined || result instanceof MovedRepository) return undefined;
    const meta: unknown = result.envelope.meta_data;
    return Own.Check(meta) ? meta.person : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

interface Shown extends Data {
  account: { provider: string; name: string; displayName: string };
  query: Readonly<Record<string, string | undefined>>;
}

function render(site: Site, reader: Reader, shown: Shown): string {
  const { board, ranks, next, account, query } = shown;
  const { words, language, to } = reader;
  const { detail } = words;
  const { provider, name } = account;
  const path = boardPath(provider, name, board.slug);
  const endpoint = `boards/${board.slug}`;
  const isFirst = query['after'] === undefined && query['team'] === undefined;
  return renderDocument(site, reader, {
    title: `${board.name} · ${name}`,
    description: board.description || board.name,
    path,
    previewPath: previewPath(provider, name, endpoint),
    feeds: [{ path: endpointPath(provider, name, `${endpoint}/feed`), title: board.name }],
    isAboutAccount: true,
    main: html`<section class="title"><p class="handle"><a href="${to(accountPath(provider, name))}">${account.displayName || name}</a> · ${detail.boards}</p>
<h1>${board.name}</h1>${board.description !== '' && html`<p class="bio" dir="auto">${board.description}</p>`}
<p class="facts"><span>${span(board, reader)}</span>${query['season'] === undefined && html`<span>${completenessOf(board.repositories, ranks.asOf, language)}</span>`}</p>
${pickers(shown, path, reader)}</section>
${isFirst && ranks.items.length >= podiumPlaces && podium(ranks.items.slice(0, podiumPlaces), reader)}
<section><div class="heading"><h2>${detail.rank}</h2><a class="quiet" href="${endpointPath(provider, name, endpoint)}">${words.asData}</a></div>
${ranks.items.length === 0 ? html`<p class="empty">${language.words.nobodyYet}</p>` : table(shown, path, reader)}
${next !== undefined && olderLink(path, { ...query, after: next }, reader)}</section>
<section><h2>${detail.rules}</h2><ol class="rules" lang="en" dir="auto">${board.rules.map(({ text }) => html`<li>${text}</li>`)}</ol></section>`,
  });
}

/** The window of a board, as days. */
function span({ window }: BoardPart, { language, words }: Reader): string {
  return window.since === null && window.until === null ? words.detail.lifetime : daysOf(window, language.date);
}

function pickers({ board, seasons, query }: Shown, path: string, { words, to }: Reader): Markup {
  const { detail } = words;
  const link = (parameters: Record<string, string>, label: string, isCurrent: boolean): Markup =>
    html`<a href="${to(Object.keys(parameters).length === 0 ? path : `${path}?${new URLSearchParams(parameters).toString()}`)}"${isCurrent && html` aria-current="true"`}>${label}</a>`;
  const { team, season } = query;
  return html`${
    board.teams.length > 0 &&
    html`<nav class="picker" aria-label="${detail.teams}">${link({}, detail.everyone, team === undefined)}${board.teams.map((one) => link({ team: one }, one, one === team))}</nav>`
  }${
    seasons.length > 0 &&
    html`<nav class="picker" aria-label="${detail.seasons}">${link({}, detail.present, season === undefined)}${seasons.map((number) => link({ season: String(number) }, `#${number}`, String(number) === season))}</nav>`
  }`;
}

/** The first three, the first one in the middle. */
function podium(items: readonly RankPart[], { language, to }: Reader): Markup {
  return html`<section class="podium">${items.map(({ rank, person, points }) => {
    if (person === null) return html`<div><strong>–</strong></div>`;
    const { provider, name, display_name: displayName } = person;
    return html`<div><a href="${to(accountPath(provider, name))}">${avatar(provider, person, 72)}<strong>${displayName || name}</strong></a>
<span class="place">${language.number(rank)}</span><span>${language.plural(language.words.points, points)}</span></div>`;
  })}</section>`;
}

/** The rows of a ranking, below that of the person who is signed in, unless it is one of the first. */
function table(shown: Shown, path: string, reader: Reader): Markup {
  const { ranks, own, query, account } = shown;
  const { detail } = reader.words;
  // The points of a frozen season have no page.
  const evidence = query['season'] === undefined ? { path, provider: account.provider } : undefined;
  const isOwn = ({ rank, person }: RankPart): boolean =>
    own !== undefined && rank === own.rank && person?.name === own.person?.name;
  const isPinned = own !== undefined && !ranks.items.slice(0, seenAtOnce).some(isOwn);
  return html`<div class="wide" role="region" aria-label="${detail.rank}" tabindex="0"><table class="ranks"><thead><tr><th scope="col">${detail.rank}</th><th scope="col">${detail.person}</th><th scope="col">${detail.change}</th><th scope="col">${detail.points}</th></tr></thead>
<tbody>${isPinned && row(own, { evidence, isOwn: true }, reader)}${ranks.items.map((item) => row(item, { evidence, isOwn: isOwn(item) }, reader))}</tbody></table></div>`;
}

interface RowOptions {
  /** The path of the board, and the host of names without one; undefined: points lead nowhere. */
  evidence: { path: string; provider: string } | undefined;
  isOwn: boolean;
}

function row(item: RankPart, { evidence, isOwn }: RowOptions, reader: Reader): Markup {
  const { rank, person, points, change, newcomer, returning, teams } = item;
  const { words, language, to } = reader;
  const { detail } = words;
  const number = language.number(points);
  return html`<tr${isOwn && trusted(' class="own"')}><td>${language.number(rank)}</td><td>${person === null ? '–' : html`<a class="who" href="${to(accountPath(person.provider, person.name))}">${avatar(person.provider, person, 28)}${person.display_name || person.name}</a>`}${isOwn && chip(detail.you)}${newcomer && chip(detail.newcomer)}${returning && chip(detail.returning)}${teams.map(chip)}</td>
<td>${moved(change, reader)}</td><td>${person === null || evidence === undefined ? number : html`<a href="${to(`${evidence.path}/people/${encodeURIComponent(loginOf(person, evidence.provider))}`)}">${number}</a>`}</td></tr>`;
}

function chip(text: string): Markup {
  return html` <span class="chip">${text}</span>`;
}

function loginOf({ provider, name }: { provider: string; name: string }, ofBoard: string): string {
  return provider === ofBoard ? name : `${provider}/${name}`;
}

function moved(change: number | null, { language }: Reader): Markup | string {
  if (change === null || change === 0) return '–';
  const sign = change > 0 ? '▲' : '▼';
  return html`<span class="${change > 0 ? 'up' : 'down'}"><span aria-hidden="true">${sign} ${language.number(Math.abs(change))}</span><span class="unseen">${language.signed(change)}</span></span>`;
}
