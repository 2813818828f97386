import type { Connection } from '../../../database/connections/connection.ts';
import { inBatches, inTransaction } from '../../../database/connections/transaction.ts';
import { announce } from '../../../database/queue/announcements.ts';
import { takeSharedErasureLock } from '../../../database/schema/erasure.ts';
import type { Checked } from '../../rules/conditions/terms.ts';
import { withEvaluationMemory } from '../../rules/evaluation/evaluate-store.ts';
import type { Board } from '../board.ts';
import { findAnyBoard, findBoardById } from '../board-store.ts';
import { toBoardWindow } from '../board-window.ts';
import { restAfter } from '../jobs.ts';
import { findMembers, hasOtherMembers, saveMembers } from './member-store.ts';
import type { RankingInput } from './people-store.ts';
import {
  findNextRanking,
  findState,
  hashBasis,
  maxPeople,
  presentNextRanking,
  type RankingPlan,
  type RankingState,
  type Saved,
  saveCost,
  saveNextPart,
  saveNextState,
  saveRanks,
  saveState,
} from './rank-store.ts';
import { hasOldVersions, recordLeaders, removeOldVersions } from './ranking-version-store.ts';
import { mergeChanges, noteAll, takeChanges } from './request-store.ts';

/**
 * The time, in ms, after which all transactions have ended that began before a new repository of a board was stored.
 * They note no changes for that board, so all people are counted until then.
 */
const settlingMs = 60_000;

interface RankContext {
  connection: Connection;
  now: () => Date;
}

/** Options about the number of people to count. */
export interface RankOptions {
  /**
   * True to count all people even when changes of only some are noted, which checks the rankings that counted only
   * these.
   */
  isCheck?: boolean;
  /** True to count all people only when the board has rested since all were counted last (see `restAfter`). */
  rests?: boolean;
  /** The most people whose rows one transaction stores when all are counted. */
  peopleAtOnce?: number | undefined;
}

type RankOutcome =
  /** There is no such board any more. */
  | { kind: 'absent' }
  /** The board has to be ranked after a rest of `ms`. */
  | { kind: 'rests'; ms: number }
  /**
   * `changed`: the number of people whose rows differ from the previous version; `unnoted`: the number of those whom a
   * check found although no change of them was noted.
   */
  | { kind: 'ranked'; extent: 'all' | 'affected'; changed: number; unnoted: number; isCheckDue: boolean };

/** The time, in ms, after which all people are counted although no change requires it. */
const checkedAfterMs = 3_600_000;
/** The most rows of former versions that one transaction removes. */
const removedAtOnce = 10_000;

/** The time, in ms, after which a board is ranked whose last ranking another process is still storing. */
const unfinishedRestMs = 1000;

/**
 * Ranks the people of a board by the stored contributions. Counts the people again of whom a change was noted, or everyone
 * where a change concerns all, in one transaction that locks the board. It stores the rows of few people as well; those of
 * all follow in parts (see `finishRanking`), which leave out the people who were erased meanwhile. Former versions are
 * removed afterwards, some rows in each transaction; if the process is killed before, the next ranking removes them.
 */
export async function rankBoard(
  context: RankContext,
  boardId: string,
  options: RankOptions = {},
): Promise<RankOutcome> {
  await mergeChanges(context.connection, boardId);
  let outcome = await rankAffectedOrAll(context, boardId, options);
  if (outcome.kind === 'unfinished') {
    await finishRanking(context, boardId);
    outcome = await rankAffectedOrAll(context, boardId, options);
  }
  if (outcome.kind === 'unfinished') return { kind: 'rests', ms: unfinishedRestMs };
  if (outcome.kind !== 'ranked') return outcome;
  if (outcome.extent === 'all') await finishRanking(context, boardId);
  await inBatches(() => removeOld(context, boardId));
  return outcome;
}

async function removeOld({ connection, now }: RankContext, boardId: string): Promise<number> {
  // Most rankings find none, and need no transaction.
  if (!(await hasOldVersions(connection, boardId, now()))) return 0;
  return inTransaction(connection, async (transaction) => {
    await takeSharedErasureLock(transaction);
    const found = await findAnyBoard(transaction, boardId);
    return found === undefined ? 0 : removeOldVersions(transaction, boardId, { now: now(), limit: removedAtOnce });
  });
}

type Unfinished = { kind: 'unfinished' };

async function rankAffectedOrAll(
  context: RankContext,
  boardId: string,
  { isCheck = false, rests = false, peopleAtOnce }: RankOptions,
): Promise<RankOutcome | Unfinished> {
  const affected = isCheck ? undefined : await rank(context, boardId, { extent: 'affected', rests });
  if (affected !== undefined && affected.kind !== 'concerns-all') return affected;
  const all = await rank(context, boardId, { extent: 'all', peopleAtOnce });
  if (all.kind === 'concerns-all') throw new Error('a ranking of all people left some out');
  return all;
}

/**
 * Counts the people of a board. Those of whom a change was noted are counted and stored while erasures wait, because their
 * rows refer to accounts. Where these are not enough, it notes a change of all people instead. Counting all takes seconds,
 * for which no erasure waits: it keeps its result as lists, and the transactions that store these leave out who was erased.
 */
async function rank(
  { connection, now }: RankContext,
  boardId: string,
  { extent, rests = false, peopleAtOnce }: Pick<RankOptions, 'rests' | 'peopleAtOnce'> & { extent: 'affected' | 'all' },
): Promise<RankOutcome | Unfinished | { kind: 'concerns-all' }> {
  return withEvaluationMemory(connection, async (transaction) => {
    if (extent === 'affected') await takeSharedErasureLock(transaction);
    const found = await findBoardById(transaction, boardId);
    if ((await findNextRanking(transaction, boardId)) !== undefined) return { kind: 'unfinished' };
    if (found === undefined) return { kind: 'absent' };
    const { board, ownerId } = found;
    const startedAt = now();
    const members = await findMembers(transaction, board, ownerId);
    const isOfOtherMembers = await hasOtherMembers(transaction, boardId, members.ids);
    const window = toBoardWindow(board.window, startedAt);
    const input = { board, window, members, now: startedAt };
    const before = await findState(transaction, boardId, { now: startedAt, timeZone: window.timeZone });
    const basis = hashBasis(board, window, members);
    const noted = await takeChanges(transaction, boardId, input);
    const isOfAll = noted === undefined || isOfOtherMembers || concernsAll(before, basis) || !followsPeople(board);
    if (extent === 'affected' && isOfAll) {
      await noteAll(transaction, boardId);
      const restedMs = before.wholeAt && startedAt.getTime() - before.wholeAt.getTime();
      const ms = rests ? restAfter(before.wholeCostMs, restedMs) : 0;
      return ms > 0 ? { kind: 'rests', ms } : { kind: 'concerns-all' };
    }
    const accountIds = extent === 'all' ? undefined : noted;
    const plan = { accountIds, noted: noted ?? [], former: toFormer(before, input), peopleAtOnce };
    const repositoryIds = isOfOtherMembers ? members.ids : null;
    const { changed, unnoted } = await save(transaction, { ...before, basis }, input, { ...plan, repositoryIds, now });
    const wholeAt = before.wholeAt?.getTime() ?? 0;
    const isCheckDue = extent === 'affected' && wholeAt + checkedAfterMs <= startedAt.getTime();
    return { kind: 'ranked', extent, changed, unnoted: isOfAll ? 0 : unnoted, isCheckDue };
  });
}

/**
 * Returns whether all people have to be counted, because the rules, the repositories, the window or the day changed.
 */
function concernsAll(before: RankingState, basis: string): boolean {
  const { version, wholeAt, wholeUntil, people, isOfFormerDay } = before;
  const isUnsettled = wholeUntil !== null && wholeAt !== null && wholeAt <= wholeUntil;
  return version === 0 || before.basis !== basis || isUnsettled || people >= maxPeople || isOfFormerDay;
}

/**
 * Returns the origin of former ranks: those at the end of the last day with a ranking, if it was of the same window.
 */
function toFormer(
  { version, since, isOfFormerDay }: RankingState,
  { board, window }: RankingInput,
): RankingPlan['former'] {
  const isOfSameWindow = board.window.kind === 'period' || since?.getTime() === window.since?.getTime();
  if (version === 0 || !isOfSameWindow) return 'none';
  return isOfFormerDay ? 'present' : 'kept';
}

/** Stores the ranks and the state: those of all people as the next ones, which `finishRanking` presents. */
async function save(
  transaction: Connection,
  before: RankingState,
  input: RankingInput,
  { now, repositoryIds, ...plan }: RankingPlan & { now: () => Date; repositoryIds: readonly string[] | null },
): Promise<Saved> {
  const { boardId, version } = before;
  const { accountIds } = plan;
  const isEmpty = accountIds?.length === 0;
  const nothing = { changed: 0, unnoted: 0, people: 0 };
  const saved = isEmpty ? nothing : await saveRanks(transaction, before, input, plan);
  const { changed, people } = saved;
  const next = version === 0 || changed > 0 ? version + 1 : version;
  const costMs = now().getTime() - input.now.getTime();
  if (accountIds === undefined) {
    const state = { ...before, version: next, people, wholeAt: input.now, wholeCostMs: costMs };
    await saveNextState(transaction, state, input, repositoryIds);
    await saveCost(transaction, boardId, 0);
    return saved;
  }
  await saveState(transaction, { ...before, version: next }, input);
  await saveCost(transaction, boardId, isEmpty ? 0 : costMs);
  if (next > version) await recordLeaders(transaction, { boardId, version: next, board: input.board }, input.now);
  await announce(transaction, { kind: 'account', key: input.members.ownerId });
  return saved;
}

/**
 * Returns whether the points of a person follow from the contributions that name this person alone. The points do not
 * where a condition is about the first contribution of another person, or to other repositories of the owner, or about
 * logins of others, which may change.
 */
export function followsPeople({ rules }: Pick<Board, 'rules'>): boolean {
  return rules.every(({ actor, condition }) => dependsOnNamed(condition, actor === 'author'));
}

function dependsOnNamed(condition: Checked, isOfAuthor: boolean): boolean {
  if (condition.kind === 'and' || condition.kind === 'or')
    return condition.terms.every((term) => dependsOnNamed(term, isOfAuthor));
  if (condition.kind === 'count')
    return condition.condition === null || dependsOnNamed(condition.condition, isOfAuthor);
  if (condition.kind === 'flag')
    return condition.field !== 'first_in_organization' && (condition.field !== 'first' || isOfAuthor);
  return condition.kind !== 'list' || condition.field !== 'reactors';
}

/**
 * Stores the rows of a ranking of all people, some in each transaction. Readers see the ranking before until the last
 * transaction. A process that is killed leaves the rest to the next ranking of the board.
 */
async function finishRanking(
  { connection, now }: { connection: Connection; now: () => Date },
  boardId: string,
): Promise<void> {
  let state: 'more' | 'done' = 'more';
  while (state === 'more') {
    state = await inTransaction(connection, async (transaction) => {
      await takeSharedErasureLock(transaction);
      return storeNext(transaction, boardId, now());
    });
  }
}

async function storeNext(transaction: Connection, boardId: string, now: Date): Promise<'more' | 'done'> {
  const stored = await findAnyBoard(transaction, boardId);
  const next = stored && (await findNextRanking(transaction, boardId));
  if (stored === undefined || next === undefined) return 'done';
  const { version, formerVersion, builtAt, repositoryIds } = next;
  if ((await saveNextPart(transaction, { boardId, version, at: now })) === 'more') return 'more';
  if (repositoryIds !== null) await saveMembers(transaction, boardId, repositoryIds);
  const wholeUntil = repositoryIds === null ? null : new Date(now.getTime() + settlingMs);
  await presentNextRanking(transaction, boardId, wholeUntil);
  if (version > formerVersion) await recordLeaders(transaction, { boardId, version, board: stored.board }, builtAt);
  await announce(transaction, { kind: 'account', key: stored.ownerId });
  return 'done';
}
