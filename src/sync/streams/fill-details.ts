import {
  findPendingDetails,
  type PendingDetail,
  saveChangedFiles,
  saveLineCounts,
} from '../../contributions/items/detail-store.ts';
import { notePendingDetails } from '../../contributions/items/pending-store.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import type { Detail } from '../../model/contribution.ts';
import type { SyncContext } from '../context.ts';
import type { Subject } from './subject.ts';

const atOnce = 50;
/** A limit against endless loops: no repository has ten million commits. */
const maxRounds = 200_000;

/** The names of details in reports of progress. */
export const detailNames: Readonly<Record<Detail, string>> = {
  commit_lines: 'changed lines of commits',
  commit_files: 'changed files of commits',
  pull_request_files: 'changed files of pull requests',
};

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
  for (let round = 0; round < maxRounds; round += 1) {
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
