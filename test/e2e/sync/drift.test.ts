import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { untilIdle } from '../access/state.ts';
import { organization, runTask, startAppService, untilShown } from '../installations/installed.ts';

interface StoredDrift {
  what: string;
  missing: number;
  is_repaired: boolean;
}

describe('the nightly comparison', () => {
  it('stores the last drift of each part of a repository, and that it was repaired', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startAppService(simulator);
    const { pool } = service.database;
    simulator.app.install(organization(simulator));
    await untilShown(service, 'engine-1', /collected/);
    await untilIdle(service);
    const { rows: stored } = await pool.query<{ id: string }>("select id from repositories where name = 'engine-1'");
    const repositoryId = stored[0]?.id ?? '';
    const compare = async (): Promise<StoredDrift[]> => {
      await runTask(service.database, 'reconcile_repository', { repositoryId });
      const { rows } = await pool.query<StoredDrift>(
        `select what, expected - found as missing, is_repaired from drifts where repository_id = $1 and what <> 'sums'`,
        [repositoryId],
      );
      return rows;
    };
    assert.deepEqual(await compare(), []);

    // One issue vanishes from the database, and cannot be stored again.
    const { rows: issues } = await pool.query<{ id: string }>(
      `select min(external_id) as id from contributions where repository_id = $1 and kind = 'issue'`,
      [repositoryId],
    );
    await pool.query(`create function skip_issue() returns trigger language plpgsql as $$ begin return null; end $$`);
    await pool.query(`create trigger skip_issue before insert on contributions for each row
      when (new.kind = 'issue' and new.external_id = '${issues[0]?.id ?? ''}') execute function skip_issue()`);
    await pool.query(`delete from contributions where repository_id = $1 and kind = 'issue' and external_id = $2`, [
      repositoryId,
      issues[0]?.id,
    ]);
    assert.deepEqual(await compare(), [{ what: 'issues', missing: 1, is_repaired: false }]);

    await pool.query('drop trigger skip_issue on contributions');
    assert.deepEqual(await compare(), [{ what: 'issues', missing: 1, is_repaired: true }]);

    // The next comparison settles a drift that disappeared by itself.
    await pool.query('update drifts set is_repaired = false');
    assert.deepEqual(await compare(), [{ what: 'issues', missing: 1, is_repaired: true }]);
  });
});
