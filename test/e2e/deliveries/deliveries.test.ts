import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outbox } from '../../../simulators/github/deliver.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addCommit, addIssue } from '../../../simulators/world/activity.ts';
import { toCounters } from '../../../simulators/world/expected-totals.ts';
import { closeItem, deleteItem } from '../../../simulators/world/mutations.ts';
import { listAddresses } from '../../../simulators/world/people.ts';
import { editTitle } from '../../../simulators/world/threads.ts';
import { engines } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { untilIdle } from '../access/state.ts';
import { startTestService } from '../service.ts';
import { deliver, settings, untilResponsesMatchWorld } from './delivering.ts';

describe('application of deliveries', () => {
  it('updates responses within seconds of deliveries in any order, repeated, about others, and before a kill', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startTestService({ simulator, settings });
    const { world, accounts } = simulator;
    const reports = () => simulator.requests.filter(({ name }) => name.startsWith('Account')).length;
    for (const name of [accounts.user, accounts.outsider, engines.name]) await service.get(name);
    await untilIdle(service);
    const lookedUp = reports();
    await service.getComplete(`${engines.name}/contributors`);
    await untilIdle(service);
    assert.equal(reports(), lookedUp, 'the first read of a repository fetches no account');
    const repository = world.repository(engines.name, 'engine-1') ?? assert.fail();
    const author = world.accountByLogin(simulator.accounts.user) ?? assert.fail();
    const sent = outbox(simulator);
    const issue = addIssue(world, repository, { author });
    const [opened] = sent;
    assert.ok(opened);
    assert.deepEqual(await deliver(service, opened), { status: 202, state: 'accepted' });
    assert.deepEqual(await deliver(service, opened), { status: 202, state: 'known' });
    await untilResponsesMatchWorld(service, simulator, 'the new issue is counted');
    const untilOwnNumbers = (login: string): Promise<true> =>
      until(async () => {
        const { body } = await service.get(`${login}/contributions`);
        const expected = toCounters(world, login);
        return JSON.stringify(body.data[0]?.['contributions']) === JSON.stringify(expected) ? true : undefined;
      }, `the numbers of ${login} follow`);
    await untilOwnNumbers(accounts.user);

    closeItem(world, issue);
    editTitle(world, issue, 'Another');
    // The older delivery comes last.
    for (const delivery of sent.splice(1).toReversed()) await deliver(service, delivery);
    await untilResponsesMatchWorld(service, simulator, 'the closed issue is counted');
    deleteItem(world, repository, issue);
    for (const delivery of sent.splice(1)) await deliver(service, delivery);
    await untilResponsesMatchWorld(service, simulator, 'the deleted issue is not counted');

    const person = (login: string) => {
      const account = world.accountByLogin(login) ?? assert.fail();
      return { name: login, email: listAddresses(account)[0] ?? assert.fail() };
    };
    await untilOwnNumbers(accounts.outsider);
    addCommit(world, repository, { author: person(accounts.user), coAuthors: [person(accounts.outsider)] });
    for (const delivery of sent.splice(0)) await deliver(service, delivery);
    await untilOwnNumbers(accounts.outsider);
    await untilResponsesMatchWorld(service, simulator, 'the commit is counted');
    await untilIdle(service);

    addIssue(world, repository, { author });
    // The workers cannot process the delivery, so that it waits.
    const blocker = await service.database.pool.connect();
    await blocker.query('begin');
    await blocker.query('lock table deliveries in share row exclusive mode');
    const sending = deliver(service, sent[0] ?? assert.fail());
    await blocker.query('commit');
    blocker.release();
    assert.deepEqual(await sending, { status: 202, state: 'accepted' });
    await service.service.close();
    await using second = await startTestService({ simulator, settings, databaseUrl: service.databaseUrl });
    await untilResponsesMatchWorld(second, simulator, 'it is applied by the next process');
  });

  it('reads a repository once for a burst of deliveries', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startTestService({ simulator, settings, hasFullDelays: true });
    const { world } = simulator;
    await service.getComplete(`${engines.name}/contributors`);
    await untilIdle(service);
    const repository = world.repository(engines.name, 'engine-1') ?? assert.fail();
    const before = simulator.requests.length;
    const author = world.accountByLogin(simulator.accounts.outsider) ?? assert.fail();
    const sent = outbox(simulator);
    for (let count = 0; count < 40; count += 1) {
      addIssue(world, repository, { author });
      for (const delivery of sent.splice(0)) await deliver(service, delivery);
    }
    await untilResponsesMatchWorld(service, simulator, 'all are counted');
    assert.ok(simulator.requests.length - before < 20, `${simulator.requests.length - before} requests`);
  });
});
