import { inTransaction } from '../../database/connections/transaction.ts';
import type { RepositoryFile } from '../../hosts/interface/provider.ts';
import {
  findFollowedBoards,
  mayHoldBoards,
  type ReadBoards,
  saveRepositoryFile,
} from '../../recognition/boards/file/file-store.ts';
import { boardsPaths, readBoardsFile, toFileHost } from '../../recognition/boards/file/read-file.ts';
import type { FileHost } from '../../recognition/boards/file/schema.ts';
import { maxFileBytes } from '../../recognition/rules/file/yaml-tree.ts';
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
  const file = found === undefined ? null : readFile(found, toFileHost(account, context.providers));
  await inTransaction(connection, (transaction) =>
    saveRepositoryFile(
      transaction,
      { repositoryId, ownerId, provider: repository.provider },
      { file, revision: read.revision },
      { now, newId },
    ),
  );
}

/** Parses a file as its provider returns it; one that is not text is read as if it were too long. */
function readFile({ path, oid, text, sizeBytes }: RepositoryFile, host: FileHost): ReadBoards {
  const bytes = text === null || sizeBytes > maxFileBytes ? Buffer.alloc(Math.max(sizeBytes, maxFileBytes + 1)) : text;
  const { reports, text: shown } = readBoardsFile(Buffer.from(bytes), host);
  return { path, oid, text: shown, reports };
}
