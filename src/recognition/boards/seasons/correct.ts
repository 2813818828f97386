import type { Connection } from '../../../database/connections/connection.ts';
import { AppError } from '../../../model/errors.ts';
import { withEvaluationMemory } from '../../rules/evaluation/evaluate-store.ts';
import { findSigner } from '../../signing/sign.ts';
import type { Board } from '../board.ts';
import { findAnyBoard, hasRule, readDefinition, type StoredBoard } from '../board-store.ts';
import { type BoardWindow, endedWindows, settledAt } from '../board-window.ts';
import { withoutPrivate } from '../ranking/coverage.ts';
import { findMembers, type Members } from '../ranking/member-store.ts';
import { type CountingServices, type SeasonServices, writeSeasons } from './freeze.ts';
import { findIncomplete, findSeason, type Season } from './season-store.ts';
import { addVersion, hasUnwritten, type NewVersion, settledIn } from './season-version-store.ts';

/** The most seasons that one run completes. */
const seasonsAtOnce = 50;
/** The most attempts to count a season while other processes count seasons of the same board. */
const maxAttempts = 5;
/** The time after its freezing within which a season with missing data is completed automatically. */
const completedWithinMs = 90 * 86_400_000;
/** The most repositories that the reason of a version names. */
const maxNamed = 20;

/**
 * Adds missing data to seasons that were frozen without it, once all of it is collected. Each becomes a new version, with its
 * differences from the former one.
 */
export async function completeSeasons(services: SeasonServices): Promise<void> {
  const { connection, now } = services;
  const since = new Date(now().getTime() - completedWithinMs);
  for (const { boardId, number } of await findIncomplete(connection, since, seasonsAtOnce))
    await addCorrectedVersion(services, boardId, (transaction, stored, at) =>
      toLate(transaction, { stored, number, at }),
    );
}

/** A correction that the owner of a board requests. */
interface SeasonCorrection {
  boardId: string;
  number: number;
  reason: string;
  /** True to count by the present rule, repositories and members of teams, in place of those of the season. */
  byPresentRule?: boolean;
}

/**
 * Counts a frozen season again, and signs the result as a new version with its differences and the reason.
 * @throws AppError `conflict` for a season without a rule, and where the present rule would show a season to everyone that
 *   was frozen for its owner alone.
 */
export async function correctSeason(services: SeasonServices, correction: SeasonCorrection): Promise<void> {
  await addCorrectedVersion(services, correction.boardId, (transaction, stored, at) =>
    toCorrected(transaction, { stored, at, ...correction }),
  );
}

type ToVersion = (transaction: Connection, stored: StoredBoard, at: Date) => Promise<NewVersion | undefined>;

async function addCorrectedVersion(services: SeasonServices, boardId: string, toVersion: ToVersion): Promise<void> {
  const signer = await findSigner(services);
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    await writeSeasons(services, signer, boardId);
    if (!(await countAgain(services, boardId, toVersion))) continue;
    await writeSeasons(services, signer, boardId);
    return;
  }
  throw new AppError('overloaded', 'Seasons of this board are being counted. Try again later.');
}

/** Counts a season again. Erasures do not wait for it (see `addVersion`). @returns false when another process counts one of the board. */
async function countAgain(
  { connection, now, peopleAtOnce }: CountingServices,
  boardId: string,
  toVersion: ToVersion,
): Promise<boolean> {
  return withEvaluationMemory(connection, async (transaction) => {
    const stored = await findAnyBoard(transaction, boardId);
    if (stored === undefined) return true;
    if (await hasUnwritten(transaction, boardId)) return false;
    const added = await toVersion(transaction, stored, now());
    if (added !== undefined) await addVersion(transaction, added, peopleAtOnce);
    return true;
  });
}

interface SeasonAt {
  stored: StoredBoard;
  number: number;
  at: Date;
}

async function toCorrected(
  transaction: Connection,
  { stored, number, at, reason, byPresentRule = false }: SeasonAt & SeasonCorrection,
): Promise<NewVersion | undefined> {
  const season = await findSeason(transaction, stored.id, number);
  if (season === undefined) return undefined;
  if (!hasRule(season.definition))
    throw new AppError('conflict', 'The rule of this season is not known, so that it cannot be counted again.');
  const frozen = readDefinition(season.definition);
  const board = byPresentRule ? stored.board : frozen;
  if (isOfOwner(frozen) && !isOfOwner(board))
    throw new AppError(
      'conflict',
      'This season is for its owner alone, and the present rule would show it to everyone.',
    );
  const members = await findMembers(transaction, board, stored.ownerId, byPresentRule ? undefined : season);
  const window = toSeasonWindow(board, season, at);
  return {
    boardId: stored.id,
    board,
    number,
    members,
    now: at,
    window,
    missing: members.missingUntil(settledAt(board, window, season.until)),
    reason: byPresentRule ? `Counted by the present rule: ${reason}` : reason,
  };
}

function isOfOwner({ isPrivate, people }: Board): boolean {
  return isPrivate || people.onlyMembersOf !== null;
}

/** Returns the version of a season with the data that it lacked; undefined while some is still missing. */
async function toLate(transaction: Connection, { stored, number, at }: SeasonAt): Promise<NewVersion | undefined> {
  const season = await findSeason(transaction, stored.id, number);
  if (season === undefined || season.missing.length === 0 || !hasRule(season.definition)) return undefined;
  const board = readDefinition(season.definition);
  const window = toSeasonWindow(board, season, at);
  const until = settledAt(board, window, season.until);
  const found = await findMembers(transaction, board, stored.ownerId, season);
  const { members, missing } = withoutSettled(found, season, until);
  if (missing.length > 0) return undefined;
  // Earlier releases did not store what the complete repositories gave.
  const isBound = season.counted?.some(({ id }) => id !== undefined) === true;
  return {
    boardId: stored.id,
    board,
    number,
    members,
    missing,
    now: at,
    window,
    reason: `Data that was missing has been collected: ${formatNames(board, season)}.`,
    former: isBound ? season : undefined,
  };
}

/**
 * Returns the repositories of a season with those that were complete as they were then: a late version counts nothing of
 * these, so that it does not depend on what became of them.
 */
function withoutSettled(members: Members, season: Season, until: Date): { members: Members; missing: string[] } {
  const settled = settledIn(season.counted, until);
  const ids = new Set(settled.map(({ id }) => id));
  const others = members.counted.filter(({ id }) => !ids.has(id));
  const names = new Set(
    [...settled, ...members.counted.filter(({ id }) => ids.has(id))].map(({ repository }) => repository),
  );
  const { coverage } = members;
  const incomplete = coverage.incomplete.filter(({ repository }) => !names.has(repository));
  const complete = coverage.complete + coverage.incomplete.length - incomplete.length;
  return {
    members: {
      ...members,
      coverage: { ...coverage, incomplete, complete },
      counted: [...settled, ...others].toSorted((one, other) => (one.repository < other.repository ? -1 : 1)),
    },
    missing: members.missingUntil(until).filter((entry) => !names.has(entry.split(': ')[0] ?? '')),
  };
}

/** Returns what a late version brought, by name; private repositories have none. */
function formatNames({ isPrivate }: Board, { missing, coverage }: Season): string {
  const named = isPrivate ? withoutPrivate(missing, coverage) : missing;
  const names = named.map((entry) => (entry.split(': ')[0] ?? '').replace(/^private$/, 'private repositories'));
  const more = names.length - maxNamed;
  return names.slice(0, maxNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** Returns the window of a frozen season, also where the rule has other windows by now. */
function toSeasonWindow({ window }: Board, { number, since, until }: Season, now: Date): BoardWindow {
  const ended = endedWindows(window, now).find((found) => found.until?.getTime() === until.getTime());
  const { timeZone } = window;
  return ended ?? { since, until, timeZone, length: null, beforeSince: null, season: number };
}
