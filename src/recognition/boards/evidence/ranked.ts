import type { RouteServices } from '../../../accounts/resolve.ts';
import type { ResolvedAccount } from '../../../http/pipeline/endpoint.ts';
import { AppError } from '../../../model/errors.ts';
import type { Board } from '../board.ts';
import { hasRule, readDefinition } from '../definition.ts';
import { findMembers } from '../ranking/member-store.ts';
import { findReadableSeason } from '../seasons/load-season.ts';
import { findSeasonPerson } from '../seasons/season-store.ts';
import { providerOf } from '../views/board-json.ts';
import { findRankedRepositories } from '../views/evidence-store.ts';
import { awaitRanking, findReadableBoard, refusePrivate } from '../views/load-board.ts';
import { findPerson, type RankedPerson, type Ranking } from '../views/view-store.ts';
import { type BoardWindow, windowOf } from '../windows.ts';

/** The points of a person on a board, and the data of which they consist. */
export interface PersonScore {
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

/**
 * Finds the points of a person in the present ranking or in a frozen season.
 * @returns undefined while no ranking may be shown, or while a season waits for a signature because a person was erased
 *   or hidden.
 * @throws AppError `not_found` for a board or season that the caller may not see, and for a person who is not on it.
 */
export async function findPersonScore(
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
    window: windowOf(board.window, ranking.builtAt),
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
  return { provider: parts.length === 0 ? providerOf(board) : parts.join('/').toLowerCase(), login };
}

function noSuchPerson(): AppError {
  return new AppError('not_found', 'This board ranks no such person.');
}
