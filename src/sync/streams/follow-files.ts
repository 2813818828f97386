import { inTransaction } from '../../database/connections/transaction.ts';
import type { RepositoryFile } from '../../hosts/interface/provider.ts';
import type { Account } from '../../model/account.ts';
import { configPaths } from '../../recognition/achievements/config-file.ts';
import { findFollowed, saveFile } from '../../recognition/achievements/files/store.ts';
import {
  findFollowedBoards,
  followChosenFile,
  mayHoldBoards,
  type ReadBoards,
  saveRepositoryFile,
} from '../../recognition/boards/file/file-store.ts';
import { boardsPaths } from '../../recognition/boards/file/read-file.ts';
import { readableText, reportUnread } from '../../recognition/rules/file/report.ts';
import type { SyncContext } from '../context.ts';
import type { Subject } from './subject.ts';

interface Newest {
  /** The newest known commit of the default branch; null: none is known. */
  revision: string | null;
  installedAt: Date;
}

/**
 * Reads an installed repository's files of achievements and of boards when the default branch has moved since the last
 * time.
 * @param revision the newest known commit of the default branch; null: none is known.
 */
export async function followFiles(context: SyncContext, subject: Subject, revision: string | null): Promise<void> {
  const { installedAt } = subject.repository;
  if (installedAt === null) return;
  await followAchievements(context, subject, { revision, installedAt });
  await followBoards(context, subject, { revision, installedAt });
}

async function followAchievements(context: SyncContext, subject: Subject, newest: Newest): Promise<void> {
  const { connection, newId } = context;
  const { id, ownerId } = subject.repository;
  const followed = await findFollowed(connection, id);
  const read = await readMoved(context, subject, { ...newest, followed, paths: configPaths });
  if (read === undefined) return;
  const { found, ...state } = read;
  const file = found && (await context.achievementFiles.read(ownerId, found, subject.provider.unreported));
  await inTransaction(connection, async (transaction) => {
    await saveFile(transaction, id, { ...state, file, newId });
    // Which repository holds the boards of an owner by default depends on how many of them define achievements.
    if ((file !== undefined) === (followed?.isPresent ?? false)) return;
    await followChosenFile(transaction, ownerId, { now: state.readAt, newId });
  });
}

/** Reads the file of boards of a repository that may hold the one of its owner. */
async function followBoards(context: SyncContext, subject: Subject, newest: Newest): Promise<void> {
  const { connection, newId } = context;
  const { id: repositoryId, ownerId } = subject.repository;
  if (!(await mayHoldBoards(connection, repositoryId))) return;
  const followed = await findFollowedBoards(connection, repositoryId);
  const read = await readMoved(context, subject, { ...newest, followed, paths: boardsPaths });
  if (read === undefined) return;
  const { found, revision, readAt: now } = read;
  const file = found === undefined ? null : await readBoards(context, { ...subject.account, id: ownerId }, found);
  await inTransaction(connection, (transaction) =>
    saveRepositoryFile(transaction, { repositoryId, ownerId }, { file, revision }, { now, newId }),
  );
}

/** Reads the first of some files that exists, if the branch has moved since they were `followed`, or they are new. */
async function readMoved(
  { freshForMs, now }: SyncContext,
  { known, provider, call }: Subject,
  wanted: Newest & { followed: { revision: string | null; readAt: Date } | undefined; paths: readonly string[] },
): Promise<{ found: RepositoryFile | undefined; revision: string | null; readAt: Date; isNew: boolean } | undefined> {
  const { revision, installedAt, followed, paths } = wanted;
  const readAt = now();
  const isNew = followed === undefined || followed.readAt < installedAt;
  // Without a known revision the file is read again after a while.
  const isCurrent =
    revision === null
      ? followed !== undefined && followed.readAt.getTime() + freshForMs > readAt.getTime()
      : followed?.revision === revision;
  if (isCurrent && !isNew) return undefined;
  const read = await provider.files?.read(known, paths, call);
  if (!read) return undefined;
  const found = paths.flatMap((path) => read.files.filter((file) => file.path === path)).at(0);
  return { found, revision: read.revision, readAt, isNew };
}

/** Reads a file of boards as its provider returns it. One that is too long, no text, or takes too long has no boards. */
async function readBoards(
  { boardFiles }: SyncContext,
  owner: Pick<Account, 'id' | 'provider' | 'name'>,
  file: RepositoryFile,
): Promise<ReadBoards> {
  const { path, oid } = file;
  const text = readableText(file);
  const read = text === undefined ? undefined : await boardFiles.read(owner, text);
  return { path, oid, ...(read ?? { boards: [], reports: reportUnread(file), text: '' }) };
}
