import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '../../../src/database/connection.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { openBefore } from '../../integration/database/open-before.ts';

const before = '0033-bounded-work';
const memoryWithoutField = { windows: [{ commits: 2, requestedAt: '2026-02-01T00:00:00Z' }, { commits: 3 }] };

/** Stores more accounts than one batch renames. A third of them have no memory, and one has a window without the field. */
async function fill({ pool }: Database): Promise<void> {
  await pool.query(`
    insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at, provider_memory)
    select gen_random_uuid(), 'github', n::text, n::text, 'user', 'a' || n, now(), now(), now(),
      case when n % 3 > 0 then jsonb_build_object('kept', n, 'windows', jsonb_build_array(
        jsonb_build_object('commits', n, 'askedAt', '2026-01-01T00:00:00Z'), jsonb_build_object('commits', 0))) end
    from generate_series(1, 4500) n`);
  await pool.query("update accounts set provider_memory = $1 where name = 'a1'", [memoryWithoutField]);
  await pool.query(`
    insert into reported_totals (account_id, credential_name, counters, missing, fetched_at, provider_memory)
    select id, 'token', '{}', '{}', now(), provider_memory from accounts where provider_memory is not null`);
}

describe('the migration to stored names', () => {
  it('renames the time of each remembered window and keeps the rest', async () => {
    await using opened = await openBefore(before);
    const { database } = opened;
    await fill(database);
    await migrate(database);
    for (const table of ['accounts', 'reported_totals']) {
      const { rows } = await database.pool.query<{ memory: unknown; count: number }>(`
        select provider_memory - 'kept' as memory, count(*)::integer as count from (
          select coalesce(jsonb_set(provider_memory, '{windows,0,commits}', '2'), 'null') as provider_memory from ${table}
          where provider_memory is not null) stored (provider_memory)
        group by memory order by count`);
      const windows = [{ commits: 2, requestedAt: '2026-01-01T00:00:00Z' }, { commits: 0 }];
      assert.deepEqual(rows, [
        { memory: memoryWithoutField, count: 1 },
        { memory: { windows }, count: 2999 },
      ]);
    }
  });

  it('renames the task of queued jobs, their keys and the keys of lookups', async () => {
    await using opened = await openBefore(before);
    const { database } = opened;
    await database.pool.query(`
      select graphile_worker.add_job('see_totals', '{"accountId": "1"}', job_key => 'see_totals 1'),
        graphile_worker.add_job('fetch_reported_totals', '{"accountId": "2"}', job_key => 'fetch_reported_totals 2')`);
    await database.pool.query(`
      insert into lookups (key, state, retry_at) values ('see_totals 1', 'running', now()), ('look_up x', 'running', now())`);
    await migrate(database);
    const jobs = await database.pool.query(
      'select task_identifier as task, key from graphile_worker.jobs order by key',
    );
    const tasks = await database.pool.query(
      "select 1 from graphile_worker._private_tasks where identifier = 'see_totals'",
    );
    const lookups = await database.pool.query('select key from lookups order by key');
    assert.deepEqual(jobs.rows, [
      { task: 'fetch_reported_totals', key: 'fetch_reported_totals 1' },
      { task: 'fetch_reported_totals', key: 'fetch_reported_totals 2' },
    ]);
    assert.equal(tasks.rowCount, 0);
    assert.deepEqual(lookups.rows, [{ key: 'fetch_reported_totals 1' }, { key: 'look_up x' }]);
  });
});
