import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { endWaits } from '../../../src/sync/lookups/end-waits.ts';
import { createTestDatabase, openTestDatabase } from '../../database.ts';
import { organization, reconcileNow } from '../../e2e/installations/installed.ts';
import type { TestService } from '../../e2e/service.ts';
import { storeRepository } from '../../integration/doctor/store-faults.ts';
import { startSteppedApp, startSteppedService } from './stepped-service.ts';

/** A wait that a host once sent: 3,170 years. */
const retryAfterS = 99_999_999_999;

const found = async (service: TestService, name: string) => {
  await service.get(name);
  return service.get(name);
};

/** Requests a name whose lookup is delayed. @returns the seconds in `Retry-After`. */
async function findDelay(service: TestService, name: string): Promise<number> {
  await service.get(name);
  const { status, headers } = await service.get(name);
  assert.equal(status, 202);
  return Number(headers.get('retry-after'));
}

describe('limit of waiting times', () => {
  it('calls a host again within an hour, and at once after a start, when it names a wait of millennia', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using database = await createTestDatabase();
    const { user } = simulator.accounts;
    {
      await using service = await startSteppedService({ simulator, databaseUrl: database.url });
      simulator.faults.add({ kind: 'primary_limit_429', retryAfterS, times: 1 });
      const waitS = await findDelay(service, user);
      assert.ok(waitS > 3000 && waitS <= 3600, `${waitS} s`);
    }
    await using service = await startSteppedService({ simulator, databaseUrl: database.url });
    assert.equal((await service.getAfterWork(user)).status, 200);
  });

  it('ends stored waits of lookups and jobs, and polls at the latest after their interval', async () => {
    await using opened = await openTestDatabase();
    const { connection, pool } = opened.database;
    await storeRepository(connection, { name: 'engine' });
    await pool.query(
      `insert into lookups (key, state, retry_at) values ('look_up github/ada', 'delayed_by_quota', '5138-11-16');
       select graphile_worker.add_job('collect', job_key => 'collect ada', run_at => '5138-11-16');
       update repository_polls set next_at = '5138-11-16'`,
    );
    const now = new Date();
    await inTransaction(connection, (transaction) => endWaits(transaction, now));
    const { rows } = await pool.query(
      `select (select count(*)::integer from lookups) as lookups, next_at <= $1::timestamptz + interval '900 seconds' as polled,
         (select run_at <= now() from graphile_worker.jobs) as runs
       from repository_polls`,
      [now],
    );
    assert.deepEqual(rows, [{ lookups: 0, polled: true, runs: true }]);
  });

  it('repeats a lookup that was refused for lack of quota when another account installs the App', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    const { world, app, accounts } = simulator;
    await using service = await startSteppedApp(simulator, { hasNoDeliveries: true });
    const installation = app.install(world.accountByLogin(accounts.private_owner) ?? assert.fail());
    await reconcileNow(service);
    assert.equal((await found(service, accounts.empty)).status, 200);
    const token = `installation:${installation.id}`;
    simulator.faults.add({ kind: 'primary_limit_429', retryAfterS, token, times: 1_000_000 });
    assert.ok((await findDelay(service, accounts.user)) > 30);
    app.install(organization(simulator));
    await reconcileNow(service);
    assert.equal((await found(service, accounts.user)).status, 200);
    assert.equal((await found(service, accounts.organization)).status, 200);
  });
});
