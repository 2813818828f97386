import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import type { Account, Repository } from '../../../simulators/world/model.ts';
import { closeItem } from '../../../simulators/world/mutations.ts';
import { organization, reconcileNow } from '../../e2e/installations/installed.ts';
import type { TestService } from '../../e2e/service.ts';
import { startSteppedApp } from './stepped-service.ts';

/** Starts a service that is the App, which an account has installed. */
async function startInstalled(simulator: Simulator, account: Account): Promise<TestService> {
  const service = await startSteppedApp(simulator, { hasNoDeliveries: true });
  simulator.app.install(account);
  await reconcileNow(service);
  return service;
}

/** Returns a public repository of the organization that has pull requests. */
function publicEngine(simulator: Simulator): Repository {
  const owned = simulator.world.owned(organization(simulator));
  return (
    owned.find(({ visibility, pullRequests }) => visibility === 'public' && pullRequests.length > 0) ?? assert.fail()
  );
}

describe('reading of repositories whose items GitHub refuses', () => {
  it('stores an issue that was closed from an organization that refuses the installation', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    const { world, accounts } = simulator;
    const user = world.accountByLogin(accounts.user) ?? assert.fail();
    const here =
      world.owned(user).find(({ visibility, isFork }) => visibility === 'public' && !isFork) ?? assert.fail();
    const issue = addIssue(world, here, { author: user });
    closeItem(world, issue, { closer: publicEngine(simulator).pullRequests[0] ?? assert.fail() });
    simulator.refusing.refuse(accounts.organization, 'ip_allow_list');
    await using service = await startInstalled(simulator, user);
    await service.getComplete(`${user.login}/contributors`);
    const { rows } = await service.database.pool.query<{ count: number }>(
      `select count(*)::integer as count from contributions c join repositories r on r.id = c.repository_id
       where r.external_id = $1 and c.kind = 'issue'`,
      [String(here.id)],
    );
    assert.equal(rows[0]?.count, here.issues.length);
  });

  it('leaves out an issue that GitHub refuses, and names issues as missing', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    assert.ok(publicEngine(simulator).issues.length > 0);
    const fault = { fields: ['Issue.number'], where: {}, times: 1000 };
    simulator.faults.add({ kind: 'field_error', error: 'forbidden', ...fault });
    await using service = await startInstalled(simulator, organization(simulator));
    const { body } = await service.get(`${simulator.accounts.organization}/contributors`);
    assert.deepEqual(body.meta_data.missing, ['issues']);
  });
});
