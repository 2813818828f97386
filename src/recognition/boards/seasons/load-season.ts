import type { AccessServices } from '../../../accounts/access/services.ts';
import type { ResolvedAccount } from '../../../http/pipeline/endpoint.ts';
import { AppError } from '../../../model/errors.ts';
import { findFormerBoard, type StoredBoard } from '../board-store.ts';
import { mayRead, mayReadSeason, noSuchBoard } from '../views/load-board.ts';
import { findSeason, type Season } from './season-store.ts';

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
