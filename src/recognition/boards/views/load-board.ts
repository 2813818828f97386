import type { AccessServices } from '../../../accounts/access/services.ts';
import type { RouteServices } from '../../../accounts/resolve.ts';
import { findWait } from '../../../contributions/totals/progress-store.ts';
import type { ResolvedAccount } from '../../../http/pipeline/endpoint.ts';
import { AppError } from '../../../model/errors.ts';
import type { Board } from '../board.ts';
import { findBoard, findFormerBoard, readDefinition, type StoredBoard } from '../board-store.ts';
import { requestBoard } from '../ranking/request-store.ts';
import { findSeason, type Season } from '../seasons/season-store.ts';
import { findPresentRanking, type Ranking } from './view-store.ts';

/**
 * Returns whether a caller may see a board. Only the owner sees one that ranks the members of a team, because hosts
 * keep members private, and one with private repositories, unless the owner publishes these.
 */
export function mayRead({ board }: Pick<StoredBoard, 'board'>, { account, isOwner }: ResolvedAccount): boolean {
  if (board.people.onlyMembersOf !== null && !isOwner) return false;
  return !board.isPrivate || isOwner || account.publishesPrivate;
}

/** Returns whether a caller may see a frozen season: by its own rule, because the present one may be more open. */
export function mayReadSeason({ definition }: { definition: object }, resolved: ResolvedAccount): boolean {
  return mayRead({ board: readDefinition(definition) }, resolved);
}

export function noSuchBoard(): AppError {
  return new AppError('not_found', 'This account has no such board.');
}

/**
 * Refuses what names private repositories or their items to all but the owner of the board: owners may publish numbers
 * of these, never names and items.
 * @throws AppError `not_found` for a board with private repositories.
 */
export function refusePrivate(
  { isPrivate }: Pick<Board, 'isPrivate'>,
  { isOwner }: Pick<ResolvedAccount, 'isOwner'>,
): void {
  if (isPrivate && !isOwner) throw noSuchBoard();
}

/**
 * Finds a board that the caller may see.
 * @throws AppError `not_found` for any other board.
 */
export async function findReadableBoard(
  { connection }: Pick<RouteServices, 'connection'>,
  resolved: ResolvedAccount,
  slug: string,
): Promise<StoredBoard> {
  const found = await findBoard(connection, resolved.account.id, slug);
  if (found === undefined || !mayRead(found, resolved)) throw noSuchBoard();
  return found;
}

/**
 * Finds the present ranking of a board. When none may be shown, requests one, without waiting for it, and returns
 * undefined.
 */
export async function awaitRanking(
  { connection, now }: Pick<RouteServices, 'connection' | 'now'>,
  stored: StoredBoard,
): Promise<Ranking | undefined> {
  const ranking = await findPresentRanking(connection, stored);
  if (ranking === undefined) {
    await requestBoard(connection, stored.id);
    return undefined;
  }
  const { complete, repositories: total, incomplete } = ranking.coverage;
  // Nothing reads the repositories that are not installed.
  if (incomplete.every(({ state }) => state !== 'collecting')) return ranking;
  const scope = { accountId: stored.ownerId, repositoryId: null, withPrivate: stored.board.isPrivate };
  const repositories = { complete, total };
  const wait = await findWait(connection, scope, { repositories, now: now() });
  return { ...ranking, progress: { repositories, ...wait } };
}

type Services = Pick<AccessServices, 'connection'>;

/**
 * Finds a board with its seasons, also one that the file no longer defines.
 * @throws AppError `not_found` where the caller may not see it.
 */
export async function findReadableFormerBoard(
  { connection }: Services,
  context: ResolvedAccount,
  slug: string,
): Promise<StoredBoard> {
  const stored = await findFormerBoard(connection, context.account.id, slug);
  if (stored === undefined || !mayRead(stored, context)) throw noSuchBoard();
  return stored;
}

/**
 * Finds the newest version of a frozen season.
 * @throws AppError `not_found` where the caller may not see it.
 */
export async function findReadableSeason(
  services: Services,
  context: ResolvedAccount,
  { slug, number }: { slug: string; number: number },
): Promise<{ stored: StoredBoard; season: Season }> {
  const stored = await findReadableFormerBoard(services, context, slug);
  const season = await findSeason(services.connection, stored.id, number);
  if (season === undefined || !mayReadSeason(season, context))
    throw new AppError('not_found', 'This board has no such frozen season.');
  return { stored, season };
}
