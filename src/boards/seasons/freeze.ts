import { findById } from '../../accounts/store.ts';
import { findSigner, type Signer, type SigningServices } from '../../achievements/credentials/sign.ts';
import { withEvaluationMemory } from '../../achievements/evaluation/evaluate-store.ts';
import { announce } from '../../database/announcements.ts';
import type { Connection } from '../../database/connection.ts';
import { takeSharedErasureLock } from '../../database/erasure-lock.ts';
import { inTransaction } from '../../database/transaction.ts';
import { findAnyBoard, findBoardById, type StoredBoard } from '../board-store.ts';
import { findMembers } from '../ranking/member-store.ts';
import { type BoardWindow, endedWindows, windowOf } from '../windows.ts';
import { addAnonymousVersion } from './anonymous-store.ts';
import {
  addVersion,
  findIncomplete,
  findSeason,
  findSeasonRanks,
  findSeasons,
  findToFreeze,
  findWithdrawn,
  type Season,
  saveStatement,
  setFreezeTime,
} from './season-store.ts';
import { signStatement } from './statement.ts';

/** The time after the end of a window at which it is frozen even if data is missing; the statement names that data. */
const frozenAfterMs = 3 * 86_400_000;
/** The time after which a window with missing data is tried again. */
const retryMs = 600_000;
const boardsAtOnce = 50;
const seasonsAtOnce = 20;
const maxSeasons = 3000;
const maxPeople = 100_000;

/**
 * Freezes ended windows, and signs new versions of seasons without people who were erased or hidden. Each season is one
 * transaction, so that a process that is killed leaves either all of it or nothing, and the next run does the rest.
 */
export async function freezeSeasons(services: SigningServices): Promise<void> {
  const { connection, now } = services;
  const boards = await findToFreeze(connection, now(), boardsAtOnce);
  const withdrawn = await findWithdrawn(connection, boardsAtOnce);
  if (boards.length + withdrawn.length === 0) return;
  const signer = await findSigner(services);
  for (const { boardId, number } of withdrawn) await signWithoutErased(services, signer, boardId, number);
  for (const boardId of boards) {
    for (let count = 0; count < seasonsAtOnce; count += 1) {
      if (!(await freezeNext(services, signer, boardId))) break;
    }
  }
}

type Services = Pick<SigningServices, 'connection' | 'now'>;

/**
 * Freezes the oldest ended window of a board that is not frozen yet, if everything in it is collected or enough time
 * has passed.
 * @returns true when it froze a window, so that another one may follow.
 */
async function freezeNext({ connection, now }: Services, signer: Signer, boardId: string): Promise<boolean> {
  return withEvaluationMemory(connection, async (transaction) => {
    // The ranks refer to accounts, and an erasure would wait for the rows of seasons that this transaction holds.
    await takeSharedErasureLock(transaction);
    const stored = await findBoardById(transaction, boardId);
    if (stored === undefined) return false;
    const at = now();
    const next = await nextSeason(transaction, stored, at);
    if (next === undefined) {
      await setFreezeTime(transaction, boardId, futureEnd(windowOf(stored.board.window, at), at));
      return false;
    }
    const { window, number } = next;
    const members = await findMembers(transaction, stored.board, stored.ownerId);
    const until = window.until ?? at;
    const missing = members.missingUntil(until);
    if (missing.length > 0 && until.getTime() + frozenAfterMs > at.getTime()) {
      await setFreezeTime(transaction, boardId, new Date(at.getTime() + retryMs));
      return false;
    }
    await addSigned(transaction, signer, stored, {
      number,
      window,
      members,
      missing,
      reason: 'The window has ended.',
      now: at,
    });
    return true;
  });
}

/** Returns the end of a window that lies in the future; null when it has ended, or has no end. */
function futureEnd({ until }: BoardWindow, now: Date): Date | null {
  return until !== null && until > now ? until : null;
}

/** Finds the oldest ended window of a board that is not frozen yet, and the number of its season. */
async function nextSeason(
  transaction: Connection,
  { id, board }: StoredBoard,
  now: Date,
): Promise<{ window: BoardWindow; number: number } | undefined> {
  const frozen = await findSeasons(transaction, id, { limit: maxSeasons });
  const ends = new Set(frozen.map(({ until }) => until.getTime()));
  const window = endedWindows(board.window, now).find(({ until }) => until !== null && !ends.has(until.getTime()));
  return window && { window, number: (frozen[0]?.number ?? 0) + 1 };
}

async function addSigned(
  transaction: Connection,
  signer: Signer,
  { id: boardId, ownerId, board }: StoredBoard,
  added: Omit<Parameters<typeof addVersion>[1], 'boardId' | 'board'>,
): Promise<void> {
  const version = await addVersion(transaction, { boardId, board, ...added });
  await signVersion(transaction, signer, { boardId, ownerId, number: added.number, version });
}

/** Signs a stored version, and announces it. */
async function signVersion(
  transaction: Connection,
  signer: Signer,
  { boardId, ownerId, number, version }: Pick<Season, 'boardId' | 'number' | 'version'> & { ownerId: string },
): Promise<void> {
  const season = await findSeason(transaction, boardId, number);
  const owner = await findById(transaction, ownerId);
  if (season?.version !== version || owner === undefined) throw new Error('a version of a season has disappeared');
  const ranks = await findSeasonRanks(transaction, season, { limit: maxPeople });
  await saveStatement(transaction, season, await signStatement(signer, season, { owner, ranks }));
  await announce(transaction, { kind: 'account', key: ownerId });
}

async function signWithoutErased(
  { connection, now }: Services,
  signer: Signer,
  boardId: string,
  number: number,
): Promise<void> {
  await inTransaction(connection, async (transaction) => {
    await takeSharedErasureLock(transaction);
    const stored = await findAnyBoard(transaction, boardId);
    const season = await findSeason(transaction, boardId, number);
    if (stored === undefined || season === undefined || season.statement !== null) return;
    const version = await addAnonymousVersion(transaction, season, now());
    await signVersion(transaction, signer, { boardId, ownerId: stored.ownerId, number, version });
  });
}

/** The time after its freezing within which a season with missing data is completed automatically. */
const completedWithinMs = 90 * 86_400_000;

/**
 * Counts seasons again that were frozen while data was missing, once everything is collected. Each becomes a new
 * version, with its differences from the former one.
 */
export async function completeSeasons(services: SigningServices): Promise<void> {
  const { connection, now } = services;
  const since = new Date(now().getTime() - completedWithinMs);
  for (const { boardId, number } of await findIncomplete(connection, since, boardsAtOnce)) {
    const reason = 'Data that was missing has been collected.';
    await correctSeason(services, { boardId, number, reason, onlySettled: true });
  }
}

/**
 * Counts a frozen season again, and signs the result as a new version with its differences and the reason.
 * @param correction.onlySettled true to change nothing while anything in its window is not collected.
 */
export async function correctSeason(
  services: SigningServices,
  {
    boardId,
    number,
    reason,
    onlySettled = false,
  }: { boardId: string; number: number; reason: string; onlySettled?: boolean },
): Promise<void> {
  const signer = await findSigner(services);
  await withEvaluationMemory(services.connection, async (transaction) => {
    await takeSharedErasureLock(transaction);
    const stored = await findAnyBoard(transaction, boardId);
    const season = await findSeason(transaction, boardId, number);
    if (stored === undefined || season === undefined) return;
    const now = services.now();
    const members = await findMembers(transaction, stored.board, stored.ownerId);
    const missing = members.missingUntil(season.until);
    if (onlySettled && (missing.length > 0 || season.missing.length === 0)) return;
    const window = windowOfSeason(stored, season, now);
    await addSigned(transaction, signer, stored, { number, window, members, missing, reason, now });
  });
}

/** Returns the window of a frozen season, also where the board's rule has changed since. */
function windowOfSeason({ board }: StoredBoard, { number, since, until }: Season, now: Date): BoardWindow {
  const ended = endedWindows(board.window, now).find((window) => window.until?.getTime() === until.getTime());
  const { timeZone } = board.window;
  return ended ?? { since, until, timeZone, length: null, beforeSince: null, season: number };
}
