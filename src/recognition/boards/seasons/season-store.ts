import { sql } from 'kysely';
import { isShownInSql } from '../../../accounts/visibility/opt-out-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import type { CountedRepository, Coverage } from '../ranking/coverage.ts';

/** A part of a rule that another version of a season has otherwise; null where a version has no such part. */
export interface RuleDifference {
  /** The place in the file, counted from 1 in lists: `points.1.points`. */
  rule: string;
  /** As JSON. */
  value: string | null;
  formerValue: string | null;
}

/** The most parts that are listed. */
const maxParts = 200;

/** A version of a frozen season. */
export interface Season {
  boardId: string;
  number: number;
  version: number;
  since: Date | null;
  until: Date;
  /** Its rule; empty for an imported season of which no rule is known. */
  definition: object;
  coverage: Coverage;
  /** The repositories that it counted; null: the release that counted it did not store them. */
  counted: CountedRepository[] | null;
  /** The members of the team that alone are ranked, as they were when it was frozen; null: there is no such team, or it was not readable. */
  teamMembers: string[] | null;
  asOf: Date | null;
  /** Repositories and teams that were not known when the version was counted, each with its state. */
  missing: string[];
  frozenAt: Date;
  reason: string;
  /** Changes of the rule, then of ranks and points, since the version before. */
  differences: (RuleDifference | Difference)[];
  /** Null while a version without an erased or hidden person is still to be signed. */
  statement: string | null;
}

/** A person's difference between two versions; a rank is null in the version without the person. */
export interface Difference {
  person: string;
  rank: number | null;
  formerRank: number | null;
  points: number;
  formerPoints: number;
}

/** A rank of a frozen season; its person is null when the account was erased or hidden later. */
export interface SeasonRank {
  place: number;
  rank: number;
  person: SeasonPerson | null;
  points: number;
  granted: number;
  byRule: Readonly<Record<string, number>>;
  previousRank: number | null;
  isNewcomer: boolean;
  isReturning: boolean;
  teams: string[];
}

export interface SeasonPerson {
  id: string;
  provider: string;
  externalId: string;
  type: 'user' | 'organization' | 'bot';
  name: string;
  displayName: string;
  avatarUrl: string;
}

export const seasonColumns = sql`s.board_id as "boardId", s.number, s.version, s.since, s.until, s.definition, s.coverage, s.counted,
  s.team_members as "teamMembers",
  s.as_of as "asOf", s.missing, s.frozen_at as "frozenAt", s.reason, s.differences,
  case when not is_withdrawn(s.board_id, s.number) then s.statement end as statement`;

/**
 * Finds the newest version of each frozen season of a board, that of the newest window first. Numbers follow the order of
 * freezing, in which a file may name older windows later.
 * @param page the found windows lie before that of the season with the number `before`, or after that of `after`.
 */
export async function findSeasons(
  connection: Connection,
  boardId: string,
  { limit, before, after }: { limit: number; before?: number | undefined; after?: number | undefined },
): Promise<Season[]> {
  const direction = after === undefined ? sql`desc` : sql`asc`;
  const { rows } = await sql<Season>`
    with newest as (
      select distinct on (number) * from board_seasons where board_id = ${boardId} and is_written
      order by number desc, version desc)
    select ${seasonColumns} from newest s
    where (${before ?? null}::integer is null
        or (s.until, s.number) < (select until, number from newest where number = ${before ?? null}))
      and (${after ?? null}::integer is null
        or (s.until, s.number) > (select until, number from newest where number = ${after ?? null}))
    order by s.until ${direction}, s.number ${direction} limit ${limit}`.execute(connection);
  return after === undefined ? rows : rows.toReversed();
}

/** Finds the newest version of a season. */
export async function findSeason(connection: Connection, boardId: string, number: number): Promise<Season | undefined> {
  const { rows } = await sql<Season>`
    select ${seasonColumns} from board_seasons s
    where s.board_id = ${boardId} and s.number = ${number} and s.is_written
    order by s.version desc limit 1`.execute(connection);
  return rows[0];
}

/** A version of a season, without its table. */
export type VersionNote = Pick<Season, 'version' | 'frozenAt' | 'reason' | 'differences'>;

/** Finds the reasons and differences of all versions of a season, newest first. */
export async function findVersions(connection: Connection, boardId: string, number: number): Promise<VersionNote[]> {
  const { rows } = await sql<VersionNote>`
    select version, frozen_at as "frozenAt", reason, differences from board_seasons
    where board_id = ${boardId} and number = ${number} and is_written
    order by version desc limit 100`.execute(connection);
  return rows;
}

export type SeasonKey = Pick<Season, 'boardId' | 'number' | 'version'>;

/** The people of a season, with its ranks. */
const ranksSql = sql`
  select r.place, r.rank, r.points, r.granted, r.by_rule as "byRule", r.previous_rank as "previousRank",
    r.is_newcomer as "isNewcomer", r.is_returning as "isReturning", r.teams,
    case when u.id is not null and not r.is_anonymous then json_build_object('id', u.id, 'provider', u.provider,
      'externalId', u.external_id, 'type', u.type, 'name', u.name, 'displayName', u.display_name,
      'avatarUrl', u.avatar_url) end as person
  from board_season_ranks r left join accounts u on u.id = r.account_id and ${isShownInSql('u')}`;

/** A person of a season who is shown, and the number of people in it. */
interface SeasonPersonRank extends SeasonRank {
  person: SeasonPerson;
  people: number;
}

/** Finds a person of a season by login. */
export async function findSeasonPerson(
  connection: Connection,
  { boardId, number, version }: SeasonKey,
  { provider, login }: { provider: string; login: string },
): Promise<SeasonPersonRank | undefined> {
  const { rows } = await sql<SeasonPersonRank>`
    select f.*, (select count(*)::integer from board_season_ranks
      where board_id = ${boardId} and number = ${number} and version = ${version}) as people
    from (${ranksSql}
      where r.board_id = ${boardId} and r.number = ${number} and r.version = ${version} and not r.is_anonymous
        and u.provider = ${provider} and lower(u.name) = lower(${login})) f`.execute(connection);
  return rows[0];
}

/** Finds a page of the people of a season, in their order. */
export async function findSeasonRanks(
  connection: Connection,
  { boardId, number, version }: SeasonKey,
  { limit, after, before }: { limit: number; after?: number | undefined; before?: number | undefined },
): Promise<SeasonRank[]> {
  const { rows } = await sql<SeasonRank>`
    ${ranksSql}
    where r.board_id = ${boardId} and r.number = ${number} and r.version = ${version}
      and (${after ?? null}::integer is null or r.place > ${after ?? null})
      and (${before ?? null}::integer is null or r.place < ${before ?? null})
    order by r.place ${before === undefined ? sql`asc` : sql`desc`} limit ${limit}`.execute(connection);
  return before === undefined ? rows : rows.toReversed();
}

/** Finds the newest versions of seasons whose statement was withdrawn, because a person in it was erased or hidden. */
export async function findWithdrawn(
  connection: Connection,
  limit: number,
): Promise<Pick<Season, 'boardId' | 'number'>[]> {
  const { rows } = await sql<Pick<Season, 'boardId' | 'number'>>`
    select distinct s.board_id as "boardId", s.number from board_seasons s
    where s.statement is null and s.is_written and s.version = (
      select max(n.version) from board_seasons n where n.board_id = s.board_id and n.number = s.number)
    limit ${limit}`.execute(connection);
  return rows;
}

/** Finds the newest versions of seasons that were frozen since a moment while data was missing, in random order. */
export async function findIncomplete(
  connection: Connection,
  since: Date,
  limit: number,
): Promise<Pick<Season, 'boardId' | 'number'>[]> {
  const { rows } = await sql<Pick<Season, 'boardId' | 'number'>>`
    select s.board_id as "boardId", s.number from board_seasons s
    where s.missing <> '{}' and s.statement is not null and s.frozen_at >= ${since} and s.version = (
      select max(n.version) from board_seasons n where n.board_id = s.board_id and n.number = s.number)
    order by random() limit ${limit}`.execute(connection);
  return rows;
}

/** Stores the time from which a board may have a window to freeze; null: never. */
export async function setFreezeTime(connection: Connection, boardId: string, at: Date | null): Promise<void> {
  await connection.updateTable('boards').set({ freeze_at: at }).where('id', '=', boardId).execute();
}

/** Finds the boards that may have a window to freeze. */
export async function findToFreeze(connection: Connection, now: Date, limit: number): Promise<string[]> {
  const rows = await connection
    .selectFrom('boards')
    .select('id')
    .where('freeze_at', '<=', now)
    .where('is_current', '=', true)
    .orderBy('freeze_at')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/**
 * Returns how the rule of a version differs from the one of the version before. Patterns of repositories are left out where one
 * of the two counts private ones, because they may name these.
 */
export function compareRules(rule: object, former: object): RuleDifference[] {
  const isPrivate = [rule, former].some((stored) => 'private' in stored && stored.private === true);
  const [parts, formerParts] = [toParts(rule), toParts(former)];
  return [...new Set([...formerParts.keys(), ...parts.keys()])]
    .map((place) => ({
      rule: place,
      value: parts.get(place) ?? null,
      formerValue: formerParts.get(place) ?? null,
    }))
    .filter(
      ({ rule: place, value, formerValue }) => value !== formerValue && !(isPrivate && /^repositories\b/.test(place)),
    )
    .slice(0, maxParts);
}

/** Returns the values of a rule as JSON, by their places. */
function toParts(rule: object): Map<string, string> {
  const parts = new Map<string, string>();
  const add = (place: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) parts.set(place, JSON.stringify(value));
    else for (const [key, part] of toEntries(value)) add(place === '' ? key : `${place}.${key}`, part);
  };
  add('', rule);
  return parts;
}

function toEntries(value: object): [string, unknown][] {
  return Array.isArray(value) ? value.map((part, index) => [String(index + 1), part]) : Object.entries(value);
}
