import { inTransaction } from '../../../database/connections/transaction.ts';
import { takeSharedErasureLock } from '../../../database/schema/erasure-lock.ts';
import type { Signer, SigningServices } from '../../signing/sign.ts';
import { findAnyBoard } from '../board-store.ts';
import { signNext } from './sign-next.ts';
import { findUnwritten, saveNextPart } from './version-store.ts';

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
