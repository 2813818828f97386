import { type Static, Type } from 'typebox';
import type { AccessServices } from '../../accounts/access/services.ts';
import type { RouteServices } from '../../accounts/resolve.ts';
import { AccountPath, type HandlerResult, type RequestContext } from '../../http/pipeline/endpoint.ts';
import { envelope } from '../../http/pipeline/envelope.ts';
import { cutPage, neighbourCursors, type Page, PageParameters, staleCursor } from '../../http/pipeline/pagination.ts';
import { addEndpoint } from '../../http/pipeline/pipeline.ts';
import type { App } from '../../http/server/app.ts';
import { personTypes } from '../../model/agents.ts';
import { AppError } from '../../model/errors.ts';
import { nearest } from '../../model/text.ts';
import { findBoards, type StoredBoard } from './board-store.ts';
import { DocumentReader } from './document/document-reader.ts';
import { documentRoutes } from './document/routes.ts';
import type { BoardFiles } from './file/board-files.ts';
import { previewRoutes } from './preview/routes.ts';
import { seasonRoutes } from './seasons/routes.ts';
import {
  BoardItem,
  BoardPath,
  boardDetails,
  boardUrl,
  RankItem,
  TableFormat,
  toBoardItem,
  toBoardTable,
  toRankItem,
  toRankTable,
  withBoard,
} from './views/board-json.ts';
import { evidenceRoutes } from './views/evidence/routes.ts';
import { feedRoutes } from './views/feed/routes.ts';
import { awaitRanking, findReadableBoard, mayRead } from './views/load-board.ts';
import { findPeople, findPresentRanking, hasVersion, type RankedPerson, type Ranking } from './views/view-store.ts';

const Query = Type.Object({
  ...PageParameters.properties,
  format: Type.Optional(
    Type.Enum(['json', 'csv', 'svg', 'png'], {
      description: '`svg` and `png` draw the board, `csv` is the page as a table.',
      default: 'json',
    }),
  ),
  type: Type.Optional(
    Type.Enum([...personTypes], {
      description:
        'Shows accounts of this type alone, with their ranks. A board with `bots: true` ranks bots; agents are on no board.',
    }),
  ),
  team: Type.Optional(Type.String({ maxLength: 60, description: 'Name of one team of the board.', examples: ['red'] })),
});

const listing = 'board';

/** Registers the boards of accounts: lists, rankings, evidence, feeds, and the document of their owner. */
export function boardRoutes(app: App, services: AccessServices & { boardFiles: BoardFiles }): void {
  addList(app, services);
  addRanking(app, services);
  feedRoutes(app, services);
  evidenceRoutes(app, services);
  seasonRoutes(app, services);
  const reader = new DocumentReader(services);
  documentRoutes(app, services, reader);
  previewRoutes(app, services, reader);
}

function addList(app: App, services: RouteServices): void {
  const { connection, now } = services;
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/boards',
    operationId: 'listBoards',
    tag: 'Boards',
    summary: 'The boards of an account, in the order of its file',
    readers: 'public',
    params: AccountPath,
    query: TableFormat,
    dataType: 'unknown',
    item: BoardItem,
    hasCsv: true,
    load: async (context) => {
      const boards = (await findBoards(connection, context.account.id)).filter((board) => mayRead(board, context));
      const rankings: (Ranking | undefined)[] = [];
      for (const board of boards) rankings.push(await findPresentRanking(connection, board));
      return boards.map(({ board }, index) => ({ board, ranking: rankings[index] }));
    },
    present: (boards, { isOwner, account, query }) => {
      const data = boards.map(({ board, ranking }) => toBoardItem(board, ranking, { isOwner }));
      return {
        envelope: envelope({ dataType: 'unknown', data, includesPrivate: isOwner }),
        staleAt: services.resolver.staleAt(now()),
        isWithdrawable: account.publishesPrivate,
        ...(query.format === 'csv' && { csv: toBoardTable(data) }),
      };
    },
  });
}

/** A page of a ranking. */
interface People extends Page<RankedPerson> {
  stored: StoredBoard;
  ranking: Ranking;
  /** The version of the ranking that the page is of, which may be older than the present one. */
  version: number;
}

type Context = RequestContext<Static<typeof BoardPath>, Static<typeof Query>>;

function addRanking(app: App, services: RouteServices): void {
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/boards/:slug',
    operationId: 'getBoard',
    tag: 'Boards',
    summary: 'The ranking of a board, as JSON, as a table or as a card',
    readers: 'public',
    params: BoardPath,
    query: Query,
    listing: { name: listing, defaultLimit: 30 },
    dataType: 'unknown',
    item: RankItem,
    details: boardDetails,
    hasCsv: true,
    cards: ['board'],
    load: (context) => loadPeople(services, context),
    present: (people, context) => presentPeople(services, people, context),
  });
}

async function loadPeople(services: RouteServices, context: Context): Promise<People | undefined> {
  const { connection } = services;
  const { page, query } = context;
  const stored = await findReadableBoard(services, context, context.params.slug);
  checkTeam(stored, query.team);
  const ranking = await awaitRanking(services, stored);
  if (ranking === undefined) return undefined;
  const place = page.start.after ?? page.start.before;
  const version = place === undefined ? ranking.version : Number(place[0]);
  if (place !== undefined && !(await hasVersion(connection, stored.id, version)))
    throw staleCursor(page.start.after === undefined ? 'before' : 'after');
  const found = await findPeople(
    connection,
    { boardId: stored.id, version, board: stored.board },
    {
      limit: page.limit + 1,
      after: page.start.after && Number(page.start.after[1]),
      before: page.start.before && Number(page.start.before[1]),
      team: query.team,
      isOwner: context.isOwner,
      type: query.type,
    },
  );
  return { ...cutPage(found, page.limit, page.start), stored, ranking, version };
}

/** @throws AppError `invalid_input` with the nearest team where the board has no such team. */
function checkTeam({ board: { teams } }: StoredBoard, team: string | undefined): void {
  const names = teams.map(({ name }) => name);
  if (team === undefined || names.includes(team)) return;
  const meant = nearest(team, names);
  throw new AppError(
    'invalid_input',
    `${meant === undefined ? '' : `team: did you mean ${meant}? `}team must be a team of the board: ${names.join(', ') || 'it has none'}.`,
  );
}

function presentPeople(services: RouteServices, people: People, context: Context): HandlerResult {
  const { cursors, providers, publicUrl, resolver, now } = services;
  const { account, isOwner, query } = context;
  const { stored, ranking, version, page } = people;
  const { board } = stored;
  const url = boardUrl(services, account, board.slug);
  const items = page.map((person) => toRankItem(board, person, { providers, publicUrl, boardUrl: url, isOwner }));
  const result: HandlerResult = {
    envelope: withBoard(board, ranking, isOwner, {
      data: items,
      ...neighbourCursors(people, ({ place }) => cursors.write(listing, [version, place])),
    }),
    staleAt: resolver.staleAt(now()),
    isWithdrawable: board.isPrivate,
    cardInput: { further: Math.max(0, ranking.people - page.length) },
  };
  if (query.format === 'csv') result.csv = toRankTable(items, toBoardItem(board, ranking, { isOwner }));
  return result;
}
