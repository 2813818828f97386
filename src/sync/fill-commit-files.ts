import { findPendingDetails, forgetLostCommits, saveCommitFiles } from '../contributions/detail-store.ts';
import type { Connection } from '../database/connection.ts';
import { inTransaction } from '../database/transaction.ts';
import type { HistoryCopy } from '../history/history-cache.ts';
import type { GitRemote } from '../providers/provider.ts';
import type { Extent, SyncContext } from './context.ts';
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

/** Reads, by git, the pending paths of a repository's commits; each batch is stored at once. */
export async function fillCommitFiles(stores: Stores, filled: Filled): Promise<void> {
  const { connection, histories } = stores;
  const { repositoryId, findRemote, signal } = filled;
  const [pending] = await findPendingDetails(connection, repositoryId, 'commit_files', { limit: 1 });
  if (pending === undefined) return;
  await forgetLostCommits(connection, repositoryId);
  await histories.use(repositoryId, 'directories', async (copy) => {
    const tip = await copy.fetch({ ...(await findRemote()), branch: null }, signal);
    if (tip !== null) await readPendingPaths(connection, filled, copy);
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
): Promise<void> {
  let after = '';
  let read = 0;
  for (let round = 0; round < maxRounds; round += 1) {
    const pending = await findPendingDetails(connection, repositoryId, 'commit_files', { limit: commitsAtOnce, after });
    if (pending.length === 0) return;
    const oids = pending.map(({ key }) => key);
    for await (const found of copy.readPaths(oids, signal)) {
      await inTransaction(connection, (transaction) => saveCommitFiles(transaction, repositoryId, pending, found));
    }
    after = oids.at(-1) ?? after;
    read += pending.length;
    onPart?.(detailNames.commit_files, read);
  }
}
