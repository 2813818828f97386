import { inTransaction } from '../../database/connections/transaction.ts';
import type { RepositoryFile } from '../../hosts/interface/provider.ts';
import type { Account } from '../../model/account.ts';
import {
  findFollowedBoards,
  mayHoldBoards,
  type ReadBoards,
  saveRepositoryFile,
} from '../../recognition/boards/file/file-store.ts';
import { boardsPaths } from '../../recognition/boards/file/read-file.ts';
import { readableText, reportUnread } from '../../recognition/rules/file/unread-file.ts';
import type { SyncContext } from '../context.ts';
import type { Subject } from './subject.ts';

/**
 * Reads the file of boards of a repository that may hold the one of its owner, when the default branch has moved since
 * the last time.
 * @param revision the newest known commit of the default branch; null: none is known.
 */
export async function followBoards(
  context: SyncContext,
  { account, repository, known, provider, call }: Subject,
  revision: string | null,
): Promise<void> {
  const { connection, newId } = context;
  const { id: repositoryId, ownerId, installedAt } = repository;
  if (installedAt === null || !(await mayHoldBoards(connection, repositoryId))) return;
  const followed = await findFollowedBoards(connection, repositoryId);
  const now = context.now();
  const isNew = followed === undefined || followed.readAt < installedAt;
  const isCurrent =
    revision === null
      ? followed !== undefined && followed.readAt.getTime() + context.freshForMs > now.getTime()
      : followed?.revision === revision;
  if (isCurrent && !isNew) return;
  const read = (await provider.files?.read(known, boardsPaths, call)) ?? null;
  if (read === null) return;
  const found = boardsPaths.flatMap((path) => read.files.filter((file) => file.path === path)).at(0);
  const file = found === undefined ? null : await readFile(context, { ...account, id: ownerId }, found);
  await inTransaction(connection, (transaction) =>
    saveRepositoryFile(transaction, { repositoryId, ownerId }, { file, revision: read.revision }, { now, newId }),
  );
}

/** Reads a file as its provider returns it. One that is too long, no text, or takes too long has no boards. */
async function readFile(
  { boardFiles }: SyncContext,
  owner: Pick<Account, 'id' | 'provider' | 'name'>,
  file: RepositoryFile,
): Promise<ReadBoards> {
  const { path, oid } = file;
  const text = readableText(file);
  const read = text === undefined ? undefined : await boardFiles.read(owner, text);
  return { path, oid, ...(read ?? { boards: [], reports: reportUnread(file), text: '' }) };
}
