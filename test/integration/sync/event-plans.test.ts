import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { createIssueSource, unstoppedWork } from '../../../bench/issue-source.ts';
import { toSyncContext } from '../../../bench/sync-context.ts';
import { hideRepository } from '../../../src/accounts/repositories/hide-store.ts';
import { findByExternalId } from '../../../src/accounts/repositories/store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { recordVisibility } from '../../../src/sync/lookups/record-state.ts';
import { collectNamedRepository } from '../../../src/sync/streams/collect.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { analyzeTables, watchPlans } from '../plans.ts';

const large = new Set(['repositories', 'streams', 'summed_repositories', 'repository_totals', 'contributor_totals']);

/** Opens a database with an organization that owns 1,500 repositories, and as many users who own one each. */
async function openOwners() {
  const opened = await openTestDatabase();
  const { pool } = opened.database;
  const accountId = uuidv7();
  await pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, listed_at, created_at, updated_at)
     select case n when 0 then $1 else gen_random_uuid() end, 'github', n::text, '', case n when 0 then 'organization' else 'user' end,
       'person-' || n, now(), now(), now(), now() from generate_series(0, 3000) n`,
    [accountId],
  );
  await pool.query(`
    insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
      listed_at, installed_at, created_at, updated_at)
    select gen_random_uuid(), 'github', 'r' || n, '', a.id, 'r' || n, false, false, now(), now(), now(), now(), now()
    from generate_series(1, 3000) n join accounts a on a.external_id = case when n <= 1500 then '0' else n::text end;
    insert into streams (repository_id, name, covers, known_until, completed_at, full_scan_at, is_deep)
    select id, 'issues', '{issue}', now(), now(), now(), true from repositories;
    insert into repository_totals (repository_id) select id from repositories;
    insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
    select r.id, a.id, 1, 0, 0, 0, 0 from repositories r join accounts a on 'r' || a.external_id = r.external_id`);
  await analyzeTables({ pool });
  return { ...opened, accountId };
}

describe('storing of an event for an owner with many repositories', () => {
  let opened: Awaited<ReturnType<typeof openOwners>>;
  before(async () => {
    opened = await openOwners();
  });
  after(() => opened[Symbol.asyncDispose]());

  it('reads no more than for an owner with one when a repository is hidden', async () => {
    const { database } = opened;
    const source = createIssueSource({ externalId: 'r1', name: 'r1' }, () => assert.fail());
    const hide = async (connection: Connection, name: string): Promise<void> => {
      const repository = await findByExternalId(connection, 'github', name);
      assert.ok(repository);
      await inTransaction(connection, async (transaction) => {
        await hideRepository(transaction, repository.id, new Date());
        await recordVisibility(toSyncContext(transaction, source), transaction, [repository.ownerId]);
      });
    };
    const blocksOfHiding = async (name: string, before: string): Promise<number> => {
      const ran = await watchPlans(database, async (connection) => {
        // The first one reads what later ones of a connection need no more.
        await hide(connection, before);
        await sql`select 'begun'`.execute(connection);
        await hide(connection, name);
      });
      const begun = ran.findIndex(({ text }) => text.includes("'begun'"));
      return ran.slice(begun).reduce((sum, { blocks }) => sum + blocks, 0);
    };
    const ofOne = await blocksOfHiding('r2000', 'r2500');
    const ofMany = await blocksOfHiding('r100', 'r200');
    assert.ok(ofMany < ofOne * 1.2, `${ofMany} blocks, ${ofOne} for an owner with one repository`);
  });

  it('reads no table whole', { skip: isOnCluster }, async () => {
    const { database, accountId } = opened;
    const source = createIssueSource({ externalId: 'r1', name: 'r1' }, () => ({ id: 'new', author: '1', total: 1 }));
    const statements = await watchPlans(database, (connection) =>
      collectNamedRepository(
        toSyncContext(connection, source),
        { accountId, repository: 'r1', withPrivate: false },
        unstoppedWork,
      ),
    );
    const fullScans = statements.filter(({ scannedTables }) => scannedTables.some((table) => large.has(table)));
    assert.deepEqual(
      fullScans.map(({ text }) => text),
      [],
    );
    const { rows } = await database.pool.query('select count(*) from contributions');
    assert.deepEqual(rows, [{ count: 1 }]);
  });
});
