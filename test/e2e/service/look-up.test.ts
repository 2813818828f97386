import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { changeProfile, deleteAccount, restoreAccount } from '../../../simulators/world/mutations.ts';
import { clock, until } from '../../time.ts';
import { type ServiceResponse, startTestService } from '../service.ts';

const name = 'ada-lovelace';

describe('lookups', () => {
  it('continue after the budget of the caller, who gets 202, and follow an account that changes, is deleted and restored', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startTestService({ simulator, now, settings: { LOOKUP_BUDGET_MS: '200' } });
    const untilAccountIs = (
      description: string,
      matches: (response: ServiceResponse) => boolean,
    ): Promise<ServiceResponse> =>
      until(async () => {
        const response = await service.get(name);
        return matches(response) ? response : undefined;
      }, description);
    simulator.faults.add({ kind: 'slow', delayMs: 700 });
    const first = await service.get(`${name}/contributions`);
    assert.equal(first.status, 202);
    assert.deepEqual(first.body.data, []);
    assert.ok(Number(first.headers.get('retry-after')) > 0);
    assert.equal(first.headers.get('cache-control'), 'no-store');
    const { body } = await untilAccountIs('it is there', ({ status }) => status === 200);
    assert.equal(simulator.requests.length, 1);

    const account = simulator.world.accountByLogin(name) ?? assert.fail();
    changeProfile(simulator.world, account, { bio: 'Changed.' });
    assert.match((await service.get(name)).text, /Poetical/);
    assert.equal(simulator.requests.length, 1);
    advance(3601);
    simulator.faults.add({ kind: 'slow', delayMs: 200 });
    assert.match((await service.get(name)).text, /Poetical/);
    await untilAccountIs('it changes', ({ text }) => text.includes('Changed'));
    assert.equal(simulator.requests.length, 2);

    deleteAccount(simulator.world, account);
    advance(3700);
    await service.get(name);
    const hidden = await untilAccountIs('it is hidden', ({ status }) => status === 404);
    assert.equal(hidden.body.error?.code, 2);
    assert.doesNotMatch(hidden.text, /Changed/);
    restoreAccount(simulator.world, account);
    advance(3700);
    const back = await untilAccountIs('it is back', ({ status }) => status === 200);
    assert.equal(back.body.data[0]?.['id'], body.data[0]?.['id']);
  });

  it('are awaited by all callers of an account, its calendar and a window of it, and happen once', async () => {
    const { now } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startTestService({ simulator, now, settings: { LOOKUP_BUDGET_MS: '30000' } });
    const lookups = ['Account', 'Calendar', 'DayCounts'];
    for (const on of lookups) simulator.faults.add({ kind: 'slow', delayMs: 200, on });
    const window = 'since=2026-02-01&until=2026-05-31';
    const all = (path: string): Promise<ServiceResponse[]> =>
      Promise.all(Array.from({ length: 8 }, (_, index) => service.get(`${name}${path}&v=${index}`)));
    for (const { status } of await all('?')) assert.equal(status, 200);
    for (const { text } of await all('/contributions?format=svg&card=calendar')) {
      assert.match(text, />Public and private contributions · as of /);
    }
    for (const { body } of await all(`/contributions?${window}`)) {
      assert.equal((body.meta_data as { source?: string }).source, 'host');
    }
    // The collection that the first response starts may have begun as well.
    const requested = simulator.requests
      .map((request) => request.name)
      .filter((requestName) => lookups.includes(requestName));
    assert.deepEqual(requested.toSorted(), lookups);
  });

  it('end with 503 within the budget when there is no network', async () => {
    const simulator = { url: 'http://127.0.0.1:9', apiUrl: 'http://127.0.0.1:9/api', tokens: {} as never };
    await using service = await startTestService({ simulator, tokens: [], settings: { LOOKUP_BUDGET_MS: '1000' } });
    const { status, body } = await service.get(name);
    // After the budget the status would be 202.
    assert.deepEqual([status, body.error?.type], [503, 'provider_unavailable']);
  });
});
