import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import { listContributors } from '../../../simulators/world/expected-totals.ts';
import { renameAccount } from '../../../simulators/world/mutations.ts';
import { readAllTables, untilIdle, untilListedAgain } from '../../e2e/access/state.ts';
import { decode } from '../../integration/access/forge-token.ts';
import { ada, bearer, engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { clock, until } from '../../time.ts';
import { startSteppedService } from '../sync/stepped-service.ts';

describe('exclusion of erased accounts', () => {
  it('does not store an opted-out account again, even under another name, until its owner returns', async () => {
    const time = clock();
    await using simulator = await startSimulator({ now: time.now, repositories: 1 });
    const { world } = simulator;
    await using service = await startSteppedService({ simulator, now: time.now });
    const account = world.accountByLogin(ada.name) ?? assert.fail();
    const token = await serviceToken(service, simulator, ada);
    const id = String(decode(token).payload['sub']);
    const traces = [id, ada.name, ...account.emails.map((email) => email.toLowerCase())];
    await service.getComplete(`${engines.name}/contributors?limit=100`);
    await untilIdle(service);
    await service.get(ada.name, jsonRequest('DELETE', token));
    // The owners of repositories that she contributed to are collected again; she stays absent, also under another name.
    const others = listContributors(world, engines.name).filter(({ login }) => login !== ada.name);
    addIssue(world, world.repository(engines.name, 'engine-1') ?? assert.fail(), { author: account });
    renameAccount(world, account, 'ada-renamed');
    time.advance(3700);
    assert.equal((await service.get('ada-renamed')).status, 404);
    await untilListedAgain(service, `${engines.name}/contributors?limit=100`, time.now());
    const { body } = await service.getComplete(`${engines.name}/contributors?limit=100`);
    assert.deepEqual(
      body.data.map(({ name, contributions }) => ({ login: name, contributions })),
      others,
    );
    const later = await readAllTables(service);
    for (const trace of [...traces, 'ada-renamed']) assert.ok(!later.includes(trace), trace);

    // The owner of the erased account returns.
    const back = await serviceToken(service, simulator, { name: 'ada-renamed', token: 'user' });
    assert.notEqual(decode(back).payload['sub'], id);
    assert.equal((await service.get('ada-renamed')).status, 200);
    assert.equal((await service.get('ada-renamed/audit', bearer(token))).status, 401);
  });

  it("restores a returning owner's contributions to repositories of others that hold the owner's commits", async () => {
    const time = clock();
    await using simulator = await startSimulator({ now: time.now, repositories: 1 });
    await using service = await startSteppedService({ simulator, now: time.now });
    const path = `${engines.name}/contributors?limit=100&repository=engine-1`;
    const adas = async (): Promise<unknown> => {
      const { body } = await service.getComplete(path);
      return body.data.find(({ name }) => name === ada.name)?.['contributions'];
    };
    const before = await adas();
    assert.ok(Number(before) > 0);
    await untilIdle(service);
    await service.get(ada.name, jsonRequest('DELETE', await serviceToken(service, simulator, ada)));
    assert.equal(await adas(), undefined);
    await serviceToken(service, simulator, ada);
    time.advance(3601);
    await untilListedAgain(service, `${engines.name}/contributors`, time.now());
    await until(async () => {
      await service.get(path);
      return (await adas()) === before ? true : undefined;
    }, 'all that is hers is hers again');
  });

  it('does not store an erased account again when work about it is under way', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startSteppedService({ simulator });
    const token = await serviceToken(service, simulator, ada);
    await service.getComplete(`${ada.name}/contributors`);
    await untilIdle(service);
    for (const on of ['Account', 'PullRequests', 'Issues', 'CommitAuthors']) {
      simulator.faults.add({ kind: 'slow', on, delayMs: 700, times: 2 });
    }
    // A lookup, and a collection for others that names her, are under way.
    void service.get(`${engines.name}/contributors`).catch(() => {});
    await service.database.pool.query("update accounts set fetched_at = '2020-01-01' where name = $1", [ada.name]);
    void service.get(`${ada.name}?v=2`).catch(() => {});
    await until(
      async () => (simulator.requests.some(({ name }) => name === 'Issues') ? true : undefined),
      'it has begun',
    );
    assert.equal((await service.get(ada.name, jsonRequest('DELETE', token))).status, 204);
    simulator.faults.clear();
    await untilIdle(service);
    await service.getComplete(`${engines.name}/contributors`);
    const { rows } = await service.database.pool.query("select 1 from accounts where name = 'ada-lovelace'");
    assert.equal(rows.length, 0);
    const { rows: addresses } = await service.database.pool.query("select 1 from identities where email like 'ada%'");
    assert.equal(addresses.length, 0);
  });
});
