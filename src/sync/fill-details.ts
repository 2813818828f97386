import type { Detail } from '../contributions/contribution.ts';
import {
  findPendingDetails,
  type PendingDetail,
  saveChangedFiles,
  saveLineCounts,
} from '../contributions/detail-store.ts';
import { inTransaction } from '../database/transaction.ts';
import type { SyncContext } from './context.ts';
import type { Subject } from './read-stream.ts';

const atOnce = 50;
/** A limit against endless loops: no repository has ten million commits. */
const maxRounds = 200_000;

/** Fetches the pending details of a repository; each response is stored at once. */
export async function fillDetails(context: SyncContext, subject: Subject): Promise<void> {
  const { repository, provider, known, call } = subject;
  await fill(context, repository.id, 'commit_lines', async (asked) => {
    const found = (await provider.details?.readLineCounts(known, keysOf(asked), call)) ?? new Map();
    await inTransaction(context.connection, (transaction) => saveLineCounts(transaction, repository.id, asked, found));
  });
  await fill(context, repository.id, 'pull_request_files', async (asked) => {
    const found = (await provider.details?.readChangedFiles(known, keysOf(asked), call)) ?? new Map();
    await inTransaction(context.connection, (transaction) =>
      saveChangedFiles(transaction, repository.id, asked, found),
    );
  });
}

async function fill(
  { connection }: SyncContext,
  repositoryId: string,
  detail: Detail,
  ask: (lacking: PendingDetail[]) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < maxRounds; round += 1) {
    const lacking = await findPendingDetails(connection, repositoryId, detail, { limit: atOnce });
    if (lacking.length === 0) return;
    await ask(lacking);
  }
}

function keysOf(lacking: readonly PendingDetail[]): string[] {
  return lacking.map(({ key }) => key);
}
