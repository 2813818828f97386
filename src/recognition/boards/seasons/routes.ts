import { type Static, Type } from 'typebox';
import { findActor, recordAction } from '../../../accounts/access/actor.ts';
import type { AccessServices } from '../../../accounts/access/services.ts';
import { toCsv } from '../../../http/pipeline/csv.ts';
import type { HandlerResult, RequestContext } from '../../../http/pipeline/endpoint.ts';
import {
  envelope,
  formatTimestamp,
  OptionalTimestampSchema,
  TimestampSchema,
} from '../../../http/pipeline/envelope.ts';
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
import { findFormerBoard, hasRule, readDefinition, type StoredBoard } from '../board-store.ts';
import { withoutPrivate } from '../ranking/coverage.ts';
import {
  BoardItem,
  BoardPath,
  boardUrl,
  completenessColumns,
  readProvider,
  SeasonRankItem,
  TableFormat,
  toCompleteness,
  toRankTable,
  toRepositories,
  toRules,
  toSeasonRankItem,
} from '../views/board-json.ts';
import {
  findReadableFormerBoard,
  findReadableSeason,
  mayReadSeason,
  noSuchBoard,
  refusePrivate,
} from '../views/load-board.ts';
import { correctSeason } from './correct.ts';
import {
  findSeason,
  findSeasonRanks,
  findSeasons,
  findVersions,
  type Season,
  type SeasonRank,
  type VersionNote,
} from './season-store.ts';

const Difference = Type.Object(
  {
    person: Type.String({ examples: ['github/octocat'] }),
    rank: Type.Union([Type.Null(), Type.Integer()]),
    former_rank: Type.Union([Type.Null(), Type.Integer()]),
    points: Type.Number(),
    former_points: Type.Number(),
  },
  { title: 'BoardSeasonDifference' },
);
const RuleDifference = Type.Object(
  {
    rule: Type.String({
      description: 'The place in the rule, counted from 1 in lists.',
      examples: ['points.1.points'],
    }),
    value: Type.Union([Type.Null(), Type.String()], { description: 'As JSON; null: absent.', examples: ['3'] }),
    former_value: Type.Union([Type.Null(), Type.String()], { examples: ['1'] }),
  },
  { title: 'BoardRuleDifference' },
);

/** A version of a frozen season, without its table. */
const Version = Type.Object(
  {
    version: Type.Integer({ examples: [1] }),
    frozen_dttm: TimestampSchema(),
    reason: Type.String({ examples: ['The window has ended.'] }),
    differences: Type.Array(Type.Union([Difference, RuleDifference]), {
      description: 'Changes since the version before: of the rule, then of ranks and points.',
    }),
  },
  { title: 'BoardSeasonVersion' },
);

/** A frozen season, without its table. */
const SeasonItem = Type.Object(
  {
    repositories: BoardItem.properties.repositories,
    as_of: OptionalTimestampSchema(),
    missing: Type.Array(Type.String(), {
      description: 'The repositories and teams that were not completely known up to its end when it was frozen.',
    }),
    number: Type.Integer({ examples: [1] }),
    version: Type.Integer({ examples: [1] }),
    name: Type.String({ examples: ['Release 4 sprint'] }),
    description: BoardItem.properties.description,
    since: OptionalTimestampSchema(),
    until: TimestampSchema(),
    time_zone: BoardItem.properties.window.properties.time_zone,
    rules: Type.Array(BoardItem.properties.rules.items, { description: 'The rules by which its points were counted.' }),
    rule_known: Type.Boolean({
      description: 'False: of an imported season without a rule, which is never counted again.',
    }),
    threshold: BoardItem.properties.threshold,
    ties: BoardItem.properties.ties,
    frozen_dttm: TimestampSchema(),
    reason: Type.String({ examples: ['The window has ended.'] }),
    url: Type.String({ format: 'uri' }),
    statement_url: Type.String({ format: 'uri' }),
  },
  { title: 'BoardSeason' },
);

const seasonColumns = 'number,version,name,since,until,time_zone,threshold,frozen,reason,missing,url,statement'.split(
  ',',
);

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

/** Returns the table or the voters of a season; nothing for JSON. */
export function toForm(
  format: string | undefined,
  board: Board,
  season: Season,
  items: readonly Static<typeof SeasonRankItem>[],
): Pick<HandlerResult, 'csv' | 'document'> {
  if (format === 'csv') {
    const repositories = toRepositories(season.coverage, { isOwner: false });
    return {
      csv: toRankTable(items, {
        repositories,
        as_of: season.asOf && formatTimestamp(season.asOf),
        rules: toRules(board),
      }),
    };
  }
  if (format !== 'voters') return {};
  return { document: { contentType: 'application/yaml; charset=utf-8', body: formatVoters(board, season, items) } };
}

/**
 * Returns the people who may vote in the format of Elekto: the key `eligible_voters` with a list of logins
 * (`voters.yaml` in https://github.com/kubernetes/community/tree/master/elections/steering/documentation/template).
 * Logins are quoted, because YAML reads some as numbers. The provider precedes logins of other hosts than the board's, because
 * the same login may be another person there. A comment has the number of eligible people without a name.
 */
function formatVoters(board: Board, season: Season, items: readonly Static<typeof SeasonRankItem>[]): string {
  const people = items.filter(({ eligible }) => eligible !== false).map(({ person }) => person);
  const named = people.filter((person) => person !== null);
  const logins = named.map(({ provider, name }) => (provider === readProvider(board) ? name : `${provider}/${name}`));
  const sorted = logins.toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1));
  const { coverage, asOf } = season;
  const complete = `${coverage.complete} of ${coverage.repositories} repositories are complete`;
  const known = asOf === null ? '' : ` as of ${formatTimestamp(asOf)}`;
  const heading = `${board.name.replaceAll(/\s+/g, ' ')}, season ${season.number}, version ${season.version}`;
  const unnamed = people.length - named.length;
  const removed = unnamed === 0 ? '' : `\n# ${unnamed} more eligible: erased or hidden since, and not listed`;
  const comment = `# ${complete}${known}\n# ${heading}${removed}`;
  const list = sorted.map((login) => `  - ${JSON.stringify(login)}\n`).join('');
  return `${comment}\neligible_voters:${list === '' ? ' []\n' : `\n${list}`}`;
}

function toSeasonItem(
  season: Season,
  { url, name, isOwner }: { url: string; name: string; isOwner: boolean },
): Static<typeof SeasonItem> {
  const { number } = season;
  const board = readDefinition(season.definition);
  return {
    repositories: toRepositories(season.coverage, { isOwner }),
    as_of: season.asOf && formatTimestamp(season.asOf),
    missing: board.isPrivate && !isOwner ? withoutPrivate(season.missing, season.coverage) : season.missing,
    number,
    version: season.version,
    name: board.name || name,
    description: board.description,
    since: season.since && formatTimestamp(season.since),
    until: formatTimestamp(season.until),
    time_zone: board.window.timeZone,
    rules: toRules(board),
    rule_known: hasRule(season.definition),
    threshold: board.threshold,
    ties: board.ties,
    frozen_dttm: formatTimestamp(season.frozenAt),
    reason: season.reason,
    url: `${url}/seasons/${number}`,
    statement_url: `${url}/seasons/${number}/statement`,
  };
}

/** Returns a list of seasons as CSV. */
function toSeasonTable(items: readonly Static<typeof SeasonItem>[]): string {
  return toCsv(
    [...seasonColumns, ...completenessColumns],
    items.map((item) => ({
      number: item.number,
      version: item.version,
      name: item.name,
      since: item.since,
      until: item.until,
      time_zone: item.time_zone,
      threshold: item.threshold,
      frozen: item.frozen_dttm,
      reason: item.reason,
      missing: item.missing.join(', '),
      url: item.url,
      statement: item.statement_url,
      ...toCompleteness(item),
    })),
  );
}

function toVersion({ version, frozenAt, reason, differences }: VersionNote): Static<typeof Version> {
  return {
    version,
    frozen_dttm: formatTimestamp(frozenAt),
    reason,
    differences: differences.map((difference) => {
      if ('rule' in difference) {
        const { rule, value, formerValue } = difference;
        return { rule, value, former_value: formerValue };
      }
      const { person, rank, formerRank, points, formerPoints } = difference;
      return { person, rank, former_rank: formerRank, points, former_points: formerPoints };
    }),
  };
}
