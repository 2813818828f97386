import { findPendingDetails, type PendingDetail, saveCommitFiles } from '../../contributions/items/detail-store.ts';
import { deleteLostCommits, notePendingDetails } from '../../contributions/items/pending-store.ts';
import { countLanguages } from '../../contributions/languages/linguist.ts';
import { saveCommitLanguages } from '../../contributions/languages/store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import type { HistoryCopy } from '../../hosts/history/history-cache.ts';
import type { PathOptions, PathsByCommit } from '../../hosts/history/read-paths.ts';
import type { Call, GitRemote } from '../../hosts/interface/provider.ts';
import type { Extent, SyncContext } from '../context.ts';
import { detailNames } from './fill-details.ts';

const commitsAtOnce = 1000;
/** A limit against endless loops: no repository has ten million commits. */
const maxRounds = 10_000;

type Stores = Pick<SyncContext, 'connection' | 'histories'>;

interface Filled {
  repositoryId: string;
  /** Finds the remote of the repository's history. */
  findRemote: () => Promise<GitRemote>;
  signal: AbortSignal;
  /** Receives the progress. */
  onPart?: Extent['onPart'] | undefined;
  /** Receives each commit of which paths are left out. */
  onSkipped?: Call['onSkipped'];
}

/** The two uses of paths: achievements store them, languages are counted from those of commits that are no merges. */
const uses = {
  commit_files: { merges: 'first parent', cutPath: 'files', save: saveCommitFiles },
  commit_languages: {
    merges: 'none',
    cutPath: 'languages',
    save: (transaction, repositoryId, pending, found) =>
      saveCommitLanguages(
        transaction,
        repositoryId,
        pending,
        new Map([...found].map(([oid, paths]) => [oid, countLanguages(paths)])),
      ),
  },
} as const satisfies Record<
  string,
  {
    merges: PathOptions['merges'];
    /** The place of paths that are left out. */
    cutPath: string;
    save: (
      transaction: Connection,
      repositoryId: string,
      pending: readonly PendingDetail[],
      found: PathsByCommit,
    ) => Promise<void>;
  }
>;
type Use = keyof typeof uses;

/** The places of paths that are left out: the commits themselves are counted. */
export const cutPaths: readonly string[] = Object.values(uses).map(({ cutPath }) => cutPath);

/** Reads, by git, the pending paths of a repository's commits; each batch is stored at once. */
export async function fillCommitFiles(stores: Stores, filled: Filled): Promise<void> {
  const { connection, histories } = stores;
  const { repositoryId, findRemote, signal } = filled;
  await notePendingDetails(connection, repositoryId, { signal });
  const pending: Use[] = [];
  for (const use of ['commit_files', 'commit_languages'] as const) {
    const [first] = await findPendingDetails(connection, repositoryId, use, { limit: 1 });
    if (first === undefined) continue;
    await deleteLostCommits(connection, repositoryId, use);
    pending.push(use);
  }
  if (pending.length === 0) return;
  await histories.use(repositoryId, 'directories', async (copy) => {
    const tip = await copy.fetch(await findRemote(), signal);
    if (tip === null) return;
    for (const use of pending) await readPendingPaths(connection, filled, copy, use);
  });
}

/**
 * Reads pending paths in batches. Commits that the branch lost just now, and that are still stored, stay pending until
 * the history is read again.
 */
async function readPendingPaths(
  connection: Connection,
  { repositoryId, signal, onPart, onSkipped }: Filled,
  copy: HistoryCopy,
  use: Use,
): Promise<void> {
  const { merges, cutPath, save } = uses[use];
  const cut = { kind: 'commit', path: cutPath, reason: 'unreadable', explanation: '' } as const;
  const onCut = (): void => onSkipped?.({ ...cut, isStored: true, isCounted: true });
  let after = '';
  let read = 0;
  for (let round = 0; round < maxRounds; round += 1) {
    const pending = await findPendingDetails(connection, repositoryId, use, { limit: commitsAtOnce, after });
    if (pending.length === 0) return;
    const oids = pending.map(({ key }) => key);
    for await (const found of copy.readPaths(oids, { signal, merges, onCut })) {
      await inTransaction(connection, (transaction) => save(transaction, repositoryId, pending, found));
    }
    after = oids.at(-1) ?? after;
    read += pending.length;
    if (use === 'commit_files') onPart?.(detailNames.commit_files, read);
  }
}
