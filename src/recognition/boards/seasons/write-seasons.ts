import { findById } from '../../../accounts/store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { inTransaction } from '../../../database/connections/transaction.ts';
import { announce } from '../../../database/queue/announcements.ts';
import { takeSharedErasureLock } from '../../../database/schema/erasure-lock.ts';
import { formatTimestamp } from '../../../http/pipeline/envelope.ts';
import { type Signer, type SigningServices, signClaims } from '../../signing/sign.ts';
import { findAnyBoard } from '../board-store.ts';
import { readDefinition } from '../definition.ts';
import { toRepositories, toRules } from '../views/board-json.ts';
import { withoutHidden } from './anonymous-store.ts';
import { findSeasonRanks, type Season, type SeasonRank } from './season-store.ts';
import {
  findDifferences,
  findRevision,
  findUnwritten,
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
