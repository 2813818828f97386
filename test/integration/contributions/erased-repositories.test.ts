import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { removeErasedRows } from '../../../src/contributions/items/erase-store.ts';
import { countStored } from '../../../src/contributions/totals/private-store.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { createOrphanTasks } from '../../../src/sync/totals/check-orphans.ts';
import { isOnCluster } from '../../database.ts';
import { begin, countRows, eraseRepository, prepare, storeCommit, storePull, untilWaiting } from './erasure-fixture.ts';
import { findOrphans } from './orphans.ts';

describe('removal of the rows of an erased repository', () => {
  for (const [kind, storing] of Object.entries({ contributions: storePull, commits: storeCommit })) {
    it(`stores no ${kind} when the repository is erased meanwhile`, async () => {
      await using prepared = await prepare();
      const { connection, database, repositoryId } = prepared;
      const erasing = await begin(connection, (transaction) => eraseRepository(transaction, repositoryId));
      const outcome = assert.rejects(storing(prepared), { code: 'not_found' });
      await untilWaiting(database);
      await erasing.commit();
      await outcome;
      assert.equal(await countRows(database), 0);
    });
  }

  it('removes rows that were stored while the repository was erased, and counts them for no account before', async () => {
    await using prepared = await prepare();
    const { connection, database, repositoryId, person } = prepared;
    const storing = await begin(connection, prepared.store);
    const erasing = inTransaction(connection, (transaction) => eraseRepository(transaction, repositoryId));
    await untilWaiting(database);
    await storing.commit();
    await erasing;
    assert.notEqual(await countRows(database), 0);
    const { counters } = await countStored(connection, person.id, 'public');
    assert.equal(counters.pull_requests, 0);
    assert.equal(await removeErasedRows(connection, 100), 'done');
    assert.equal(await countRows(database), 0);
    assert.deepEqual((await prepared.pool.query('select from erased_repositories')).rows, []);
  });

  it('removes a row that another transaction changes meanwhile', { skip: isOnCluster }, async () => {
    await using prepared = await prepare();
    const { connection, database, repositoryId } = prepared;
    await inTransaction(connection, prepared.store);
    await inTransaction(connection, (transaction) => eraseRepository(transaction, repositoryId));
    const changing = await begin(connection, async (transaction) => {
      await sql`update contributions set account_id = null`.execute(transaction);
    });
    const removing = removeErasedRows(connection, 100);
    await untilWaiting(database);
    await changing.commit();
    assert.equal(await removing, 'done');
    assert.equal(await countRows(database), 0);
  });

  it('removes rows in batches, and repeats a batch that was killed', { skip: isOnCluster }, async () => {
    await using prepared = await prepare();
    const { connection, database, pool, repositoryId } = prepared;
    for (let number = 1; number <= 9; number += 1) {
      await inTransaction(connection, (transaction) => prepared.store(transaction, number));
    }
    await inTransaction(connection, (transaction) => eraseRepository(transaction, repositoryId));
    const all = await countRows(database);
    assert.equal(await removeErasedRows(connection, 4), 'more');
    assert.equal(await countRows(database), all - 4);
    const holding = await begin(connection, async (transaction) => {
      await sql`select from contributions for update`.execute(transaction);
    });
    const killed = assert.rejects(removeErasedRows(connection, 100));
    const pid = await untilWaiting(database);
    await pool.query('select pg_terminate_backend($1)', [pid]);
    await killed;
    await holding.commit();
    assert.equal(await countRows(database), all - 4);
    assert.equal(await removeErasedRows(connection, 100), 'done');
    assert.equal(await countRows(database), 0);
  });
});

describe('nightly check for orphans', () => {
  it('finds ids that nothing has, repairs their rows, and counts them', { skip: isOnCluster }, async () => {
    await using prepared = await prepare();
    const { connection, database, pool } = prepared;
    await inTransaction(connection, prepared.store);
    const before = await countRows(database);
    // More people than a job compares: the last unknown one comes in the second job for the column.
    await pool.query(`
      insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
      select gen_random_uuid(), 'github', 'known ' || n, '', 'user', 'known-' || n, now(), now(), now()
      from generate_series(1, 500) n;
      insert into contributions (repository_id, kind, external_id, account_id, answered_by, resolved_by, merged_by,
        created_at, updated_at, seen_at)
      select repository_id, 'issue', 'x' || n,
        coalesce(a.id, case n when 510 then 'ffffffff-ffff-4fff-bfff-ffffffffffff' else gen_random_uuid() end),
        other, other, other, now(), now(), now()
      from repository_totals cross join generate_series(1, 510) n
      left join accounts a on a.external_id = 'known ' || n
      cross join lateral (select case n when 510 then gen_random_uuid() end as other) o;
      insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
      select repository_id, gen_random_uuid(), 0, 0, 0, 0, 0 from repository_totals;
      insert into contribution_days (repository_id, account_id, day)
      select repository_id, gen_random_uuid(), '2026-01-01' from repository_totals;
      insert into repository_totals (repository_id) values (gen_random_uuid());
      insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
      select gen_random_uuid(), id, 0, 0, 0, 0, 0 from accounts where name = 'ada';
      insert into contribution_days (repository_id, account_id, day)
      select gen_random_uuid(), id, '2026-01-01' from accounts where name = 'ada';
      insert into contributions (repository_id, kind, external_id, created_at, updated_at, seen_at)
      values (gen_random_uuid(), 'issue', '1', now(), now(), now());
      insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
      values (gen_random_uuid(), '\\x00', now(), now(), 1, '{}');
      insert into uncounted_commits (repository_id, oid) values (gen_random_uuid(), '\\x00');
      insert into repository_identities (repository_id, identity_id, is_author) values (gen_random_uuid(), 1, true);
      insert into pending_details (repository_id, detail, key) values (gen_random_uuid(), 'commit_files', '00')`);
    const found = new Map<string, number>();
    const onOrphans = (table: string, ids: number): void => void found.set(table, (found.get(table) ?? 0) + ids);
    const task = createOrphanTasks({ connection, onOrphans })['check_orphans'];
    const signal = new AbortController().signal;
    for (let payload: unknown = {}; payload !== undefined; ) {
      await task?.run(payload, signal);
      const { rows } = await pool.query<{ payload: unknown }>(
        `delete from graphile_worker._private_jobs where key = 'check_orphans' returning payload`,
      );
      payload = rows[0]?.payload;
    }
    assert.equal(await removeErasedRows(connection, 1000), 'done');
    assert.deepEqual(await findOrphans(connection), []);
    assert.equal(await countRows(database), before + 510, 'the contributions stay without a person');
    assert.deepEqual(
      found,
      new Map([
        ['repository_totals', 1],
        ['contributor_totals', 2],
        ['contribution_days', 2],
        ['contributions', 1 + 10 + 1],
        ['uncounted_commits', 1],
        ['commits', 1],
        ['repository_identities', 1],
        ['pending_details', 1],
      ]),
    );
  });
});
