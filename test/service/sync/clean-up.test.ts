import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { deleteAccount } from '../../../simulators/world/mutations.ts';
import { readConfig } from '../../../src/app/config/config.ts';
import { openCore } from '../../../src/app/core.ts';
import { createCleaningTasks } from '../../../src/app/owners/clean-up.ts';
import { createLog } from '../../../src/model/log.ts';
import { newCost, type SyncContext } from '../../../src/sync/context.ts';
import { lookUp, refresh } from '../../../src/sync/lookups/look-up.ts';
import { createTestDatabase, isOnCluster, openTestDatabase } from '../../database.ts';
import { analyzeTables, watchPlans } from '../../integration/plans.ts';
import { clock } from '../../time.ts';
import { runSync } from './syncing.ts';

const dayS = 86_400;

describe('the clean-up job', () => {
  it('hides a deleted account at once, erases it after the grace period, and removes outdated lookup results', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 2 });
    await using created = await createTestDatabase();
    await using directory = await makeTemporaryDirectory();
    const { user } = simulator.accounts;
    const options = { simulator, databaseUrl: created.url, dataDir: directory.path, target: `github/${user}/notes` };
    await runSync(options);
    const environment = {
      DATABASE_URL: created.url,
      DATA_DIR: directory.path,
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      GITHUB_TOKEN: simulator.tokens.public_only,
    };
    const core = await openCore(
      readConfig(environment, () => ''),
      { log: createLog('silent'), now },
    );
    try {
      const call = { urgency: 'background', signal: new AbortController().signal, cost: newCost() } as const;
      const count = async (table: string, condition: string): Promise<number> => {
        const { rows } = await core.database.pool.query<{ count: number }>(
          `select count(*) from ${table} where ${condition}`,
        );
        return rows[0]?.count ?? Number.NaN;
      };
      const cleanUp = () => createCleaningTasks(core.sync)['clean_up']?.run({}, call.signal);
      const id = await lookUp(core.sync, { provider: 'github', name: user }, call);
      assert.ok(id);
      assert.equal(await lookUp(core.sync, { provider: 'github', name: 'nobody-at-all' }, call), undefined);
      assert.equal(await count('lookups', "state = 'absent'"), 1);

      deleteAccount(simulator.world, simulator.world.accountByLogin(user) ?? assert.fail());
      await refresh(core.sync, id, call);
      assert.equal(await count('accounts', `id = '${id}' and deleted_at is not null`), 1);
      advance(29 * dayS);
      await cleanUp();
      assert.equal(await count('accounts', `id = '${id}'`), 1);
      assert.equal(await count('lookups', 'true'), 0);
      advance(2 * dayS);
      await cleanUp();
      for (const table of ['accounts', 'counters', 'repositories', 'contributions', 'commits', 'contributor_totals']) {
        const owner = { accounts: 'id', counters: 'account_id', repositories: 'owner_id' }[table];
        const condition: string =
          owner === undefined ? `repository_id not in (select id from repositories)` : `${owner} = '${id}'`;
        assert.equal(await count(table, condition), 0, table);
      }
      assert.equal(await count('contributions', 'true'), 0);
    } finally {
      await core.close();
    }
  });

  it('erases in batches, and reads no table whole', { skip: isOnCluster }, async () => {
    await using opened = await openTestDatabase();
    const { pool, clientConfig } = opened.database;
    await pool.query(`
      insert into accounts (id, provider, external_id, handle, type, name, avatar_url, named_at, created_at, updated_at,
        deleted_at)
      select gen_random_uuid(), 'github', n::text, '', 'user', 'account-' || n, 'https://x.org/' || n, now(), now(), now(),
        case when n <= 2 then now() - interval '31 days' end
      from generate_series(1, 5000) n;
      insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
        listed_at, created_at, updated_at, deleted_at)
      select gen_random_uuid(), 'github', n::text, '', a.id, 'repository-' || n, false, false, now(), now(), now(), now(),
        case when n > 20 and n <= 45 then now() - interval '31 days' end
      from generate_series(1, 5000) n join accounts a on a.external_id = case when n <= 20 then '1' else n::text end;
      insert into repository_totals (repository_id, commits, issues, issues_closed, pull_requests, pull_requests_merged,
        reviews, discussions, discussions_answered, commits_counted)
      select id, 0, 0, 0, 0, 0, 0, 0, 0, true from repositories;
      insert into streams (repository_id, name, covers, completed_at, full_scan_at)
      select id, 'commits', '{commit}', now(), now() from repositories;
      insert into lookups (key, state, retry_at)
      select 'look_up github/' || n, 'absent', now() + (n - 1500) * interval '1 minute' from generate_series(1, 9000) n;
      insert into counters (account_id, day, updated_at, includes_private)
      select id, '2026-01-01', now(), external_id::integer % 100 = 0 from accounts;
      update repositories set is_private = true where external_id = '100';
      insert into reported_totals (account_id, credential_name, counters, missing, fetched_at)
      select id, 'token', '{}', '{}', now() from accounts where external_id = '200';
      insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
      select r.id, a.id, 1, 0, 0, 0, 0 from repositories r, accounts a
      where r.external_id = '100' and a.external_id = '300';
      insert into star_events (repository_id, external_id, at, balance, recorded_at)
      select id, '1', now(), 1, now() from repositories`);
    await analyzeTables({ pool });
    const statements = await watchPlans({ clientConfig }, async (connection) => {
      const context: Pick<SyncContext, 'connection' | 'now'> = { connection, now: () => new Date() };
      const tasks = createCleaningTasks(context);
      await tasks['clean_up']?.run({}, new AbortController().signal);
      await tasks['clean_counters']?.run({}, new AbortController().signal);
    });
    const large = new Set([
      'accounts',
      'repositories',
      'streams',
      'repository_totals',
      'lookups',
      'counters',
      'star_events',
    ]);
    for (const { text, scannedTables } of statements) {
      assert.deepEqual(
        scannedTables.filter((table) => large.has(table)),
        [],
        text,
      );
    }
    const { rows } = await pool.query(
      `select (select count(*) from accounts) as accounts, (select count(*) from repositories) as repositories,
         (select count(*) from lookups where retry_at < now()) as outcomes, (select count(*) from lookups) > 7000 as "isRest",
         (select json_agg(a.external_id order by a.external_id) from counters c join accounts a on a.id = c.account_id
           where c.includes_private) as "withPrivate"`,
    );
    assert.deepEqual(rows, [
      { accounts: 4998, repositories: 4955, outcomes: 0, isRest: true, withPrivate: ['100', '200', '300'] },
    ]);
    const count = (start: string): number => statements.filter(({ text }) => text.trim().startsWith(start)).length;
    assert.ok(count('delete from repositories where') > 3);
    assert.ok(count('delete from lookups where') > 1);
  });

  it('has histories read again, once, whose commits were stored before their subjects were', async () => {
    await using opened = await openTestDatabase();
    const { connection, pool } = opened.database;
    await pool.query(
      `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
       values (gen_random_uuid(), 'github', '1', 'O_1', 'organization', 'acme', now(), now(), now())`,
    );
    for (const [index, assisted] of ['null', 'false'].entries()) {
      await pool.query(
        `with stored as (
           insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
             created_at, updated_at)
           select gen_random_uuid(), 'github', '${index}', 'R_${index}', id, 'engine-${index}', false, false, now(), now(), now(), now()
           from accounts returning id
         ), streams as (
           insert into streams (repository_id, name, covers, completed_at, full_scan_at, known_until)
           select id, 'commits', '{commit}', now(), now() - interval '1 day', now() from stored)
         insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids, assisted)
         select id, '\\x0${index}', now(), now(), 1, '{}', ${assisted} from stored`,
      );
    }
    const { signal } = new AbortController();
    const cleanUp = async () => createCleaningTasks({ connection, now: () => new Date() })['clean_up']?.run({}, signal);
    const waitingStreams = async (): Promise<string[]> => {
      const { rows } = await pool.query<{ name: string; at: string }>(
        `select r.name, s.full_scan_wanted_at::text as at from streams s join repositories r on r.id = s.repository_id
         where s.full_scan_wanted_at is not null`,
      );
      return rows.map(({ name, at }) => `${name} ${at}`);
    };
    await cleanUp();
    const found = await waitingStreams();
    assert.deepEqual(
      found.map((line) => line.split(' ')[0]),
      ['engine-0'],
    );
    await cleanUp();
    assert.deepEqual(await waitingStreams(), found);
  });
});
