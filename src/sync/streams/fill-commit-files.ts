import {
  findPendingDetails,
  type PendingDetail,
  saveChangedFiles,
  saveCommitFiles,
  saveLineCounts,
} from '../../contributions/items/detail-store.ts';
import { deleteLostCommits, notePendingDetails } from '../../contributions/items/pending-store.ts';
import { countLanguages } from '../../contributions/languages/linguist.ts';
import { saveCommitLanguages } from '../../contributions/languages/store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import type { HistoryCopy } from '../../hosts/history/history-cache.ts';
import type { PathOptions, PathsByCommit } from '../../hosts/history/read-commits.ts';
import type { Call, GitRemote } from '../../hosts/interface/provider.ts';
import type { Detail } from '../../model/contribution.ts';
import type { Extent, SyncContext } from '../context.ts';
import type { Subject } from './subject.ts';

const atOnce = 50;
/** A limit against endless loops: no repository has ten million commits. */
const maxDetailRounds = 200_000;

/** The names of details in reports of progress. */
const detailNames: Readonly<Record<Detail, string>> = {
  commit_lines: 'changed lines of commits',
  commit_files: 'changed files of commits',
  pull_request_files: 'changed files of pull requests',
};

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

/** Fetches the pending details of a repository; each response is stored at once. */
export async function fillDetails(context: SyncContext, subject: Subject): Promise<void> {
  const { repository, provider, known, call } = subject;
  await notePendingDetails(context.connection, repository.id, { signal: call.signal });
  await fill(context, subject, 'commit_lines', async (pending) => {
    const found = (await provider.details?.readLineCounts(known, listKeys(pending), call)) ?? new Map();
    await inTransaction(context.connection, (transaction) =>
      saveLineCounts(transaction, repository.id, pending, found),
    );
  });
  await fill(context, subject, 'pull_request_files', async (pending) => {
    const found = (await provider.details?.readChangedFiles(known, listKeys(pending), call)) ?? new Map();
    await inTransaction(context.connection, (transaction) =>
      saveChangedFiles(transaction, repository.id, pending, found),
    );
  });
}

async function fill(
  { connection }: SyncContext,
  { repository, extent }: Subject,
  detail: Detail,
  fetchDetails: (pending: PendingDetail[]) => Promise<void>,
): Promise<void> {
  let read = 0;
  for (let round = 0; round < maxDetailRounds; round += 1) {
    const pending = await findPendingDetails(connection, repository.id, detail, { limit: atOnce });
    if (pending.length === 0) return;
    await fetchDetails(pending);
    read += pending.length;
    extent?.onPart(detailNames[detail], read);
  }
}

function listKeys(pending: readonly PendingDetail[]): string[] {
  return pending.map(({ key }) => key);
}
