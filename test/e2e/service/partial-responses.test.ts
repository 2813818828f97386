import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import type { Account, Repository } from '../../../simulators/world/model.ts';
import { closeItem } from '../../../simulators/world/mutations.ts';
import { until } from '../../time.ts';
import { untilIdle } from '../access/state.ts';
import { engine, organization, startAppService, untilShown } from '../installations/installed.ts';
import { type ServiceResponse, startTestService, type TestService } from '../service.ts';

const userOf = ({ world, accounts }: Simulator): Account =>
  world.accountByLogin(accounts.user) ?? assert.fail('there is no user');

/** Returns a public repository of the organization that has pull requests. */
function publicEngine(simulator: Simulator): Repository {
  const owned = simulator.world.owned(organization(simulator));
  return (
    owned.find(({ visibility, pullRequests }) => visibility === 'public' && pullRequests.length > 0) ?? assert.fail()
  );
}

/** Requests an address until the account behind it is looked up. */
function found(service: TestService, path: string): Promise<ServiceResponse> {
  return until(async () => {
    const response = await service.get(path);
    return response.status === 202 ? undefined : response;
  }, `${path} is looked up`);
}

/** Waits until a text is logged, which may be after the response. @returns the line. */
const lineWith = ({ lines }: TestService, text: string): Promise<string> =>
  until(async () => lines.find((line) => line.includes(text)), `${text} is logged`);

describe('reading of repositories whose items GitHub refuses', () => {
  it('stores an issue that was closed from an organization that refuses the installation', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    const { world } = simulator;
    const user = userOf(simulator);
    const here =
      world.owned(user).find(({ visibility, isFork }) => visibility === 'public' && !isFork) ?? assert.fail();
    const issue = addIssue(world, here, { author: user });
    closeItem(world, issue, { closer: publicEngine(simulator).pullRequests[0] ?? assert.fail() });
    await using service = await startAppService(simulator);
    simulator.app.install(user);
    simulator.refusing.refuse(simulator.accounts.organization, 'ip_allow_list');
    await service.getComplete(`${user.login}/contributors`);
    await untilIdle(service);
    const { rows } = await service.database.pool.query<{ count: number }>(
      `select count(*)::integer as count from contributions c join repositories r on r.id = c.repository_id
       where r.external_id = $1 and c.kind = 'issue'`,
      [String(here.id)],
    );
    assert.equal(rows[0]?.count, here.issues.length);
  });

  it('leaves out an issue that GitHub refuses, and names issues as missing', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    const refused = engine(simulator, 'engine-1').issues[0] ?? assert.fail();
    simulator.faults.add({
      kind: 'field_error',
      fields: ['Issue.number'],
      where: {},
      error: 'forbidden',
      times: 1000,
    });
    assert.ok(refused);
    await using service = await startAppService(simulator);
    simulator.app.install(organization(simulator));
    await untilShown(service, 'engine-1', /collected/);
    await untilIdle(service);
    const { body } = await service.get(`${simulator.accounts.organization}/contributors`);
    assert.deepEqual(body.meta_data.missing, ['issues']);
  });
});

describe('lookup of an organization that refuses the token', () => {
  it('responds with an error, and logs the remedy, where SAML forbids that too', async () => {
    await using simulator = await startSimulator();
    simulator.refusing.refuse(simulator.accounts.organization, 'saml');
    await using service = await startTestService({ simulator });
    const { status } = await found(service, simulator.accounts.organization);
    assert.equal(status, 502);
    assert.match(await lineWith(service, 'SAML'), /You must grant your Personal Access token access/);
  });
});
