import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toSyncContext } from '../../../bench/sync-context.ts';
import { installByOperator } from '../../../src/accounts/installations/operator-store.ts';
import { findByExternalId } from '../../../src/accounts/repositories/store.ts';
import { findById } from '../../../src/accounts/store.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import type { Provider } from '../../../src/hosts/interface/provider.ts';
import { newCost, type Work } from '../../../src/sync/context.ts';
import { saveListed } from '../../../src/sync/listings/list-repositories.ts';
import { pollRepository } from '../../../src/sync/listings/poll-repository.ts';
import { requestScanFor, startScan } from '../../../src/sync/streams/stream-store.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { engine } from '../repositories/engine.ts';

/** Tests changes of a repository that another job is reading. */

const listed = {
  ...engine,
  isPrivate: false,
  credentialName: null,
  tips: { stars: { total: 2, changedAt: null, revision: null } },
};
const emptyPage = { contributions: [], actors: [], wholeParents: [], nextCursor: null, total: null, pageSize: 0 };
const work: Work = {
  call: { urgency: 'background', signal: new AbortController().signal, cost: newCost() },
  onProgress: () => {},
};

/** Stores an installed repository with a stream of stars. */
async function prepare({ connection, pool }: Database) {
  const provider = {
    name: 'github',
    streams: { list: [{ name: 'stars', covers: ['star'], isForInstalled: true }] },
    polls: {
      repositories: { perHour: 250, quotas: 1 },
      readTip: async () => ({ repository: listed, page: emptyPage }),
    },
  } as unknown as Provider;
  const context = toSyncContext(connection, provider, { onFailure: () => {} });
  const { rows } = await pool.query<{ id: string }>(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
     values (gen_random_uuid(), 'github', '1', '1', 'organization', 'acme', now(), now(), now()) returning id`,
  );
  const account = (await findById(connection, rows[0]?.id ?? '')) ?? assert.fail();
  await connection.transaction().execute(async (transaction) => {
    await installByOperator(transaction, { provider: 'github', account, repository: null }, new Date());
    await saveListed(context, transaction, { account, provider, repositories: [listed], listedAt: new Date() });
  });
  const repository = (await findByExternalId(connection, 'github', listed.externalId)) ?? assert.fail();
  return { context, repository };
}

describe('changes of a repository that another job is reading', () => {
  it('reads a polled change after the other job, which may have passed it', async () => {
    await using opened = await reuseTestDatabase();
    const { context, repository } = await prepare(opened.database);
    context.claims.reading.add(repository.id);
    await pollRepository(context, repository.id, work);
    const { rows } = await opened.database.pool.query<{ key: string }>(
      `select key from graphile_worker.jobs where task_identifier = 'collect_repository' and run_at > created_at`,
    );
    assert.equal(rows.length, 1);
  });

  it('reads a list whole after a removal that arrives during its scan, which may store the item after it', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const { repository } = await prepare(opened.database);
    const removed = { repositoryId: repository.id, kind: 'star', externalId: '7' } as const;
    const isWanted = async (): Promise<boolean> => {
      const { rows } = await pool.query(
        `select 1 from streams where name = 'stars' and full_scan_wanted_at is not null`,
      );
      return rows.length > 0;
    };
    await requestScanFor(connection, removed, new Date());
    assert.equal(await isWanted(), false, 'an unknown star that no scan can store');
    await startScan(connection, repository.id, 'stars', { startedAt: new Date(), isFull: true, isDeep: true });
    await requestScanFor(connection, removed, new Date());
    assert.equal(await isWanted(), true);
  });
});
