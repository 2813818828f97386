import { type Static, Type } from 'typebox';
import { findActor, recordAction } from '../../../accounts/access/actor.ts';
import type { AccessServices } from '../../../accounts/access/services.ts';
import type { HandlerResult, RequestContext } from '../../../http/pipeline/endpoint.ts';
import { envelope } from '../../../http/pipeline/envelope.ts';
import { addOwnerEndpoint } from '../../../http/pipeline/owner-pipeline.ts';
import {
  cutPage,
  neighbourCursors,
  type Page,
  PageParameters,
  staleCursor,
} from '../../../http/pipeline/pagination.ts';
import { addEndpoint } from '../../../http/pipeline/pipeline.ts';
import type { App } from '../../../http/server/app.ts';
import { AppError } from '../../../model/errors.ts';
import type { Board } from '../board.ts';
import { findFormerBoard, type StoredBoard } from '../board-store.ts';
import { readDefinition } from '../definition.ts';
import { SeasonRankItem, toSeasonRankItem } from '../views/board-json.ts';
import { BoardPath, boardUrl, TableFormat } from '../views/board-response.ts';
import { mayReadSeason, noSuchBoard, refusePrivate } from '../views/load-board.ts';
import { correctSeason } from './correct.ts';
import { findReadableFormerBoard, findReadableSeason } from './load-season.ts';
import { SeasonItem, toForm, toSeasonItem, toSeasonTable, toVersion, Version } from './season-json.ts';
import {
  findSeason,
  findSeasonRanks,
  findSeasons,
  findVersions,
  type Season,
  type SeasonRank,
  type VersionNote,
} from './season-store.ts';

const SeasonPath = Type.Object({
  ...BoardPath.properties,
  number: Type.Integer({ minimum: 1, maximum: 100_000, description: 'Number of the season.', examples: [1] }),
});

const Query = Type.Object({
  ...PageParameters.properties,
  format: Type.Optional(
    Type.Enum(['json', 'csv', 'voters'], {
      description: '`csv` is the whole table, `voters` the `voters.yaml` of Elekto with everyone who is eligible.',
      default: 'json',
    }),
  ),
});

const Correction = Type.Object(
  {
    reason: Type.String({ minLength: 1, maxLength: 500, description: 'The reason, which everyone can read.' }),
    rule: Type.Optional(
      Type.Enum(['stored', 'present'], {
        description:
          '`stored` counts by the rule, the repositories and the members of teams of the season, `present` by those of the file as it is.',
        default: 'stored',
      }),
    ),
  },
  { additionalProperties: false, title: 'BoardCorrection' },
);

const listing = 'board season';
const listOfSeasons = 'board seasons';
/** The most people in a table or a list of voters. */
const maxPeople = 100_000;

interface Loaded extends Page<SeasonRank> {
  stored: StoredBoard;
  board: Board;
  season: Season;
  versions: VersionNote[];
}

type Context = RequestContext<Static<typeof SeasonPath>, Static<typeof Query>>;

/** Registers frozen seasons of boards: lists, tables, exports and signed statements. */
export function seasonRoutes(app: App, services: AccessServices): void {
  addList(app, services);
  addSeason(app, services);
  addStatement(app, services);
  addCorrection(app, services);
}

function addList(app: App, services: AccessServices): void {
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/boards/:slug/seasons',
    operationId: 'listBoardSeasons',
    tag: 'Boards',
    summary: 'The frozen seasons of a board, newest first',
    readers: 'public',
    params: BoardPath,
    query: Type.Object({ ...PageParameters.properties, ...TableFormat.properties }),
    listing: { name: listOfSeasons, defaultLimit: 100 },
    dataType: 'unknown',
    item: SeasonItem,
    hasCsv: true,
    load: async (context) => {
      const { limit, start } = context.page;
      const stored = await findReadableFormerBoard(services, context, context.params.slug);
      const found = await findSeasons(services.connection, stored.id, {
        limit: limit + 1,
        before: start.after && Number(start.after[0]),
        after: start.before && Number(start.before[0]),
      });
      return { stored, ...cutPage(found, limit, start) };
    },
    present: ({ stored, ...seasons }, context) => {
      const { account, isOwner, query } = context;
      const url = boardUrl(services, account, stored.board.slug);
      const data = seasons.page
        .filter((season) => mayReadSeason(season, context))
        .map((season) => toSeasonItem(season, { url, name: stored.board.name, isOwner }));
      const cursors = neighbourCursors(seasons, ({ number }) => services.cursors.write(listOfSeasons, [number]));
      return {
        envelope: envelope({ dataType: 'unknown', data, ...cursors }),
        staleAt: services.resolver.staleAt(services.now()),
        isWithdrawable: stored.board.isPrivate,
        ...(query.format === 'csv' && { csv: toSeasonTable(data) }),
      };
    },
  });
}

function addSeason(app: App, services: AccessServices): void {
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/boards/:slug/seasons/:number',
    operationId: 'getBoardSeason',
    tag: 'Boards',
    summary: 'The table of a frozen season, in its newest version',
    readers: 'public',
    params: SeasonPath,
    query: Query,
    listing: { name: listing, defaultLimit: 30 },
    dataType: 'unknown',
    item: SeasonRankItem,
    details: {
      title: 'SeasonMetadata',
      properties: { season: SeasonItem, versions: Type.Array(Version) },
    },
    hasCsv: true,
    documents: ['application/yaml'],
    load: async (context) => loadSeason(services, context),
    present: (loaded, context) => presentSeason(services, loaded, context),
  });
}

async function loadSeason(services: AccessServices, context: Context): Promise<Loaded | undefined> {
  const { connection } = services;
  const { page, params, query } = context;
  const { stored, season } = await findReadableSeason(services, context, params);
  // A version with a person who was erased or hidden is not served; the next one is signed within a minute.
  if (season.statement === null) return undefined;
  const { after, before } = page.start;
  const [version] = after ?? before ?? [];
  if (version !== undefined && version !== season.version) throw staleCursor(after === undefined ? 'before' : 'after');
  const isWhole = query.format === 'csv' || query.format === 'voters';
  const found = await findSeasonRanks(connection, season, {
    limit: isWhole ? maxPeople : page.limit + 1,
    after: after && Number(after[1]),
    before: before && Number(before[1]),
  });
  const versions = await findVersions(connection, season.boardId, season.number);
  const cut = isWhole ? { page: found, hasPrevious: false, hasNext: false } : cutPage(found, page.limit, page.start);
  return { ...cut, stored, board: readDefinition(season.definition), season, versions };
}

function presentSeason(services: AccessServices, loaded: Loaded, context: Context): HandlerResult {
  const { providers, publicUrl } = services;
  const { stored, board, season, versions, page } = loaded;
  const { account, isOwner, query } = context;
  const url = boardUrl(services, account, stored.board.slug);
  const items = page.map((person) =>
    toSeasonRankItem(board, person, { providers, publicUrl, boardUrl: url, season: season.number }),
  );
  const item = toSeasonItem(season, { url, name: stored.board.name, isOwner });
  const content = envelope({
    dataType: 'unknown',
    data: items,
    provenance: {
      asOf: season.asOf,
      missing: item.missing,
      includesPrivate: board.isPrivate,
    },
    ...neighbourCursors(loaded, ({ place }) => services.cursors.write(listing, [season.version, place])),
  });
  Object.assign(content.meta_data, {
    season: item,
    versions: versions.map(toVersion),
  });
  return {
    envelope: content,
    staleAt: services.resolver.staleAt(services.now()),
    isWithdrawable: board.isPrivate,
    ...toForm(query.format, board, season, items),
  };
}

function addStatement(app: App, services: AccessServices): void {
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/boards/:slug/seasons/:number/statement',
    operationId: 'getBoardStatement',
    tag: 'Boards',
    summary: 'The signed statement of a frozen season: table, rule and completeness, as a JWS',
    readers: 'public',
    params: SeasonPath,
    query: Type.Object({}),
    dataType: 'unknown',
    item: Type.Object({ statement: Type.String() }, { title: 'BoardStatement' }),
    documents: ['application/jwt'],
    load: async (context) => {
      const { season } = await findReadableSeason(services, context, context.params);
      // The signed rule names the repositories.
      refusePrivate(readDefinition(season.definition), context);
      return season.statement ?? undefined;
    },
    present: (statement) => ({
      envelope: envelope({ dataType: 'unknown', data: [{ statement }] }),
      document: { contentType: 'application/jwt; charset=utf-8', body: statement },
      staleAt: services.resolver.staleAt(services.now()),
    }),
  });
}

function addCorrection(app: App, services: AccessServices): void {
  const { connection } = services;
  addOwnerEndpoint(app, services, {
    method: 'POST',
    path: '/v1/:provider/entities/:name/boards/:slug/seasons/:number/corrections',
    operationId: 'correctBoardSeason',
    tag: 'Boards',
    summary: 'Counts a frozen season again, by its stored rule, as a new version with its differences and the reason',
    needs: 'manage',
    confirmation: 'live',
    params: SeasonPath,
    body: Correction,
    load: async ({ account, caller, params, body }) => {
      const stored = await findFormerBoard(connection, account.id, params.slug);
      if (stored === undefined) throw noSuchBoard();
      if ((await findSeason(connection, stored.id, params.number)) === undefined)
        throw new AppError('not_found', 'This board has no such frozen season.');
      const { reason, rule } = body;
      const byPresentRule = rule === 'present';
      await correctSeason(services, { boardId: stored.id, number: params.number, reason, byPresentRule });
      const actor = await findActor(connection, caller);
      const subject = `${stored.board.slug} ${params.number}`;
      await recordAction(services, connection, account.id, { action: 'season_corrected', subject, ...actor });
    },
  });
}
