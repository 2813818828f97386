import { findSigner } from '../../achievements/credentials/sign.ts';
import { withEvaluationMemory } from '../../achievements/evaluation/evaluate-store.ts';
import { AppError } from '../../errors.ts';
import { findAnyBoard, type StoredBoard } from '../board-store.ts';
import { findMembers } from '../ranking/member-store.ts';
import { type BoardWindow, endedWindows } from '../windows.ts';
import { findIncomplete, findSeason, type Season } from './season-store.ts';
import { addVersion, hasUnwritten } from './version-store.ts';
import { type CountingServices, type SeasonServices, writeSeasons } from './write-seasons.ts';

/** The most seasons that one run completes. */
const seasonsAtOnce = 50;
/** The most attempts to count a season while other processes count seasons of the same board. */
const maxAttempts = 5;
/** The time after its freezing within which a season with missing data is completed automatically. */
const completedWithinMs = 90 * 86_400_000;

/**
 * Counts seasons again that were frozen while data was missing, once everything is collected. Each becomes a new
 * version, with its differences from the former one.
 */
export async function completeSeasons(services: SeasonServices): Promise<void> {
  const { connection, now } = services;
  const since = new Date(now().getTime() - completedWithinMs);
  for (const { boardId, number } of await findIncomplete(connection, since, seasonsAtOnce)) {
    const reason = 'Data that was missing has been collected.';
    await correctSeason(services, { boardId, number, reason, onlySettled: true });
  }
}

interface SeasonCorrection {
  boardId: string;
  number: number;
  reason: string;
  onlySettled?: boolean;
}

/**
 * Counts a frozen season again, and signs the result as a new version with its differences and the reason.
 * @param correction.onlySettled true to change nothing while anything in its window is not collected.
 */
export async function correctSeason(services: SeasonServices, correction: SeasonCorrection): Promise<void> {
  const { boardId } = correction;
  const signer = await findSigner(services);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    await writeSeasons(services, signer, boardId);
    if (!(await countAgain(services, correction))) continue;
    await writeSeasons(services, signer, boardId);
    return;
  }
  throw new AppError('overloaded', 'Seasons of this board are being counted. Try again later.');
}

/** Counts a season again. Erasures do not wait for it (see `addVersion`). @returns false when another process counts one of the board. */
async function countAgain(
  { connection, now, peopleAtOnce }: CountingServices,
  { boardId, number, reason, onlySettled = false }: SeasonCorrection,
): Promise<boolean> {
  return withEvaluationMemory(connection, async (transaction) => {
    const stored = await findAnyBoard(transaction, boardId);
    if (stored === undefined) return true;
    if (await hasUnwritten(transaction, boardId)) return false;
    const season = await findSeason(transaction, boardId, number);
    if (season === undefined) return true;
    const at = now();
    const members = await findMembers(transaction, stored.board, stored.ownerId);
    const missing = members.missingUntil(season.until);
    if (onlySettled && (missing.length > 0 || season.missing.length === 0)) return true;
    const window = windowOfSeason(stored, season, at);
    const added = { boardId, board: stored.board, number, window, members, missing, reason, now: at };
    await addVersion(transaction, added, peopleAtOnce);
    return true;
  });
}

/** Returns the window of a frozen season, also where the board's rule has changed since. */
function windowOfSeason({ board }: StoredBoard, { number, since, until }: Season, now: Date): BoardWindow {
  const ended = endedWindows(board.window, now).find((window) => window.until?.getTime() === until.getTime());
  const { timeZone } = board.window;
  return ended ?? { since, until, timeZone, length: null, beforeSince: null, season: number };
}
