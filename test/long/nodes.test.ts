import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { listContributors } from '../../simulators/world/expected-totals.ts';
import { changeProfile } from '../../simulators/world/mutations.ts';
import { createTestDatabase } from '../database.ts';
import { startTestService } from '../e2e/service.ts';
import { startSync } from '../service/sync/syncing.ts';
import { clock, until } from '../time.ts';

const ignore = (): void => {};

describe('several nodes', () => {
  it('send one lookup to the provider for a hundred simultaneous requests, share results, and count nothing twice that a command collects too', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 3 });
    await using created = await createTestDatabase();
    // Enough on a busy machine: a request that waits longer gets 202.
    const shared = { simulator, databaseUrl: created.url, now, settings: { LOOKUP_BUDGET_MS: '60000' } };
    await using first = await startTestService(shared);
    await using second = await startTestService(shared);
    // Each node opens its connections: a request that waits longer than two seconds for one gets 503.
    await Promise.all([first, second].flatMap((node) => Array.from({ length: 8 }, () => node.get('grace-hopper'))));
    const before = simulator.requests.length;
    simulator.faults.add({ kind: 'slow', delayMs: 200 });
    const spellings = ['ada-lovelace', 'Ada-Lovelace', 'ADA-LOVELACE'];
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? first : second).get(spellings[index % 3] ?? '')),
    );
    const others = responses.filter(({ status }) => status !== 200);
    assert.deepEqual(
      others.map(({ status, text }) => `${status} ${text}`),
      [],
    );
    const requested = (): string[] => simulator.requests.slice(before).map(({ name }) => name);
    assert.deepEqual(requested(), ['Account']);

    // Both nodes cache the response; a change that one of them stores invalidates the cache of the other.
    const account = simulator.world.accountByLogin('ada-lovelace') ?? assert.fail();
    changeProfile(simulator.world, account, { bio: 'Changed.' });
    advance(3700);
    await first.get('ada-lovelace');
    await until(async () => (/Changed/.test((await first.get('ada-lovelace')).text) ? true : undefined), 'one knows');
    await until(
      async () => (/Changed/.test((await second.get('ada-lovelace')).text) ? true : undefined),
      'the other knows',
    );
    // A request that read the account just before its refresh was stored may begin another refresh, once on each node.
    assert.match(requested().join(), /^Account(,Account){1,3}$/);

    await using directory = await makeTemporaryDirectory();
    const { organization } = simulator.accounts;
    const target = `github/${organization}`;
    const command = startSync({ simulator, target, databaseUrl: created.url, dataDir: directory.path });
    await Promise.all([first.get(`${organization}/contributors`), second.get(`${organization}/contributions`)]);
    await command.ended;
    const { body } = await second.getComplete(`${organization}/contributors?limit=100`);
    assert.deepEqual(
      body.data.map(({ name, contributions }) => ({ login: name, contributions })),
      listContributors(simulator.world, organization),
    );
    const listings = simulator.requests.filter(({ name }) => name === 'PullRequests');
    const repositories = new Set(listings.map(({ variables }) => Object(variables)['id']));
    assert.equal(listings.length, repositories.size);
  });

  it('complete the work of a node that is killed while it collects', async () => {
    let kill = ignore;
    await using simulator = await startSimulator({
      repositories: 3,
      onRequest: ({ name }) => {
        if (name === 'PullRequests') kill();
      },
    });
    await using created = await createTestDatabase();
    await using directory = await makeTemporaryDirectory();
    const { organization } = simulator.accounts;
    const target = `github/${organization}`;
    const doomed = startSync({ simulator, target, databaseUrl: created.url, dataDir: directory.path });
    kill = doomed.kill;
    await doomed.ended;
    kill = ignore;
    await using service = await startTestService({ simulator, databaseUrl: created.url });
    const { body } = await service.getComplete(`${organization}/contributors?limit=100`);
    assert.deepEqual(
      body.data.map(({ name, contributions }) => ({ login: name, contributions })),
      listContributors(simulator.world, organization),
    );
  });
});
