import { findById } from '../../accounts/store.ts';
import type { Signer, SigningServices } from '../../achievements/credentials/sign.ts';
import { announce } from '../../database/announcements.ts';
import type { Connection } from '../../database/connection.ts';
import { takeSharedErasureLock } from '../../database/erasure-lock.ts';
import { inTransaction } from '../../database/transaction.ts';
import { findAnyBoard } from '../board-store.ts';
import { withoutHidden } from './anonymous-store.ts';
import { findSeasonRanks, type Season } from './season-store.ts';
import { signStatement } from './statement.ts';
import {
  findUnwritten,
  forgetHidden,
  lockSeason,
  saveNextPart,
  saveStatement,
  storeDifferences,
} from './version-store.ts';

const maxPeople = 100_000;

/** The services that count and write seasons, and the most people of a season that one transaction stores. */
export type SeasonServices = SigningServices & { peopleAtOnce?: number };

/** The part of these services that counts seasons. */
export type CountingServices = Pick<SeasonServices, 'connection' | 'now' | 'peopleAtOnce'>;

/** Stores the tables and statements of the counted seasons of a board, a part in each transaction, and announces them. */
export async function writeSeasons(
  { connection }: Pick<SeasonServices, 'connection'>,
  signer: Signer,
  boardId: string,
): Promise<void> {
  let state: 'more' | 'done' = 'more';
  while (state === 'more') {
    state = await inTransaction(connection, async (transaction) => {
      await takeSharedErasureLock(transaction);
      const stored = await findAnyBoard(transaction, boardId);
      const season = stored && (await findUnwritten(transaction, boardId));
      if (stored === undefined || season === undefined) return 'done';
      const part = await saveNextPart(transaction, season);
      if (part === 'none') await signVersion(transaction, signer, season, stored.ownerId);
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
