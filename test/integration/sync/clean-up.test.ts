import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { deleteAccount } from '../../../simulators/world/mutations.ts';
import { readConfig } from '../../../src/config/config.ts';
import { openCore } from '../../../src/core.ts';
import { createLog } from '../../../src/log.ts';
import { newCost } from '../../../src/sync/context.ts';
import { lookUp, refresh } from '../../../src/sync/look-up.ts';
import { createTasks } from '../../../src/sync/tasks.ts';
import { createTestDatabase } from '../../database.ts';
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
      const cleanUp = () => createTasks(core.sync)['clean_up']?.run({}, call.signal);
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
});
