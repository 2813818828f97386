import { findLacking, forgetLostCommits, saveCommitFiles } from '../contributions/detail-store.ts';
import { inTransaction } from '../database/transaction.ts';
import type { HistoryCopy } from '../history/history-cache.ts';
import type { SyncContext } from './context.ts';
import type { Subject } from './read-stream.ts';

const commitsAtOnce = 1000;
/** No repository has so many commits. */
const maxRounds = 10_000;

/** Reads, by git, the paths that a repository's commits lack and that somebody needs; each answer is stored as it comes. */
export async function fillCommitFiles(context: SyncContext, subject: Subject): Promise<void> {
  const { repository, provider, known, call } = subject;
  const { connection, histories } = context;
  const [lacking] = await findLacking(connection, repository.id, 'commit_files', { limit: 1 });
  if (lacking === undefined) return;
  await forgetLostCommits(connection, repository.id);
  await histories.use(repository.id, 'directories', async (copy) => {
    const remote = { ...(await provider.gitRemote(known, call.signal)), branch: null };
    const tip = await copy.fetch(remote, call.signal);
    if (tip !== null) await readLackingPaths(context, subject, copy);
  });
}

/** What the branch lost just now, and is still stored, goes on lacking its paths until the history is read again. */
async function readLackingPaths(
  { connection }: SyncContext,
  { repository, call }: Subject,
  copy: HistoryCopy,
): Promise<void> {
  let after = '';
  for (let round = 0; round < maxRounds; round += 1) {
    const asked = await findLacking(connection, repository.id, 'commit_files', { limit: commitsAtOnce, after });
    if (asked.length === 0) return;
    const oids = asked.map(({ key }) => key);
    for await (const found of copy.readPaths(oids, call.signal)) {
      await inTransaction(connection, (transaction) => saveCommitFiles(transaction, repository.id, asked, found));
    }
    after = oids.at(-1) ?? after;
  }
}
