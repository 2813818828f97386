import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outbox, webhookSecret } from '../../../simulators/github/deliver.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addCommit } from '../../../simulators/world/activity.ts';
import { countersOf } from '../../../simulators/world/expected-totals.ts';
import { addressesOf } from '../../../simulators/world/people.ts';
import { engines } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { untilIdle } from '../access/state.ts';
import { sendDelivery } from '../raw-request.ts';
import { startTestService } from '../service.ts';

describe('deliveries about the commits of others', () => {
  /** Tests people whose contributions arrive with the deliveries of others, on a host that reports totals. */

  it('refreshes a co-author whose commit another person pushes, and no account when a repository is first read', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 2 });
    const settings = { GITHUB_WEBHOOK_SECRET: webhookSecret };
    await using service = await startTestService({ simulator, settings, now });
    const { world, accounts } = simulator;
    const person = (login: string) => {
      const account = world.accountByLogin(login) ?? assert.fail();
      return { name: login, email: addressesOf(account)[0] ?? assert.fail() };
    };
    const numbers = async () => {
      const { body } = await service.get(`${accounts.outsider}/contributions`);
      return body.data[0]?.['contributions'];
    };
    const reports = () => simulator.requests.filter(({ name }) => name.startsWith('Account')).length;
    for (const name of [accounts.outsider, engines.name]) await service.get(name);
    await untilIdle(service);
    const lookedUp = reports();
    await service.getComplete(`${engines.name}/contributors`);
    await untilIdle(service);
    assert.equal(reports(), lookedUp);
    assert.deepEqual(await numbers(), countersOf(world, accounts.outsider));

    const repository = world.repository(engines.name, 'engine-1') ?? assert.fail();
    advance(60);
    const sent = outbox(simulator);
    addCommit(world, repository, { author: person(accounts.user), coAuthors: [person(accounts.outsider)] });
    for (const { headers, body } of sent) {
      await sendDelivery(service, 'github', { headers, body });
    }
    await untilIdle(service);
    assert.deepEqual(await numbers(), countersOf(world, accounts.outsider));
  });
});
