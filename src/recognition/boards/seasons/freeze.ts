import { findById } from '../../../accounts/store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { inBatches, inTransaction } from '../../../database/connections/transaction.ts';
import { announce } from '../../../database/queue/announcements.ts';
import { takeSharedErasureLock } from '../../../database/schema/erasure.ts';
import { formatTimestamp } from '../../../http/pipeline/envelope.ts';
import { withEvaluationMemory } from '../../rules/evaluation/evaluate-store.ts';
import { findSigner, type Signer, type SigningServices, signClaims } from '../../signing/sign.ts';
import { findAnyBoard, findBoardById, readDefinition, type StoredBoard } from '../board-store.ts';
import { type BoardWindow, endedWindows, settledAt, toBoardWindow } from '../board-window.ts';
import { findMembers } from '../ranking/member-store.ts';
import { toRepositories, toRules } from '../views/board-json.ts';
import { addAnonymousVersion, removeFormerTables, withoutHidden } from './anonymous-store.ts';
import {
  findSeason,
  findSeasonRanks,
  findSeasons,
  findToFreeze,
  findWithdrawn,
  type Season,
  type SeasonRank,
  setFreezeTime,
} from './season-store.ts';
import {
  addVersion,
  findBoardsToWrite,
  findDifferences,
  findRevision,
  findUnwritten,
  hasUnwritten,
  lockSeason,
  makeHiddenAnonymous,
  saveNextPart,
  saveSigned,
  waitForHiding,
} from './season-version-store.ts';
import { isToWithdraw, withdrawAll } from './withdrawal-store.ts';

/** The account of a board, in the addresses of its statements. */
interface BoardOwner {
  provider: string;
  name: string;
}

const maxPeople = 100_000;
/** The most attempts to sign a version whose people change meanwhile, before one that keeps them from changing. */
const maxAttempts = 5;

/** A version of a season whose table is stored, as it was when one transaction had locked it. */
interface Prepared {
  season: Season;
  ownerId: string;
  slug: string;
  /** The version has changed when it has another one, for example because a person in it was hidden. */
  revision: string;
}

type Signed = Pick<Season, 'differences'> & { statement: string };

/**
 * The services that count and write seasons, the most people of a season that one transaction stores, and the most seasons
 * whose statements one withdraws.
 */
export type SeasonServices = SigningServices & { peopleAtOnce?: number; withdrawnAtOnce?: number };

/** The part of these services that counts seasons. */
export type CountingServices = Pick<SeasonServices, 'connection' | 'now' | 'peopleAtOnce'>;

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

/** Stores the tables and statements of the counted seasons of a board, a part in each transaction, and announces them. */
export async function writeSeasons(
  { connection }: Pick<SeasonServices, 'connection'>,
  signer: Signer,
  boardId: string,
): Promise<void> {
  let state: 'part' | 'table' | 'done' = 'part';
  while (state !== 'done') {
    state = await inTransaction(connection, async (transaction) => {
      await takeSharedErasureLock(transaction);
      const stored = await findAnyBoard(transaction, boardId);
      const season = stored && (await findUnwritten(transaction, boardId));
      if (season === undefined) return 'done';
      return (await saveNextPart(transaction, season)) === 'none' ? 'table' : 'part';
    });
    if (state === 'table') await signNext(connection, signer, boardId);
  }
}

/**
 * Signs the next version of a season of a board whose table is stored, and announces it. Reading and signing a large table
 * takes seconds, so that no transaction is open meanwhile: people in it can be hidden and erased. A version that changed is
 * signed again. When it has changed at each attempt, one transaction signs it; a statement that names a person who was
 * hidden meanwhile is shown to no reader until it is withdrawn.
 */
async function signNext(connection: Connection, signer: Signer, boardId: string): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    await withdrawAll(connection);
    const prepared = await inTransaction(connection, (transaction) => prepare(transaction, boardId));
    if (prepared === undefined) return;
    const signed = await sign(connection, signer, prepared);
    if (await inTransaction(connection, (transaction) => storeUnchanged(transaction, prepared, signed))) return;
  }
  await inTransaction(connection, async (transaction) => {
    const prepared = await prepare(transaction, boardId);
    if (prepared !== undefined) await store(transaction, prepared, await sign(transaction, signer, prepared));
  });
}

/** Locks the next version that is not written, and removes the names of people who were hidden since it was counted. */
async function prepare(transaction: Connection, boardId: string): Promise<Prepared | undefined> {
  await takeSharedErasureLock(transaction);
  const stored = await findAnyBoard(transaction, boardId);
  const counted = stored && (await findUnwritten(transaction, boardId));
  if (stored === undefined || counted === undefined) return undefined;
  await waitForHiding(transaction);
  await lockSeason(transaction, counted);
  const season = await withoutHidden(transaction, counted);
  const revision = await findRevision(transaction, season);
  return revision === undefined ? undefined : { season, ownerId: stored.ownerId, slug: stored.board.slug, revision };
}

async function sign(connection: Connection, signer: Signer, { season, ownerId, slug }: Prepared): Promise<Signed> {
  const owner = await findById(connection, ownerId);
  if (owner === undefined) throw new Error('the owner of a board has disappeared');
  await makeHiddenAnonymous(connection, season);
  const differences = await findDifferences(connection, season);
  const ranks = await findSeasonRanks(connection, season, { limit: maxPeople });
  return { statement: await signStatement(signer, season, { owner, slug, ranks }), differences };
}

/** @returns false when the version has changed since it was prepared, or a withdrawal waits: the statement may name a person who was hidden. */
async function storeUnchanged(transaction: Connection, prepared: Prepared, signed: Signed): Promise<boolean> {
  await takeSharedErasureLock(transaction);
  await findAnyBoard(transaction, prepared.season.boardId);
  await lockSeason(transaction, prepared.season);
  if ((await findRevision(transaction, prepared.season)) !== prepared.revision) return false;
  if (await isToWithdraw(transaction, prepared.season)) return false;
  await store(transaction, prepared, signed);
  return true;
}

async function store(transaction: Connection, { season, ownerId }: Prepared, signed: Signed): Promise<void> {
  await saveSigned(transaction, season, signed);
  await announce(transaction, { kind: 'account', key: ownerId });
}

/**
 * Signs the statement of a frozen season: its table, the rule, and the completeness of each repository, as a JWS by the
 * key that signs credentials. People are named by the immutable ids of their hosts; anonymous ones are null.
 */
async function signStatement(
  signer: Signer,
  season: Omit<Season, 'statement'>,
  { owner, slug, ranks }: { owner: BoardOwner; slug: string; ranks: readonly SeasonRank[] },
): Promise<string> {
  const { boardId, number, version, frozenAt } = season;
  const board = readDefinition(season.definition);
  const subject = seasonUrl(signer.publicUrl, owner, slug, number);
  const claims = {
    type: 'BoardSeason',
    board: { id: `urn:uuid:${boardId}`, rule: season.definition, rules: toRules(board) },
    season: {
      number,
      version,
      since: season.since && formatTimestamp(season.since),
      until: formatTimestamp(season.until),
      time_zone: board.window.timeZone,
    },
    frozen_dttm: formatTimestamp(frozenAt),
    reason: season.reason,
    repositories: toRepositories(season.coverage, { isOwner: false }),
    ...(season.counted !== null && {
      counted_repositories: season.counted.map(({ repository, knownUntil }) => ({
        repository,
        known_until: knownUntil,
      })),
    }),
    as_of: season.asOf && formatTimestamp(season.asOf),
    missing: season.missing,
    people: ranks.map(toClaim),
  };
  return signClaims(signer, claims, { id: `urn:uuid:${boardId}:${number}:${version}`, subject, notBefore: frozenAt });
}

function toClaim({ rank, person, points, granted, byRule }: SeasonRank): object {
  return {
    rank,
    person: person && { provider: person.provider, id: person.externalId, login: person.name },
    points,
    granted,
    points_by_rule: byRule,
  };
}

/** Returns the address of a frozen season. */
function seasonUrl(publicUrl: string, { provider, name }: BoardOwner, slug: string, number: number): string {
  return `${publicUrl}/v1/${provider}/entities/${encodeURIComponent(name)}/boards/${slug}/seasons/${number}`;
}
