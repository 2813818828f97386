import { findById } from '../../accounts/store.ts';
import { findSigner, type Signer, type SigningServices } from '../../achievements/credentials/sign.ts';
import { withEvaluationMemory } from '../../achievements/evaluation/evaluate-store.ts';
import { announce } from '../../database/announcements.ts';
import type { Connection } from '../../database/connection.ts';
import { inBatches } from '../../database/delete-some.ts';
import { takeSharedErasureLock } from '../../database/erasure-lock.ts';
import { inTransaction } from '../../database/transaction.ts';
import { AppError } from '../../errors.ts';
import { findAnyBoard, findBoardById, type StoredBoard } from '../board-store.ts';
import { findMembers } from '../ranking/member-store.ts';
import { type BoardWindow, endedWindows, windowOf } from '../windows.ts';
import { addAnonymousVersion, removeFormerTables, withoutHidden } from './anonymous-store.ts';
import {
  findIncomplete,
  findSeason,
  findSeasonRanks,
  findSeasons,
  findToFreeze,
  findWithdrawn,
  type Season,
  setFreezeTime,
} from './season-store.ts';
import { signStatement } from './statement.ts';
import {
  addVersion,
  findBoardsToWrite,
  findUnwritten,
  forgetHidden,
  hasUnwritten,
  lockSeason,
  saveNextPart,
  saveStatement,
  storeDifferences,
} from './version-store.ts';

/** The time after the end of a window at which it is frozen even if data is missing; the statement names that data. */
const frozenAfterMs = 3 * 86_400_000;
/** The time after which a window with missing data is tried again. */
const retryMs = 600_000;
const boardsAtOnce = 50;
const seasonsAtOnce = 20;
const maxSeasons = 3000;
const maxPeople = 100_000;

/** The most rows of former tables that one transaction removes. */
const rowsAtOnce = 10_000;
/** The most attempts to count a season while other processes count seasons of the same board. */
const maxAttempts = 5;

/** The services, and the most people of a season that one transaction stores. */
type FreezingServices = SigningServices & { peopleAtOnce?: number };

/**
 * Freezes ended windows, and signs new versions of seasons without people who were erased or hidden. One transaction counts
 * a season, and others store it in parts, of which readers see none before the statement. The next run completes what a
 * process that is killed left.
 */
export async function freezeSeasons(services: FreezingServices): Promise<void> {
  const { connection, now } = services;
  await inBatches(() => removeFormerTables(connection, rowsAtOnce));
  const unwritten = await findBoardsToWrite(connection, boardsAtOnce);
  const boards = await findToFreeze(connection, now(), boardsAtOnce);
  const withdrawn = await findWithdrawn(connection, boardsAtOnce);
  if (unwritten.length + boards.length + withdrawn.length === 0) return;
  const signer = await findSigner(services);
  for (const boardId of unwritten) await writeSeasons(services, signer, boardId);
  for (const { boardId, number } of withdrawn) {
    await addWithoutErased(services, boardId, number);
    await writeSeasons(services, signer, boardId);
  }
  for (const boardId of boards) {
    for (let count = 0; count < seasonsAtOnce; count += 1) {
      if (!(await freezeNext(services, boardId))) break;
      await writeSeasons(services, signer, boardId);
    }
  }
  await inBatches(() => removeFormerTables(connection, rowsAtOnce));
}

type Services = Pick<FreezingServices, 'connection' | 'now' | 'peopleAtOnce'>;

/**
 * Counts the oldest ended window of a board that is not frozen yet, if everything in it is collected or enough time has
 * passed.
 * @returns true when it counted a window, so that another one may follow.
 */
async function freezeNext({ connection, now, peopleAtOnce }: Services, boardId: string): Promise<boolean> {
  return withEvaluationMemory(connection, async (transaction) => {
    // The ranks refer to accounts, and an erasure would wait for the rows of seasons that this transaction holds.
    await takeSharedErasureLock(transaction);
    const stored = await findBoardById(transaction, boardId);
    if (stored === undefined || (await hasUnwritten(transaction, boardId))) return false;
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
    const reason = 'The window has ended.';
    const added = { boardId, board: stored.board, number, window, members, missing, reason, now: at };
    await addVersion(transaction, added, peopleAtOnce);
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

/** Stores the tables and statements of the counted seasons of a board, a part in each transaction, and announces them. */
async function writeSeasons({ connection }: Services, signer: Signer, boardId: string): Promise<void> {
  let state: 'more' | 'done' = 'more';
  while (state === 'more') {
    state = await inTransaction(connection, async (transaction) => {
      await takeSharedErasureLock(transaction);
      const stored = await findAnyBoard(transaction, boardId);
      const season = stored && (await findUnwritten(transaction, boardId));
      if (stored === undefined || season === undefined) return 'done';
      if (!(await saveNextPart(transaction, season))) await signVersion(transaction, signer, season, stored.ownerId);
      return 'more';
    });
  }
}

/** Signs a version whose table is stored, and announces it. */
async function signVersion(transaction: Connection, signer: Signer, counted: Season, ownerId: string): Promise<void> {
  const owner = await findById(transaction, ownerId);
  if (owner === undefined) throw new Error('the owner of a board has disappeared');
  await lockSeason(transaction, counted);
  const season = await withoutHidden(transaction, counted);
  await forgetHidden(transaction, season);
  await storeDifferences(transaction, season);
  const ranks = await findSeasonRanks(transaction, season, { limit: maxPeople });
  await saveStatement(transaction, season, await signStatement(signer, season, { owner, ranks }));
  await announce(transaction, { kind: 'account', key: ownerId });
}

/** Copies a season without the people who were erased or hidden since. */
async function addWithoutErased(
  { connection, now, peopleAtOnce }: Services,
  boardId: string,
  number: number,
): Promise<void> {
  await inTransaction(connection, async (transaction) => {
    await takeSharedErasureLock(transaction);
    const stored = await findAnyBoard(transaction, boardId);
    const season = await findSeason(transaction, boardId, number);
    if (stored === undefined || season === undefined || season.statement !== null) return;
    if (await hasUnwritten(transaction, boardId)) return;
    await addAnonymousVersion(transaction, season, now(), peopleAtOnce);
  });
}

/** The time after its freezing within which a season with missing data is completed automatically. */
const completedWithinMs = 90 * 86_400_000;

/**
 * Counts seasons again that were frozen while data was missing, once everything is collected. Each becomes a new
 * version, with its differences from the former one.
 */
export async function completeSeasons(services: FreezingServices): Promise<void> {
  const { connection, now } = services;
  const since = new Date(now().getTime() - completedWithinMs);
  for (const { boardId, number } of await findIncomplete(connection, since, boardsAtOnce)) {
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
export async function correctSeason(services: FreezingServices, correction: SeasonCorrection): Promise<void> {
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

/** @returns false when another process counts a season of the board. */
async function countAgain(
  { connection, now, peopleAtOnce }: Services,
  { boardId, number, reason, onlySettled = false }: SeasonCorrection,
): Promise<boolean> {
  return withEvaluationMemory(connection, async (transaction) => {
    await takeSharedErasureLock(transaction);
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
