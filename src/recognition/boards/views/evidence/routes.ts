import { type Static, Type } from 'typebox';
import type { RouteServices } from '../../../../accounts/resolve.ts';
import type { Provider } from '../../../../hosts/interface/provider.ts';
import { toCsv } from '../../../../http/pipeline/csv.ts';
import {
  AccountPath,
  type HandlerResult,
  type RequestContext,
  type ResolvedAccount,
} from '../../../../http/pipeline/endpoint.ts';
import { formatTimestamp, TimestampSchema } from '../../../../http/pipeline/envelope.ts';
import {
  cutPage,
  neighbourCursors,
  type Page,
  PageParameters,
  type Place,
} from '../../../../http/pipeline/pagination.ts';
import { addEndpoint } from '../../../../http/pipeline/pipeline.ts';
import type { App } from '../../../../http/server/app.ts';
import { AppError } from '../../../../model/errors.ts';
import { readMoment } from '../../../../model/windows/moments.ts';
import { countedUntil } from '../../../../model/windows/window.ts';
import type { Board, PersonName } from '../../board.ts';
import { hasRule, readDefinition } from '../../board-store.ts';
import { type BoardWindow, toBoardWindow, toGrantTime } from '../../board-window.ts';
import { findMembers } from '../../ranking/member-store.ts';
import { findSeasonPerson } from '../../seasons/season-store.ts';
import {
  BoardItem,
  boardUrl,
  completenessColumns,
  RankItem,
  readProvider,
  toBoardItem,
  toCompleteness,
  toRankItem,
  withBoard,
} from '../board-json.ts';
import { awaitRanking, findReadableBoard, findReadableSeason, refusePrivate } from '../load-board.ts';
import {
  type EvidenceItem,
  type EvidencePlace,
  findEvidence,
  findPerson,
  findRankedRepositories,
  type RankedPerson,
  type Ranking,
} from '../view-store.ts';

/** The points of a person on a board, and the data of which they consist. */
interface PersonScore {
  board: Board;
  ranking: Ranking;
  person: RankedPerson;
  /** The repositories that the board counts. */
  repositoryIds: string[];
  window: BoardWindow;
  /** The time at which the points were counted. */
  countedAt: Date;
}

interface PersonQuery {
  slug: string;
  login: string;
  /** The number of a frozen season; undefined: the present ranking. */
  season: number | undefined;
}

const EvidencePath = Type.Object({
  ...AccountPath.properties,
  slug: Type.String({ maxLength: 64, description: 'Slug of the board.', examples: ['release-4'] }),
  login: Type.String({
    maxLength: 255,
    'x-colons': true,
    description: 'Login of a person on the board; of another host `codeberg:octocat`.',
    examples: ['octocat'],
  }),
});

const Query = Type.Object({
  ...PageParameters.properties,
  format: Type.Optional(Type.Enum(['json', 'csv'], { description: '`csv` is the page as a table.', default: 'json' })),
  season: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'Number of a frozen season, whose points are listed by its own rule.',
      examples: [1],
    }),
  ),
});

const Evidence = Type.Object(
  {
    kind: Type.Union([Type.Null(), Type.String()], {
      description: 'Null for a rule with `count()`, which is earned once.',
      examples: ['pull_request'],
    }),
    repository: Type.Union([Type.Null(), Type.String()], { examples: ['github/octocat/hello-world'] }),
    number: Type.Optional(Type.Integer({ examples: [7] })),
    oid: Type.Optional(Type.String({ examples: ['7fd1a60b01f91b314f59955a4e4d4e80d8edf11d'] })),
    assisted: Type.Optional(
      Type.Boolean({ description: 'Of a commit: its message names a program that helped to write it.' }),
    ),
    title: Type.String({ description: 'Empty where it is not known.', examples: ['Fix the parser'] }),
    url: Type.String({ description: 'Empty for a rule with `count()`.' }),
    occurred_dttm: TimestampSchema(),
    rule: Type.Integer({ description: 'Number of the rule.', examples: [1] }),
    points: Type.Number({ examples: [5] }),
    points_before_cap: Type.Number({ description: 'More than `points` where the cap of a day was reached.' }),
    capped: Type.Boolean(),
  },
  { title: 'BoardEvidence' },
);

const Grant = Type.Object(
  {
    points: Type.Integer({ examples: [40] }),
    reason: Type.String({ examples: ['Release manager'] }),
    granted_by: Type.String({ examples: ['hubot'] }),
    until: Type.Union([Type.Null(), Type.String()], { description: 'The last day on which it counts; null: no end.' }),
  },
  { title: 'BoardGrant' },
);

/** The parts of a person's points. */
const Sum = Type.Object(
  {
    total: Type.Number({ description: 'The points.', examples: [43] }),
    itemised: Type.Number({
      description: 'The points of the items on all pages; sums are rounded to six decimals, then to two.',
      examples: [43],
    }),
    granted: Type.Number({ description: 'The points of the grants.', examples: [0] }),
    remainder: Type.Number({
      description: 'The rest: items that changed, came or went since the points were counted.',
      examples: [0],
    }),
  },
  { title: 'BoardSum' },
);

const details = {
  title: 'EvidenceMetadata',
  properties: {
    board: BoardItem,
    person: RankItem,
    sum: Sum,
    grants: Type.Array(Grant, { description: 'Points that the person has by decision.' }),
    progress: Type.Union([Type.Null(), Type.String()], {
      description: 'Points of the threshold; null without one.',
      examples: ['43 of 50'],
    }),
  },
};

interface Loaded extends Page<EvidenceItem>, PersonScore {
  /** The points of all items of the list. */
  itemised: number;
}

type Context = RequestContext<Static<typeof EvidencePath>, Static<typeof Query>>;

const listing = 'board evidence';

/** Registers the evidence of a person's points. */
export function evidenceRoutes(app: App, services: RouteServices): void {
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/boards/:slug/people/:login',
    operationId: 'listBoardEvidence',
    tag: 'Boards',
    summary: 'What gave a person points on a board, newest first, with the caps that were applied',
    readers: 'public',
    params: EvidencePath,
    query: Query,
    listing: { name: listing, defaultLimit: 30 },
    dataType: 'unknown',
    item: Evidence,
    details,
    hasCsv: true,
    load: (context) => load(services, context),
    present: (loaded, context) => present(services, loaded, context),
  });
}

async function load(services: RouteServices, context: Context): Promise<Loaded | undefined> {
  const { connection, computations } = services;
  const { page, params, query, account } = context;
  const { slug, login } = params;
  const ranked = await findPersonScore(services, context, { slug, login, season: query.season });
  if (ranked === undefined) return undefined;
  const { board, window, repositoryIds, person } = ranked;
  const until = countedUntil(window, ranked.countedAt);
  const scope = { repositoryIds, window: { ...window, until }, accountId: person.id };
  const range = { limit: page.limit + 1, after: toPlace(page.start.after), before: toPlace(page.start.before) };
  const key = `evidence ${JSON.stringify([board.definition, scope, range])}`;
  const found = await computations.share(account.id, key, () => findEvidence(connection, board, scope, range));
  return { ...cutPage(found, page.limit, page.start), ...ranked, itemised: found[0]?.itemised ?? 0 };
}

function toPlace(place: Place | undefined): EvidencePlace | undefined {
  return place && [String(place[0]), Number(place[1]), String(place[2])];
}

function present(services: RouteServices, loaded: Loaded, context: Context): HandlerResult {
  const { cursors, providers, publicUrl, resolver, now } = services;
  const { account, isOwner, query } = context;
  const { board, ranking, person, page } = loaded;
  const items = page.map((item) => toItem(item, providers, isOwner));
  const neighbours = neighbourCursors(loaded, ({ at, rule, key }) =>
    cursors.write(listing, [at.toISOString(), rule, key]),
  );
  const envelope = withBoard(board, ranking, isOwner, { data: items, ...neighbours });
  const url = boardUrl(services, account, board.slug);
  const rankItem = toRankItem(board, person, { providers, publicUrl, boardUrl: url, isOwner });
  if (query.season !== undefined) rankItem.evidence_url += `?season=${query.season}`;
  const progress = board.threshold === null ? null : `${person.points} of ${board.threshold}`;
  Object.assign(envelope.meta_data, { person: rankItem, sum: toSum(loaded), grants: listGrants(loaded), progress });
  return {
    envelope,
    staleAt: resolver.staleAt(now()),
    isWithdrawable: board.isPrivate,
    ...(query.format === 'csv' && { csv: toTable(items, toSum(loaded), toBoardItem(board, ranking, { isOwner })) }),
  };
}

function toSum({ person: { points, granted }, itemised }: Loaded): Static<typeof Sum> {
  const remainder = Math.round((points - granted - itemised) * 100) / 100;
  return { total: points, itemised, granted, remainder };
}

/** Returns the grants that counted for a person. */
function listGrants({
  board: { grants },
  window,
  countedAt,
  person: { provider, name },
}: Loaded): Static<typeof Grant>[] {
  const asOf = toGrantTime(window, countedAt);
  const isOfPerson = (of: PersonName): boolean =>
    of.provider === provider && of.login.toLowerCase() === name.toLowerCase();
  return grants
    .filter(({ person, until }) => isOfPerson(person) && (until === null || isWithin(until, window, asOf)))
    .map(({ points, reason, grantedBy, until }) => ({ points, reason, granted_by: grantedBy, until }));
}

function isWithin(until: string, { timeZone }: BoardWindow, asOf: Date): boolean {
  return readMoment('until', until, timeZone).end > asOf;
}

/** The kind of page that shows an item: its own, or that of the item to which it belongs. */
const pageKinds: Readonly<Record<string, 'issue' | 'pull_request' | 'discussion'>> = {
  issue: 'issue',
  issue_comment: 'issue',
  pull_request: 'pull_request',
  pull_request_comment: 'pull_request',
  review_comment: 'pull_request',
  review: 'pull_request',
  discussion: 'discussion',
};

function toItem(
  item: EvidenceItem,
  providers: ReadonlyMap<string, Provider>,
  isOwner: boolean,
): Static<typeof Evidence> {
  const { kind, repository, number, oid, isAssisted, points, pointsBeforeCap } = item;
  return {
    kind,
    repository: repository && `${repository.provider}/${repository.owner}/${repository.name}`,
    ...(number !== null && { number }),
    ...(oid !== null && { oid }),
    ...(isAssisted !== null && { assisted: isAssisted }),
    // Titles of items in private repositories are for the owner alone.
    title: isOwner || repository?.isPrivate !== true ? item.title : '',
    url: toUrl(item, providers),
    occurred_dttm: formatTimestamp(item.at),
    rule: item.rule,
    points,
    points_before_cap: pointsBeforeCap,
    capped: points < pointsBeforeCap,
  };
}

function toUrl({ kind, repository, number, oid }: EvidenceItem, providers: ReadonlyMap<string, Provider>): string {
  const pages = repository === null ? undefined : providers.get(repository.provider)?.repositories;
  if (repository === null || pages === undefined) return '';
  const { owner, name } = repository;
  if (oid !== null) return pages.toPageUrl(owner, name, { kind: 'commit', oid });
  const item = pageKinds[kind ?? ''];
  return item === undefined || number === null
    ? pages.toPageUrl(owner, name)
    : pages.toPageUrl(owner, name, { kind: item, number });
}

/** Returns items as CSV, whose rows end with the parts of the person's points and the state of the repositories. */
function toTable(items: readonly Static<typeof Evidence>[], sum: Static<typeof Sum>, board: BoardItem): string {
  const completeness = toCompleteness(board);
  const columns = [
    ...'occurred,rule,points,points_before_cap,kind,repository,number,oid,assisted,title,url'.split(','),
    ...Object.keys(sum),
    ...completenessColumns,
  ];
  const rows = items.map(
    ({ occurred_dttm: occurred, number = null, oid = null, assisted = null, capped: _capped, ...rest }) =>
      Object.assign(rest, { occurred, number, oid, assisted }, sum, completeness),
  );
  return toCsv(columns, rows);
}

/**
 * Finds the points of a person in the present ranking or in a frozen season.
 * @returns undefined while no ranking may be shown, or while a season waits for a signature because a person was erased
 *   or hidden.
 * @throws AppError `not_found` for a board or season that the caller may not see, and for a person who is not on it.
 */
async function findPersonScore(
  services: RouteServices,
  resolved: ResolvedAccount,
  { season, ...person }: PersonQuery,
): Promise<PersonScore | undefined> {
  const found = await (season === undefined
    ? findPresent(services, resolved, person)
    : findInSeason(services, resolved, { ...person, number: season }));
  if (found !== undefined) services.resolver.checkShown(found.person);
  return found;
}

async function findPresent(
  services: RouteServices,
  resolved: ResolvedAccount,
  { slug, login }: { slug: string; login: string },
): Promise<PersonScore | undefined> {
  const { connection } = services;
  const stored = await findReadableBoard(services, resolved, slug);
  const { id: boardId, board } = stored;
  refusePrivate(board, resolved);
  const ranking = await awaitRanking(services, stored);
  if (ranking === undefined) return undefined;
  const person = await findPerson(
    connection,
    { boardId, version: ranking.version, board },
    readPersonName(board, login),
  );
  if (person === undefined) throw noSuchPerson();
  return {
    board,
    ranking,
    person,
    repositoryIds: await findRankedRepositories(connection, boardId),
    window: toBoardWindow(board.window, ranking.builtAt),
    countedAt: ranking.builtAt,
  };
}

async function findInSeason(
  services: RouteServices,
  resolved: ResolvedAccount,
  { slug, login, number }: { slug: string; login: string; number: number },
): Promise<PersonScore | undefined> {
  const { connection } = services;
  const { stored, season } = await findReadableSeason(services, resolved, { slug, number });
  const board = readDefinition(season.definition);
  refusePrivate(stored.board, resolved);
  refusePrivate(board, resolved);
  if (!hasRule(season.definition)) throw new AppError('not_found', 'The rule of this season is not known.');
  // A version with a person who was erased or hidden is not served.
  if (season.statement === null) return undefined;
  const found = await findSeasonPerson(connection, season, readPersonName(board, login));
  if (found === undefined) throw noSuchPerson();
  const { person, people, ...rank } = found;
  const { since, until, coverage, asOf, frozenAt: builtAt, version } = season;
  const { timeZone } = board.window;
  return {
    board,
    ranking: { version, since, until, coverage, asOf, builtAt, people },
    person: { ...rank, ...person, firstAt: null, memberTeams: [] },
    repositoryIds: (await findMembers(connection, board, stored.ownerId, season)).ids,
    window: { since, until, timeZone, length: null, beforeSince: null, season: number },
    countedAt: builtAt,
  };
}

/** Reads LOGIN or PROVIDER/LOGIN; without a provider, the login belongs to the board's host. */
function readPersonName(board: Board, text: string): { provider: string; login: string } {
  const parts = text.split('/');
  const login = parts.pop() ?? '';
  return { provider: parts.length === 0 ? readProvider(board) : parts.join('/').toLowerCase(), login };
}

function noSuchPerson(): AppError {
  return new AppError('not_found', 'This board ranks no such person.');
}
