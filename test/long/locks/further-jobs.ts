import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { generateSigningKey } from '../../../src/accounts/access/tokens/signing-key-store.ts';
import { requestRescanOfErased } from '../../../src/accounts/ownership-store.ts';
import { eraseHidden } from '../../../src/accounts/repositories/erase-store.ts';
import { createCleaningTasks } from '../../../src/app/owners/clean-up.ts';
import { changeSettings } from '../../../src/app/owners/settings-store.ts';
import { findParts, makePart } from '../../../src/contributions/contributors/ranking-store.ts';
import { saveAllCommits } from '../../../src/contributions/items/commit-store.ts';
import { markNextUncounted, saveResolved } from '../../../src/contributions/items/identity-store.ts';
import { removeOutlivedCounters } from '../../../src/contributions/totals/counter-store.ts';
import { endRecount } from '../../../src/contributions/totals/recount-commits-store.ts';
import { moveRepair } from '../../../src/contributions/totals/repair-store.ts';
import { areCommitsCounted, countNewCommits } from '../../../src/contributions/totals/total-store.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { refersToErased, takeSharedErasureLock } from '../../../src/database/schema/erasure.ts';
import { correctFutureTimes, distrustStoredTimes } from '../../../src/database/schema/future-store.ts';
import { saveBoards } from '../../../src/recognition/boards/board-store.ts';
import { readBoardsFile } from '../../../src/recognition/boards/file/read-file.ts';
import { rankBoard } from '../../../src/recognition/boards/ranking/rank-board.ts';
import { correctSeason } from '../../../src/recognition/boards/seasons/correct.ts';
import { freezeSeasons } from '../../../src/recognition/boards/seasons/freeze.ts';
import { recordFailed } from '../../../src/recognition/notifications/outbox-store.ts';
import { saveWebhookSecret } from '../../../src/recognition/notifications/secrets/store.ts';
import type { SyncContext } from '../../../src/sync/context.ts';
import { recountCommits } from '../../../src/sync/histories/read-history.ts';
import { endWaits } from '../../../src/sync/lookups/end-waits.ts';
import { checkTotals } from '../../../src/sync/totals/check-totals.ts';
import { recordUsed } from '../../../src/views/cards/images/store.ts';

/** Jobs about boards, addresses, lists in parts, messages, images and times, for `competing-jobs.ts`. */

type Jobs = Record<string, () => Promise<unknown>>;

const addresses = 4;
const receiver = 'https://receiver.example';

function pick<Item>(items: readonly Item[]): Item | undefined {
  return items[Math.floor(Math.random() * items.length)];
}

async function findIds({ connection }: SyncContext, table: 'accounts' | 'repositories' | 'boards'): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from ${sql.table(table)}`.execute(connection);
  return rows.map(({ id }) => id);
}

/** Stores boards over all repositories, addresses that each repository names, and images. */
export async function prepareFurther(context: SyncContext): Promise<void> {
  const { connection } = context;
  await sql`
    insert into images (url, failures, refresh_at, used_at)
    select 'https://images.example/' || n, 0, now(), '2020-01-01' from generate_series(0, 5) n`.execute(connection);
  await saveFile(context);
  for (const id of await findIds(context, 'repositories')) await storeCommits(context, id);
}

/** Stores the file of boards of an owner, with other places each time. */
async function saveFile(context: SyncContext): Promise<void> {
  const { rows } = await sql<{ id: string; name: string }>`
    select distinct a.id, a.name from accounts a join repositories r on r.owner_id = a.id`.execute(context.connection);
  const owner = pick(rows);
  if (owner === undefined) return;
  const boards = ['one', 'two', 'three']
    .toSorted(() => Math.random() - 0.5)
    .map((slug) => ({
      board: {
        name: slug,
        slug,
        repositories: rows.map(({ name }) => `${name}/*`),
        window: { seasons: 'quarter', from: '2026-01-01' },
        points: [{ action: 'issue', points: 1 }],
      },
    }));
  const file = readBoardsFile(Buffer.from(JSON.stringify({ version: 1, boards })), { provider: 'github' });
  await inTransaction(context.connection, (transaction) =>
    saveBoards(transaction, owner.id, file.boards, { now: new Date(), newId: uuidv7 }),
  );
}

async function storeCommits({ connection }: SyncContext, repositoryId: string): Promise<void> {
  const isCounted = await areCommitsCounted(connection, repositoryId);
  async function* batches() {
    yield Array.from({ length: addresses }, (_, index) => ({
      oid: uuidv7().replaceAll('-', '').padEnd(40, '0'),
      authoredAt: new Date(Date.UTC(2026, 0, 1 + index)),
      committedAt: new Date(),
      emails: [`${index}@x.org`],
    }));
  }
  await saveAllCommits(connection, batches(), { provider: 'github', repositoryId, scanNumber: 1, isCounted });
}

/** Jobs that rank boards and freeze seasons, and owners who hide accounts. */
function boardJobs(context: SyncContext): Jobs {
  const { connection } = context;
  const services = {
    connection,
    now: () => new Date(),
    publicUrl: () => 'https://plaudit.example',
    credentialAlgorithm: 'EdDSA' as const,
    newSigningKey: generateSigningKey,
  };
  return {
    'save a file of boards': () => saveFile(context),
    'rank a board': async () => {
      const boardId = pick(await findIds(context, 'boards'));
      if (boardId !== undefined) await rankBoard(services, boardId, { isCheck: Math.random() < 0.3 });
    },
    'freeze seasons': () => freezeSeasons(services),
    'correct a season': async () => {
      const boardId = pick(await findIds(context, 'boards'));
      if (boardId !== undefined) await correctSeason(services, { boardId, number: 1, reason: 'A test.' });
    },
    'hide or show an account': async () => {
      const id = pick(await findIds(context, 'accounts'));
      if (id === undefined) return;
      await inTransaction(connection, (to) => changeSettings(to, id, { hidden: Math.random() < 0.5 })).catch(
        ignoreErased,
      );
    },
  };
}

/** The errors where an account was erased between two statements. */
function ignoreErased(error: unknown): void {
  if (!(error instanceof Error && error.message === 'no result') && !refersToErased(error)) throw error;
}

/** Counts the commits of a repository, as the reading of its history does. */
export async function countCommits({ connection }: SyncContext, id: string): Promise<void> {
  while ((await markNextUncounted(connection, 2)) > 0);
  if (await areCommitsCounted(connection, id)) {
    await inTransaction(connection, (to) => countNewCommits(to, id));
    return;
  }
  const { signal } = new AbortController();
  // With one row in a part, each day with two commits is a large one.
  await recountCommits(connection, { repositoryId: id, rows: 1, signal });
  await inTransaction(connection, (to) => endRecount(to, id));
}

/** Jobs that find accounts of addresses, and count commits and people. */
function countingJobs(context: SyncContext): Jobs {
  const { connection } = context;
  return {
    'store commits': async () => {
      const id = pick(await findIds(context, 'repositories'));
      if (id !== undefined) await storeCommits(context, id);
    },
    'find accounts of addresses': () =>
      inTransaction(connection, async (transaction) => {
        await takeSharedErasureLock(transaction);
        const { rows } = await sql<{ id: number; accountId: string }>`
          select i.id, (select id from accounts where erased_at is null order by random() limit 1) as "accountId"
          from identities i where random() < 0.5 and email not like 'erased %' order by random()`.execute(transaction);
        await saveResolved(transaction, rows, new Date(), 2);
      }),
    'count commits': async () => {
      const id = pick(await findIds(context, 'repositories'));
      if (id !== undefined) await countCommits(context, id);
    },
    'check and repair totals': async () => {
      const { rows } = await sql<{ repositoryId: string; ownerId: string }>`
        select id as "repositoryId", owner_id as "ownerId" from repositories order by random() limit 1`.execute(
        connection,
      );
      const [checked] = rows;
      if (checked === undefined) return;
      await moveRepair(connection, checked.repositoryId, { from: null, to: { part: 'days', from: null } });
      await checkTotals(context, checked, new AbortController().signal, { rows: 20, parts: 8 });
    },
    'make a list in parts': async () => {
      const accountId = pick(await findIds(context, 'accounts')) ?? '';
      const scope = { accountId, repositoryId: null, includesPrivate: Math.random() < 0.5 };
      const parts = await findParts(connection, scope, 2);
      await inTransaction(connection, async (transaction) => {
        await takeSharedErasureLock(transaction);
        await makePart(transaction, scope, parts, new Date());
      });
    },
    'clean counters': () =>
      inTransaction(connection, (to) => removeOutlivedCounters(to, { after: undefined, limit: 100 })),
  };
}

/** Jobs of starts and cleaning, messages and images. */
export function createFurtherJobs(context: SyncContext): Jobs {
  const { connection } = context;
  const { signal } = new AbortController();
  const attempt = { id: uuidv7(), receiver };
  return {
    ...boardJobs(context),
    ...countingJobs(context),
    'clean up': async () => createCleaningTasks(context)['clean_up']?.run({}, signal),
    'correct times': async () => {
      await distrustStoredTimes(connection);
      await correctFutureTimes(connection, new Date());
    },
    'forget waits': () => endWaits(connection, new Date()),
    'an owner returns': () =>
      inTransaction(connection, (transaction) => requestRescanOfErased(transaction, 'github', new Date())),
    'show images': () => {
      const urls = [0, 1, 2, 3, 4, 5].map((n) => `https://images.example/${n}`).toSorted(() => Math.random() - 0.5);
      return recordUsed(connection, urls, new Date(), new Date());
    },
    'the erasure of a repository begins': () => eraseHidden(connection, new Date(), 1),
    'a message fails': async () => {
      const { rows } = await sql<{ id: string; receiver: string }>`
        select id, receiver from notifications order by random() limit 1`.execute(connection);
      const failure = { reason: 'refused', isFinal: false, retryAt: undefined };
      await recordFailed(connection, (rows[0] ?? attempt) as Parameters<typeof recordFailed>[1], failure, {
        now: new Date(),
        random: 0,
      });
    },
    'an owner stores a secret': async () => {
      const accountId = pick(await findIds(context, 'accounts'));
      if (accountId === undefined) return;
      const secret = { id: uuidv7(), accountId, url: receiver, receiver, secret: Buffer.from('x') };
      await inTransaction(connection, (transaction) =>
        saveWebhookSecret(transaction, { ...secret, formerUntil: new Date(), now: new Date() }),
      ).catch(ignoreErased);
    },
  };
}
