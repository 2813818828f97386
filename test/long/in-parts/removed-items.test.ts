import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { findRepository } from '../../../src/accounts/repositories/store.ts';
import { findById } from '../../../src/accounts/store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import type { Provider } from '../../../src/hosts/interface/provider.ts';
import { newCost, type SyncContext } from '../../../src/sync/context.ts';
import { readStream } from '../../../src/sync/streams/read-stream.ts';
import { SkipCollector } from '../../../src/sync/streams/skips.ts';
import { findStreams } from '../../../src/sync/streams/stream-store.ts';
import { openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { addRepository } from '../../integration/contributions/stored-repository.ts';
import { loseConnection } from '../../integration/lost-connection.ts';

const now = new Date('2026-06-01T00:00:00Z');
/** More than two transactions remove. */
const issues = 20_001;

/** Stores a repository with issues, which its host does not list any more. */
async function storeIssues({ connection, pool }: Database): Promise<string> {
  const repositoryId = await addRepository(connection);
  await pool.query(
    `insert into contributions (repository_id, kind, external_id, number, labels, created_at, updated_at, seen_at)
     select $1, 'issue', n, n, '{}', at, at, at
     from generate_series(1, ${issues}) n cross join (select '2026-05-01T12:00:00Z'::timestamptz as at) t`,
    [repositoryId],
  );
  await pool.query(`insert into streams (repository_id, name, covers) values ($1, 'issues', '{issue}')`, [
    repositoryId,
  ]);
  await inTransaction(connection, (transaction) => recountRepository(transaction, repositoryId));
  return repositoryId;
}

/** Reads the whole list of issues, which is empty. */
async function readEmptyList(connection: Connection, repositoryId: string): Promise<void> {
  const repository = (await findRepository(connection, repositoryId)) ?? assert.fail();
  const account = (await findById(connection, repository.ownerId)) ?? assert.fail();
  const [stream = assert.fail()] = await findStreams(connection, repositoryId);
  const page = { contributions: [], actors: [], wholeParents: [], nextCursor: null, total: null, pageSize: 100 };
  const provider = { name: 'github', streams: { list: [], read: async () => page } } as unknown as Provider;
  const context = { connection, now: () => now, newId: uuidv7 } as unknown as SyncContext;
  const skips = new SkipCollector({ urgency: 'background', signal: AbortSignal.any([]), cost: newCost() });
  const known = {} as Parameters<NonNullable<Provider['streams']>['read']>[1];
  const subject = { account, repository, known, provider, call: skips.call, skips };
  await readStream(context, subject, stream, stream.scanStartedAt === null ? 'everything' : 'resume');
}

async function readNumbers({ pool }: Database): Promise<unknown> {
  const { rows } = await pool.query(
    `select (select count(*)::integer from contributions) as stored, (select issues from repository_totals) as counted,
       (select completed_at is not null from streams) as "isComplete", (select count(*)::integer from scan_pages) as pages`,
  );
  return rows[0];
}

describe('the end of a full scan that finds very many items removed', () => {
  it('removes them in several transactions, also after the connection is lost before any statement', async () => {
    for (let at = 1; ; at += isThorough ? 1 : 7) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const repositoryId = await storeIssues(database);
      const isEnd = await loseConnection(database, at, (connection) => readEmptyList(connection, repositoryId));
      if (!isEnd) await readEmptyList(database.connection, repositoryId);
      const expected = { stored: 0, counted: 0, isComplete: true, pages: 0 };
      assert.deepEqual(await readNumbers(database), expected, `lost before statement ${at}`);
      if (isEnd) break;
    }
  });

  it('keeps the repository free for others between the transactions', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const repositoryId = await storeIssues(database);
    const stored = new Set<number>();
    const reading = { isOver: false };
    const watch = (async () => {
      while (!reading.isOver) {
        const { rows } = await database.pool.query<{ count: number }>('select count(*)::integer from contributions');
        stored.add(rows[0]?.count ?? 0);
      }
    })();
    await readEmptyList(database.connection, repositoryId);
    reading.isOver = true;
    await watch;
    assert.ok(
      [issues - 10_000, issues - 20_000].some((count) => stored.has(count)),
      [...stored].join(),
    );
  });
});
