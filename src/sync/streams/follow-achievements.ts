import { inTransaction } from '../../database/connections/transaction.ts';
import { configPaths } from '../../recognition/achievements/config-file.ts';
import { findFollowed, saveFile } from '../../recognition/achievements/files/store.ts';
import { followChosenFile } from '../../recognition/boards/file/file-store.ts';
import type { SyncContext } from '../context.ts';
import type { Subject } from './subject.ts';

/**
 * Reads an installed repository's file of achievements when the default branch has moved since the last time.
 * @param revision the newest known commit of the default branch; null: none is known.
 */
export async function followAchievements(
  context: SyncContext,
  { repository, known, provider, call }: Subject,
  revision: string | null,
): Promise<void> {
  const { installedAt } = repository;
  if (installedAt === null) return;
  const followed = await findFollowed(context.connection, repository.id);
  const isNew = followed === undefined || followed.readAt < installedAt;
  const readAt = context.now();
  // Without a known revision the file is read again after a while.
  const isCurrent =
    revision === null
      ? followed !== undefined && followed.readAt.getTime() + context.freshForMs > readAt.getTime()
      : followed?.revision === revision;
  if (isCurrent && !isNew) return;
  const read = (await provider.files?.read(known, configPaths, call)) ?? null;
  if (read === null) return;
  const found = configPaths.flatMap((path) => read.files.filter((file) => file.path === path)).at(0);
  const file = found && (await context.achievementFiles.read(repository.ownerId, found, provider.unreported));
  const { newId } = context;
  await inTransaction(context.connection, async (transaction) => {
    await saveFile(transaction, repository.id, { file, revision: read.revision, readAt, isNew, newId });
    // Which repository holds the boards of an owner by default depends on how many of them define achievements.
    if ((file !== undefined) === (followed?.isPresent ?? false)) return;
    await followChosenFile(transaction, repository.ownerId, { now: readAt, newId });
  });
}
