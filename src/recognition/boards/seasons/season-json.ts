import { type Static, Type } from 'typebox';
import { toCsv } from '../../../http/pipeline/csv.ts';
import type { HandlerResult } from '../../../http/pipeline/endpoint.ts';
import { formatTimestamp, OptionalTimestampSchema, TimestampSchema } from '../../../http/pipeline/envelope.ts';
import type { Board } from '../board.ts';
import { hasRule, readDefinition } from '../definition.ts';
import { withoutPrivate } from '../ranking/coverage.ts';
import {
  BoardItem,
  completenessColumns,
  readProvider,
  type SeasonRankItem,
  toCompleteness,
  toRankTable,
  toRepositories,
  toRules,
} from '../views/board-json.ts';
import type { Season, VersionNote } from './season-store.ts';

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
export const Version = Type.Object(
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
export const SeasonItem = Type.Object(
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

export function toSeasonItem(
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

const seasonColumns = 'number,version,name,since,until,time_zone,threshold,frozen,reason,missing,url,statement'.split(
  ',',
);

/** Returns a list of seasons as CSV. */
export function toSeasonTable(items: readonly Static<typeof SeasonItem>[]): string {
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

export function toVersion({ version, frozenAt, reason, differences }: VersionNote): Static<typeof Version> {
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
