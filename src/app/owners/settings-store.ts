import type { Connection } from '../../database/connections/connection.ts';
import { announce } from '../../database/queue/announcements.ts';
import { erasedMeanwhile } from '../../database/schema/erasure.ts';

/** The settings that the owner of an account chooses. */
export interface OwnerSettings {
  /** True when the numbers of private contributions are public. */
  publishesPrivate: boolean;
  /** True when the account is hidden from all but its owner. */
  hidden: boolean;
  /** The name of the repository with the file of boards; empty: the default. */
  boardsRepository: string;
}

/**
 * Changes the given settings, and announces the change to all nodes. For the owners whose lists contain the account, a
 * trigger announces it.
 * @returns all settings after the change.
 * @throws AppError `not_found` when the account does not exist any more.
 */
export async function changeSettings(
  connection: Connection,
  accountId: string,
  changes: Partial<OwnerSettings>,
): Promise<OwnerSettings> {
  const row = await connection
    .updateTable('accounts')
    .set({
      ...(changes.hidden !== undefined && { hidden: changes.hidden }),
      ...(changes.publishesPrivate !== undefined && { publishes_private: changes.publishesPrivate }),
      ...(changes.boardsRepository !== undefined && { boards_repository: changes.boardsRepository || null }),
    })
    .where('id', '=', accountId)
    .returning(['hidden', 'publishes_private', 'boards_repository'])
    .executeTakeFirstOrThrow(erasedMeanwhile);
  await announce(connection, { kind: 'account', key: accountId });
  return {
    hidden: row.hidden,
    publishesPrivate: row.publishes_private,
    boardsRepository: row.boards_repository ?? '',
  };
}

/** Finds the name of the repository that an owner chose for the file of boards; empty: the default. */
export async function findBoardsRepository(connection: Connection, accountId: string): Promise<string> {
  const row = await connection
    .selectFrom('accounts')
    .select('boards_repository')
    .where('id', '=', accountId)
    .executeTakeFirst();
  return row?.boards_repository ?? '';
}
