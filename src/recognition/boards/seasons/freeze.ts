import type { Connection } from '../../../database/connections/connection.ts';
import { inBatches } from '../../../database/connections/in-batches.ts';
import { inTransaction } from '../../../database/connections/transaction.ts';
import { takeSharedErasureLock } from '../../../database/schema/erasure-lock.ts';
import { withEvaluationMemory } from '../../rules/evaluation/evaluate-store.ts';
import { findSigner } from '../../signing/sign.ts';
import { findAnyBoard, findBoardById, type StoredBoard } from '../board-store.ts';
import { type BoardWindow, endedWindows, settledAt, toBoardWindow } from '../board-window.ts';
import { findMembers } from '../ranking/member-store.ts';
import { addAnonymousVersion, removeFormerTables } from './anonymous-store.ts';
import { findSeason, findSeasons, findToFreeze, findWithdrawn, setFreezeTime } from './season-store.ts';
import { addVersion, findBoardsToWrite, hasUnwritten } from './season-version-store.ts';
import { withdrawAll } from './withdrawal-store.ts';
import { type CountingServices, type SeasonServices, writeSeasons } from './write-seasons.ts';

/** The time after the end of a window at which it is frozen even if data is missing; the statement names that data. */
const frozenAfterMs = 3 * 86_400_000;
/** The time after which a window with missing data is tried again. */
const retryMs = 600_000;
const boardsAtOnce = 50;
const seasonsAtOnce = 20;
const maxSeasons = 3000;

/** The most rows of former tables that one transaction removes. */
const rowsAtOnce = 10_000;

/**
 * Freezes ended windows, and signs new versions of seasons without people who were erased or hidden. One transaction counts
 * a season, and others store it in parts, of which readers see none before the statement. The next run, or one at the same
 * time, completes what a process that is killed left.
 */
export async function freezeSeasons(services: SeasonServices): Promise<void> {
  const { connection, now } = services;
  await withdrawAll(connection, services.withdrawnAtOnce);
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
      const hasCounted = await freezeNext(services, boardId);
      // Another process may have counted one, and not signed it yet.
      await writeSeasons(services, signer, boardId);
      if (!hasCounted) break;
    }
  }
  await inBatches(() => removeFormerTables(connection, rowsAtOnce));
}

/**
 * Counts the oldest ended window of a board that is not frozen yet, if everything in it is collected or enough time has
 * passed. Erasures do not wait for the count (see `addVersion`).
 * @returns true when it counted a window, so that another one may follow.
 */
async function freezeNext({ connection, now, peopleAtOnce }: CountingServices, boardId: string): Promise<boolean> {
  return withEvaluationMemory(connection, async (transaction) => {
    const stored = await findBoardById(transaction, boardId);
    if (stored === undefined || (await hasUnwritten(transaction, boardId))) return false;
    const at = now();
    const next = await nextSeason(transaction, stored, at);
    if (next === undefined) {
      await setFreezeTime(transaction, boardId, futureEnd(toBoardWindow(stored.board.window, at), at));
      return false;
    }
    const { window, number } = next;
    const until = settledAt(stored.board, window, window.until ?? at);
    if (until > at) {
      await setFreezeTime(transaction, boardId, until);
      return false;
    }
    const members = await findMembers(transaction, stored.board, stored.ownerId);
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
  return window && { window, number: Math.max(0, ...frozen.map(({ number }) => number)) + 1 };
}

/** Copies a season without the people who were erased or hidden since. */
async function addWithoutErased(
  { connection, now, peopleAtOnce }: CountingServices,
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
