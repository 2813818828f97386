import { sql } from 'kysely';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import { isShownInSql } from '../../../accounts/visibility/opt-out-store.ts';
import { knownUntil } from '../../../contributions/items/collection-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { formatTimestamp } from '../../../http/pipeline/envelope.ts';
import { contributionKinds } from '../../../model/kinds.ts';
import { kindsAbove, kindsOfAction } from '../../rules/kinds.ts';
import type { Board, RepositoryPattern } from '../board.ts';
import { maxRepositories } from '../file/schema.ts';
import { namesUnknownPeople } from '../people/named-people-store.ts';
import { findUnreadTeams, listTeamKeys } from '../people/team-store.ts';
import { type CountedRepository, type Coverage, type IncompleteRepository, listMissing } from './coverage.ts';

/** The repositories that a board counts, and how far they are collected. */
export interface Members {
  /** The owner of the board; only teams of this account count. */
  ownerId: string;
  ids: string[];
  /** The owners of these repositories, in the same order. */
  ownerIds: string[];
  coverage: Coverage;
  /** These repositories, by name, each with the time up to which it is known. */
  counted: CountedRepository[];
  /** The time up to which all installed ones are known; null when none is. */
  asOf: Date | null;
  /** True while one of them is being read for the first time, so that contributions older than the known ones may follow. */
  isBeingRead: boolean;
  /** The members of the only team that is ranked, as a season stored them; absent: the present ones. */
  teamMembers?: readonly string[];
  /**
   * Returns the repositories, each with its state, and the teams of which not everything before `until` is known; none
   * where everything is.
   */
  missingUntil: (until: Date) => string[];
}

/** The repositories and members of a team that a frozen season counts, also where its patterns and the team have others by now. */
interface FrozenMembers {
  counted: readonly CountedRepository[] | null;
  coverage: Coverage;
  teamMembers: readonly string[] | null;
}

interface MemberRow {
  id: string;
  owner_id: string;
  provider: string;
  path: string;
  /** The places of the patterns that match it among those of the board. */
  patterns: number[];
  is_private: boolean;
  is_installed: boolean;
  is_complete: boolean | null;
  is_being_read: boolean | null;
  known_until: Date | null;
}

/**
 * Finds the repositories that the patterns of a board match: public ones, and where the board says so also the private
 * ones of its owner.
 * @param frozen a season, which counts the repositories that it stored, and those of patterns that matched none then.
 */
export async function findMembers(
  connection: Connection,
  board: Board,
  ownerId: string,
  frozen?: FrozenMembers,
): Promise<Members> {
  const required = requiredKinds(board);
  const isRequired = sql`s.covers && ${required}::text[]`;
  const kept = frozen?.counted?.flatMap(({ id }) => id ?? []) ?? [];
  const searched = searchedPatterns(board, kept.length > 0 ? frozen : undefined);
  const patterns = board.repositories.flatMap(({ isIncluded, places }, place) =>
    (isIncluded && !searched.has(place) ? [] : places).map(({ provider, owner, name }) => ({
      place,
      included: isIncluded,
      provider,
      owner: owner.toLowerCase(),
      name: toRegularExpression(name),
    })),
  );
  const { rows } = await sql<MemberRow>`
    with patterns as (
      select * from json_to_recordset(${JSON.stringify(patterns)}::json)
        as p (place integer, included boolean, provider text, owner text, name text)
    ), owners as (
      select p.provider, p.owner, o.id, o.name from (select distinct provider, owner from patterns where included) p
      cross join lateral (
        select a.id, a.name from accounts a
        where a.provider = p.provider and lower(a.name) = p.owner and (${isShownInSql('a')} or a.id = ${ownerId})
        order by a.named_at desc limit 1) o
    ), members as (
      select distinct r.id, r.provider, o.name || '/' || r.name as path, r.owner_id, r.is_private,
        r.installed_at is not null as is_installed, m.patterns
      from owners o join repositories r on r.owner_id = o.id cross join lateral (
        select array_agg(distinct p.place order by p.place) as patterns from patterns p
        where p.included and p.provider = o.provider and p.owner = o.owner and r.name ~* p.name) m
      where ${isPresentInSql('r')} and (not r.is_private or (${board.isPrivate}::boolean and r.owner_id = ${ownerId}))
        and m.patterns is not null
        and not exists (select from patterns p
          where not p.included and p.provider = o.provider and p.owner = o.owner and r.name ~* p.name)
        and r.id <> all(${kept}::uuid[])
      union all
      select r.id, r.provider, o.name || '/' || r.name, r.owner_id, r.is_private, r.installed_at is not null, '{}'
      from repositories r join accounts o on o.id = r.owner_id and (${isShownInSql('o')} or o.id = ${ownerId})
      where r.id = any(${kept}::uuid[]) and ${isPresentInSql('r')}
        and (not r.is_private or (${board.isPrivate}::boolean and r.owner_id = ${ownerId}))
      order by 2, 3 limit ${maxRepositories + 1})
    select m.*, s.is_complete, s.is_being_read, s.known_until from members m left join lateral (
      select bool_and(s.completed_at is not null and (s.is_deep or 'commit' = any(s.covers))) filter (where ${isRequired}) as is_complete,
        coalesce(bool_or(s.completed_at is null), false) as is_being_read,
        case when bool_and(${knownUntil} is not null) filter (where ${isRequired}) then min(${knownUntil}) filter (where ${isRequired}) end as known_until
      from streams s join repositories r on r.id = s.repository_id
      where r.id = m.id and s.covers && ${[...required, ...kindsOfNewcomers(board)]}::text[]
      having count(*) filter (where ${isRequired}) > 0) s on true
    order by m.provider, m.path`.execute(connection);
  const teams = frozen === undefined ? listTeamKeys(board) : (frozen.coverage.unreadTeams ?? []);
  const unreadTeams = await findUnreadTeams(connection, ownerId, teams);
  const mayBeUnknown = frozen === undefined || frozen.coverage.namesUnknownPeople === true;
  const isOfUnknown = mayBeUnknown && (await namesUnknownPeople(connection, board));
  const found = { unreadTeams, namesUnknownPeople: isOfUnknown, searched, lost: listLost(rows, frozen) };
  const { teamMembers = null } = frozen ?? {};
  return { ownerId, ...(teamMembers !== null && { teamMembers }), ...toMembers(rows, board, found) };
}

/** Returns the places of the patterns that are searched for repositories: of a season, those that matched none then. */
function searchedPatterns({ repositories }: Board, frozen: FrozenMembers | undefined): Set<number> {
  if (frozen === undefined) return new Set(repositories.keys());
  const counted = new Set(frozen.counted?.map(({ repository }) => repository));
  const absent = new Set(
    frozen.coverage.incomplete.flatMap((entry) => (counted.has(entry.repository) ? [] : entry.repository)),
  );
  return new Set(repositories.flatMap((pattern, place) => (absent.has(toName(pattern)) ? place : [])));
}

/** Returns the names of the repositories that a season counts and that are not there any more, or not public. */
function listLost(rows: readonly MemberRow[], frozen: FrozenMembers | undefined): string[] {
  const found = new Set(rows.map(({ id }) => id));
  return frozen?.counted?.flatMap(({ id, repository }) => (id === undefined || found.has(id) ? [] : repository)) ?? [];
}

/** Returns the kinds of contributions on which it depends who is ranked on a board, and with which points. */
function requiredKinds(board: Pick<Board, 'rules' | 'people'>): string[] {
  const kinds = board.rules.flatMap(({ action }) => (action === 'point' ? [] : kindsOfAction[action]));
  const ofRules = kinds.flatMap((kind) => [kind, kindsAbove[kind] ?? kind]);
  return [...new Set([...ofRules, ...(board.people.newcomersAlone ? kindsOfNewcomers(board) : [])])];
}

/** Returns the kinds that decide which people are newcomers on a board and that its rules do not count. */
function kindsOfNewcomers({ people }: Pick<Board, 'people'>): readonly string[] {
  return people.isNewToRules === true ? [] : contributionKinds;
}

interface Found {
  unreadTeams: string[];
  namesUnknownPeople: boolean;
  /** The places of the patterns that are searched. */
  searched: ReadonlySet<number>;
  /** The repositories of a season that are not there any more. */
  lost: readonly string[];
}

function toMembers(
  found: readonly MemberRow[],
  board: Pick<Board, 'repositories' | 'isPrivate'>,
  { unreadTeams, namesUnknownPeople, searched, lost }: Found,
): Omit<Members, 'ownerId'> {
  const rows = found.slice(0, maxRepositories);
  const incomplete = rows.flatMap((row): IncompleteRepository[] => {
    const repository = `${row.provider}/${row.path}`;
    if (!row.is_installed) return [{ repository, state: 'not_installed', isPrivate: row.is_private }];
    return row.is_complete === true ? [] : [{ repository, state: 'collecting', isPrivate: row.is_private }];
  });
  const absent = [
    ...toAbsent(rows, board, searched),
    ...lost.map((repository) => ({ repository, state: 'not_installed', isPrivate: board.isPrivate }) as const),
  ];
  const known = rows.filter((row) => row.is_installed).map((row) => row.known_until);
  const times = known.map((at) => at?.getTime() ?? 0);
  const coverage: Coverage = {
    repositories: rows.length + absent.length,
    complete: rows.length - incomplete.length,
    incomplete: [...incomplete, ...absent],
    isCut: found.length > rows.length,
    ...(unreadTeams.length > 0 && { unreadTeams }),
    ...(namesUnknownPeople && { namesUnknownPeople }),
  };
  return {
    ids: rows.map(({ id }) => id),
    ownerIds: rows.map((row) => row.owner_id),
    coverage,
    counted: rows.map(
      ({ id, provider, path, is_installed: isInstalled, is_complete: isComplete, known_until: known }) => ({
        id,
        repository: `${provider}/${path}`,
        knownUntil: isInstalled && isComplete === true && known !== null ? formatTimestamp(known) : null,
      }),
    ),
    asOf: times.length === 0 || times.includes(0) ? null : new Date(Math.min(...times)),
    isBeingRead: rows.some((row) => row.is_being_read ?? row.is_installed),
    missingUntil: (until) => {
      const named = new Set(incomplete.map(({ repository }) => repository));
      const outdated = rows.flatMap(({ provider, path, known_until: known }) =>
        named.has(`${provider}/${path}`) || (known !== null && known >= until) ? [] : [`${provider}/${path}: outdated`],
      );
      return [...listMissing(coverage), ...outdated];
    },
  };
}

/**
 * Returns the patterns that match no repository: it is deleted, private, renamed or transferred, which look the same to
 * callers, or it never existed. Those of a board with private repositories may name private ones.
 */
function toAbsent(
  rows: readonly MemberRow[],
  { repositories, isPrivate }: Pick<Board, 'repositories' | 'isPrivate'>,
  searched: ReadonlySet<number>,
): IncompleteRepository[] {
  const matching = new Set(rows.flatMap((row) => row.patterns));
  return repositories.flatMap((pattern, place): IncompleteRepository[] => {
    if (!pattern.isIncluded || matching.has(place) || !searched.has(place)) return [];
    return [{ repository: toName(pattern), state: 'not_installed', isPrivate }];
  });
}

/** Returns the name of a pattern in lists of missing repositories. */
function toName({ places, text }: RepositoryPattern): string {
  const names = places.map(({ provider, owner, name }) => `${provider}/${owner}/${name}`);
  return names.at(-1) ?? text;
}

/** Returns the regular expression, for PostgreSQL, of a name in which `*` and `?` stand for any letters. */
function toRegularExpression(name: string): string {
  const escaped = name.replace(/[.+^${}()|[\]\\-]/g, String.raw`\$&`);
  return `^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`;
}

/** Returns whether the repositories that a board counts differ from the stored ones (see `saveMembers`). */
export async function hasOtherMembers(
  transaction: Connection,
  boardId: string,
  ids: readonly string[],
): Promise<boolean> {
  const { rows } = await sql<{ ids: string[] }>`
    select array(select repository_id from board_repositories where board_id = ${boardId}) as ids`.execute(transaction);
  const stored = new Set(rows[0]?.ids);
  return stored.size !== ids.length || ids.some((id) => !stored.has(id));
}

/** Stores which repositories a board counts, so that their changes lead to a new ranking. */
export async function saveMembers(transaction: Connection, boardId: string, ids: readonly string[]): Promise<void> {
  await sql`
    delete from board_repositories
    where board_id = ${boardId} and repository_id <> all(${ids}::uuid[])`.execute(transaction);
  await sql`
    insert into board_repositories (board_id, repository_id)
    select ${boardId}, r.id from repositories r where r.id = any(${ids}::uuid[])
    order by r.id on conflict do nothing`.execute(transaction);
}
