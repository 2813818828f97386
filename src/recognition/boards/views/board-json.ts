import { type Static, Type } from 'typebox';
import { accountProperties, avatarUrlFor } from '../../../accounts/entity.ts';
import type { RouteServices } from '../../../accounts/resolve.ts';
import type { Provider } from '../../../hosts/interface/provider.ts';
import { toCsv } from '../../../http/pipeline/csv.ts';
import { AccountPath } from '../../../http/pipeline/endpoint.ts';
import { type Envelope, envelope, formatTimestamp, OptionalTimestampSchema } from '../../../http/pipeline/envelope.ts';
import { toPathPart } from '../../../model/account.ts';
import { numberDefinition } from '../../../model/rules.ts';
import { toWindowMeaning } from '../../../model/windows/window.ts';
import { explainRule } from '../../rules/file/explain-file.ts';
import type { Board } from '../board.ts';
import { type Coverage, listMissing, withoutPrivate } from '../ranking/coverage.ts';
import type { SeasonRank } from '../seasons/season-store.ts';
import type { RankedPerson, Ranking } from './view-store.ts';

const Repositories = Type.Object(
  {
    total: Type.Integer({
      description: 'Repositories that the patterns match; a pattern that matches none counts as one.',
      examples: [12],
    }),
    complete: Type.Integer({ description: 'Those that are completely collected.', examples: [11] }),
    incomplete: Type.Array(
      Type.Object({
        repository: Type.String({ examples: ['github/octocat/hello-world'] }),
        state: Type.Enum(['not_installed', 'collecting']),
      }),
    ),
  },
  { title: 'BoardRepositories' },
);

const Rule = Type.Object(
  {
    number: Type.Integer({ examples: [1] }),
    text: Type.String({ examples: ['5 points for each pull request of their own, which is merged'] }),
    actor: Type.String({ examples: ['author'] }),
    action: Type.String({ examples: ['pull_request'] }),
    condition: Type.String({ examples: ['merged = true'] }),
    at: Type.Union([Type.Null(), Type.String()], { description: 'Null: since when the condition holds.' }),
    decided_until: Type.Union([Type.Null(), Type.String()], {
      description:
        'With `at: created`, until when what the condition requires may happen; null: the end of the window.',
    }),
    own: Type.Boolean({ description: 'True: reviews and comments of people on items of their own count.' }),
    each: Type.Boolean({ description: 'True: several reviews of a person on one item on one day count each.' }),
    points: Type.Integer({ examples: [5] }),
    per_day: Type.Union([Type.Null(), Type.Integer()]),
    decay: Type.Number({ examples: [0] }),
  },
  { title: 'BoardRule' },
);

/** The board of a list, without its people. */
export const BoardItem = Type.Object(
  {
    repositories: Repositories,
    as_of: OptionalTimestampSchema('All installed repositories are known up to then; null: not yet.'),
    slug: Type.String({ examples: ['release-4'] }),
    name: Type.String({ examples: ['Release 4 sprint'] }),
    description: Type.String({ examples: ['Everything that ships in 4.0.'] }),
    private: Type.Boolean({ description: 'Only the owner sees it.' }),
    window: Type.Object({
      since: OptionalTimestampSchema('First instant; null: no beginning.'),
      until: OptionalTimestampSchema('First instant after it; null: no end.'),
      time_zone: Type.String({ examples: ['UTC'] }),
    }),
    rules: Type.Array(Rule),
    threshold: Type.Union([Type.Null(), Type.Integer()], { description: 'Points from which a person is eligible.' }),
    ties: Type.Enum(['shared', 'earliest']),
    teams: Type.Array(Type.String()),
    people: Type.Integer({ description: 'People on the board.', examples: [42] }),
    ranked_dttm: OptionalTimestampSchema('When the ranking was last checked; null: not yet.'),
  },
  { title: 'Board' },
);
export type BoardItem = Static<typeof BoardItem>;

/** A person on a board. */
export const RankItem = Type.Object(
  {
    rank: Type.Integer({ examples: [1] }),
    person: Type.Object(accountProperties, { title: 'BoardPerson' }),
    points: Type.Number({ examples: [43] }),
    points_by_rule: Type.Array(Type.Object({ rule: Type.Integer(), points: Type.Number() })),
    granted: Type.Number({ description: 'The part of the points that grants give.', examples: [0] }),
    change: Type.Union([Type.Null(), Type.Integer()], {
      description: `${numberDefinition('change')} Null: the person was not ranked then.`,
    }),
    newcomer: Type.Boolean({ description: numberDefinition('newcomer') }),
    returning: Type.Boolean({ description: numberDefinition('returning') }),
    eligible: Type.Union([Type.Null(), Type.Boolean()], { description: 'Null: the board has no threshold.' }),
    teams: Type.Array(Type.String()),
    evidence_url: Type.String({ format: 'uri' }),
  },
  { title: 'BoardRank' },
);
export type RankItem = Static<typeof RankItem>;

/** Returns how complete the repositories of a board are; names of private ones are for the owner alone. */
export function toRepositories(coverage: Coverage, { isOwner }: { isOwner: boolean }): BoardItem['repositories'] {
  return {
    total: coverage.repositories,
    complete: coverage.complete,
    incomplete: coverage.incomplete
      .filter(({ isPrivate }) => isOwner || !isPrivate)
      .map(({ repository, state }) => ({ repository, state })),
  };
}

/** Returns the rules of a board, each with a sentence. */
export function toRules({ rules }: Board): BoardItem['rules'] {
  return rules.map((rule, index) => ({
    number: index + 1,
    text: explainRule({ ...rule, value: rule.points }),
    actor: rule.actor,
    action: rule.action,
    condition: rule.text,
    at: rule.at,
    decided_until: rule.decidedUntil,
    own: rule.withoutOwn !== true,
    each: rule.countsEach,
    points: rule.points,
    per_day: rule.perDay,
    decay: rule.decay,
  }));
}

/** Returns a board as lists and rankings show it, with the completeness of its repositories first. */
export function toBoardItem(board: Board, ranking: Ranking | undefined, viewer: { isOwner: boolean }): BoardItem {
  const { since = null, until = null, asOf = null, builtAt } = ranking ?? {};
  const coverage = ranking?.coverage ?? { repositories: 0, complete: 0, incomplete: [], isCut: false };
  return {
    repositories: toRepositories(coverage, viewer),
    as_of: asOf && formatTimestamp(asOf),
    slug: board.slug,
    name: board.name,
    description: board.description,
    private: board.isPrivate,
    window: toWindowMeaning({ since, until, timeZone: board.window.timeZone }),
    rules: toRules(board),
    threshold: board.threshold,
    ties: board.ties,
    teams: board.teams.map(({ name }) => name),
    people: ranking?.people ?? 0,
    ranked_dttm: builtAt === undefined ? null : formatTimestamp(builtAt),
  };
}

interface PersonServices {
  providers: ReadonlyMap<string, Provider>;
  publicUrl: () => string;
}

/** Returns a person of a ranking as responses show them. */
export function toRankItem(
  board: Board,
  person: RankedPerson,
  { boardUrl, isOwner, ...services }: PersonServices & { boardUrl: string; isOwner: boolean },
): RankItem {
  const { points, rank, previousRank } = person;
  return {
    rank,
    person: toPerson(person, services),
    points,
    points_by_rule: Object.entries(person.byRule).map(([rule, value]) => ({ rule: Number(rule), points: value })),
    granted: person.granted,
    change: previousRank === null ? null : previousRank - rank,
    newcomer: person.isNewcomer,
    returning: person.isReturning,
    eligible: board.threshold === null ? null : points >= board.threshold,
    teams: isOwner ? [...new Set([...person.teams, ...person.memberTeams])] : person.teams,
    evidence_url: evidenceUrl(board, person, boardUrl),
  };
}

/** A rank of a frozen season; its person is null when the account was erased or hidden later. */
export const SeasonRankItem = Type.Object(
  {
    ...Type.Omit(RankItem, ['evidence_url', 'person']).properties,
    person: Type.Union([Type.Null(), Type.Object(accountProperties, { title: 'SeasonPerson' })]),
    evidence_url: Type.Union([Type.Null(), Type.String({ format: 'uri' })]),
  },
  { title: 'SeasonRank' },
);

/** Returns a person of a frozen season as responses show them. */
export function toSeasonRankItem(
  board: Board,
  { rank, previousRank, person, points, granted, byRule, teams, isNewcomer, isReturning }: SeasonRank,
  { boardUrl, season, ...services }: PersonServices & { boardUrl: string; season: number },
): Static<typeof SeasonRankItem> {
  const { threshold } = board;
  return {
    rank,
    points,
    points_by_rule: Object.entries(byRule).map(([rule, value]) => ({ rule: Number(rule), points: value })),
    granted,
    change: previousRank === null ? null : previousRank - rank,
    newcomer: isNewcomer,
    returning: isReturning,
    eligible: threshold === null ? null : points >= threshold,
    teams,
    person: person && toPerson(person, services),
    evidence_url: person && `${evidenceUrl(board, person, boardUrl)}?season=${season}`,
  };
}

/** Returns the address of the evidence of a person; the provider precedes logins of other hosts than the board's. */
function evidenceUrl(
  board: Board,
  { provider, name }: Pick<RankedPerson, 'provider' | 'name'>,
  boardUrl: string,
): string {
  const login = provider === readProvider(board) ? name : `${provider}/${name}`;
  return `${boardUrl}/people/${toPathPart(login)}`;
}

function toPerson(
  person: Pick<RankedPerson, 'id' | 'provider' | 'type' | 'name' | 'displayName' | 'avatarUrl'>,
  { providers, publicUrl }: PersonServices,
): RankItem['person'] {
  const { id, provider, type, name, displayName } = person;
  const url = providers.get(provider)?.accounts.toUrl({ name, type }) ?? '';
  return { id, provider, type, name, display_name: displayName, url, avatar_url: avatarUrlFor(person, publicUrl()) };
}

const boardColumns = 'slug,name,description,private,since,until,time_zone,threshold,ties,teams,people,ranked'.split(
  ',',
);
const rankColumns = 'rank,provider,login,points,granted,change,newcomer,returning,eligible,teams,evidence'.split(',');
/** The columns that end each row of a table. */
export const completenessColumns = ['complete_repositories', 'repositories', 'as_of'];

/** Returns the columns that end each row of a table, because CSV has no comments and a saved file has no headers. */
export function toCompleteness({
  repositories: { complete, total },
  as_of: asOf,
}: Pick<BoardItem, 'repositories' | 'as_of'>): Record<string, string | number | null> {
  return { complete_repositories: complete, repositories: total, as_of: asOf };
}

/** Returns a list of boards as CSV. */
export function toBoardTable(items: readonly BoardItem[]): string {
  return toCsv(
    [...boardColumns, ...completenessColumns],
    items.map((item) => ({
      slug: item.slug,
      name: item.name,
      description: item.description,
      private: item.private,
      ...item.window,
      threshold: item.threshold,
      ties: item.ties,
      teams: item.teams.join(' '),
      people: item.people,
      ranked: item.ranked_dttm,
      ...toCompleteness(item),
    })),
  );
}

/** Returns a ranking as CSV, with the points of each rule in a column of its own. */
export function toRankTable(
  items: readonly Static<typeof SeasonRankItem>[],
  board: Pick<BoardItem, 'repositories' | 'as_of' | 'rules'>,
): string {
  const completeness = toCompleteness(board);
  const none = Object.fromEntries(board.rules.map(({ number }) => [`rule_${number}`, 0]));
  return toCsv(
    [...rankColumns, ...Object.keys(none), ...completenessColumns],
    items.map((item) => ({ ...toRankRow(item), ...none, ...pointsByRule(item), ...completeness })),
  );
}

function pointsByRule({ points_by_rule: byRule }: Static<typeof SeasonRankItem>): Record<string, number> {
  return Object.fromEntries(byRule.map(({ rule, points }) => [`rule_${rule}`, points]));
}

function toRankRow(item: Static<typeof SeasonRankItem>): Record<string, string | number | null> {
  const { rank, person, points, granted, change, newcomer, returning, eligible, teams, evidence_url: evidence } = item;
  return {
    rank,
    provider: person?.provider ?? '',
    login: person?.name ?? '(anonymous)',
    points,
    granted,
    change,
    newcomer: String(newcomer),
    returning: String(returning),
    eligible: String(eligible ?? ''),
    teams: teams.join(' '),
    evidence,
  };
}

/** Returns the provider to which names without one refer. */
export function readProvider({ definition }: Board): string {
  const { provider = '' }: { provider?: string } = definition;
  return provider;
}

/** The path parameters of endpoints about a board. */
export const BoardPath = Type.Object({
  ...AccountPath.properties,
  slug: Type.String({ maxLength: 64, description: 'Slug of the board, in any letter case.', examples: ['release-4'] }),
});

/** The parameter of lists that are also tables. */
export const TableFormat = Type.Object({
  format: Type.Optional(Type.Enum(['json', 'csv'], { description: '`csv` is the list as a table.', default: 'json' })),
});

/** The board in the metadata of its views. */
export const boardDetails = { title: 'BoardMetadata', properties: { board: BoardItem } };

/** Returns the address of a board. */
/** Returns the address of the page of a board. */
export function boardPageUrl(
  { publicUrl }: Pick<RouteServices, 'publicUrl'>,
  account: { provider: string; name: string },
  slug: string,
): string {
  return `${publicUrl()}/${account.provider}/${toPathPart(account.name)}/boards/${slug}`;
}

export function boardUrl(
  { publicUrl }: Pick<RouteServices, 'publicUrl'>,
  account: { provider: string; name: string },
  slug: string,
): string {
  return `${publicUrl()}/v1/${account.provider}/entities/${toPathPart(account.name)}/boards/${slug}`;
}

/**
 * Returns the envelope of items of a board; `missing` names the repositories and teams that are not completely known.
 */
export function withBoard(
  board: Board,
  ranking: Ranking,
  isOwner: boolean,
  content: { data: readonly unknown[]; previousCursor?: string | undefined; nextCursor?: string | undefined },
): Envelope {
  const item = toBoardItem(board, ranking, { isOwner });
  const missing = listMissing(ranking.coverage);
  return envelope({
    dataType: 'unknown',
    ...content,
    provenance: {
      asOf: ranking.asOf,
      missing: isOwner ? missing : withoutPrivate(missing, ranking.coverage),
      progress: ranking.progress,
      includesPrivate: board.isPrivate,
    },
    board: item,
  });
}
