import { findPendingDetails, type PendingDetail, saveCommitFiles } from '../../contributions/items/detail-store.ts';
import { forgetLostCommits, notePendingDetails } from '../../contributions/items/pending-store.ts';
import { countLanguages } from '../../contributions/languages/linguist.ts';
import { saveCommitLanguages } from '../../contributions/languages/store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import type { HistoryCopy } from '../../hosts/history/history-cache.ts';
import type { PathOptions, PathsByCommit } from '../../hosts/history/read-paths.ts';
import type { GitRemote } from '../../hosts/interface/provider.ts';
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
}

/** The two uses of paths: achievements store them, languages are counted from those of commits that are no merges. */
const uses = {
  commit_files: { merges: 'first parent', save: saveCommitFiles },
  commit_languages: {
    merges: 'none',
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
    save: (
      transaction: Connection,
      repositoryId: string,
      pending: readonly PendingDetail[],
      found: PathsByCommit,
    ) => Promise<void>;
  }
>;
type Use = keyof typeof uses;

/** Reads, by git, the pending paths of a repository's commits; each batch is stored at once. */
export async function fillCommitFiles(stores: Stores, filled: Filled): Promise<void> {
  const { connection, histories } = stores;
  const { repositoryId, findRemote, signal } = filled;
  await notePendingDetails(connection, repositoryId, { signal });
  const pending: Use[] = [];
  for (const use of ['commit_files', 'commit_languages'] as const) {
    const [first] = await findPendingDetails(connection, repositoryId, use, { limit: 1 });
    if (first === undefined) continue;
    await forgetLostCommits(connection, repositoryId, use);
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
  { repositoryId, signal, onPart }: Filled,
  copy: HistoryCopy,
  use: Use,
): Promise<void> {
  const { merges, save } = uses[use];
  let after = '';
  let read = 0;
  for (let round = 0; round < maxRounds; round += 1) {
    const pending = await findPendingDetails(connection, repositoryId, use, { limit: commitsAtOnce, after });
    if (pending.length === 0) return;
    const oids = pending.map(({ key }) => key);
    for await (const found of copy.readPaths(oids, { signal, merges })) {
      await inTransaction(connection, (transaction) => save(transaction, repositoryId, pending, found));
    }
    after = oids.at(-1) ?? after;
    read += pending.length;
    if (use === 'commit_files') onPart?.(detailNames.commit_files, read);
  }
}
