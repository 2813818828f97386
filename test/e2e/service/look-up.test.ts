import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { changeProfile, deleteAccount, restoreAccount } from '../../../simulators/world/mutations.ts';
import { clock, until } from '../../time.ts';
import { startTestService } from '../service.ts';

/** Lookups end within the request also on a slow machine. */
const settings = { LOOKUP_BUDGET_MS: '30000' };

describe('lookups', () => {
  it('continue after the budget of the caller, who gets 202', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startTestService({ simulator, settings: { LOOKUP_BUDGET_MS: '200' } });
    simulator.faults.add({ kind: 'slow', delayMs: 700 });
    const first = await service.get('ada-lovelace/contributions');
    assert.equal(first.status, 202);
    assert.deepEqual(first.body.data, []);
    assert.ok(Number(first.headers.get('retry-after')) > 0);
    assert.equal(first.headers.get('cache-control'), 'no-store');
    await until(async () => ((await service.get('ada-lovelace')).status === 200 ? true : undefined), 'it is there');
    assert.equal(simulator.requests.length, 1);
  });

  it('happen once for an absent name, and never for an impossible one', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startTestService({ simulator });
    for (let count = 0; count < 3; count += 1) {
      const { status, body } = await service.get('nobody-has-this-name');
      assert.deepEqual([status, body.error?.code], [404, 2]);
    }
    assert.equal(simulator.requests.length, 1);
    for (const name of ['-dash', 'a'.repeat(40), 'dot.ted', '%00', '%2e%2e', 'ä', 'a%2Fb', '@a', 'a%20b']) {
      assert.equal((await service.get(name)).status, 404, name);
    }
    assert.equal(simulator.requests.length, 1);
    assert.equal((await service.get(simulator.accounts.deleted)).status, 404);
  });

  it('end with 503 within the budget when there is no network', async () => {
    const simulator = { url: 'http://127.0.0.1:9', apiUrl: 'http://127.0.0.1:9/api', tokens: {} as never };
    await using service = await startTestService({ simulator, tokens: [], settings: { LOOKUP_BUDGET_MS: '1000' } });
    const { status, body } = await service.get('ada-lovelace');
    // After the budget the status would be 202.
    assert.deepEqual([status, body.error?.type], [503, 'provider_unavailable']);
  });

  it('refresh a stored account in the background', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startTestService({ simulator, now, settings });
    const account = simulator.world.accountByLogin('ada-lovelace') ?? assert.fail();
    await service.get('ada-lovelace');
    changeProfile(simulator.world, account, { bio: 'Changed.' });
    assert.match((await service.get('ada-lovelace')).text, /Poetical/);
    assert.equal(simulator.requests.length, 1);
    advance(3601);
    simulator.faults.add({ kind: 'slow', delayMs: 200 });
    assert.match((await service.get('ada-lovelace')).text, /Poetical/);
    await until(
      async () => (/Changed/.test((await service.get('ada-lovelace')).text) ? true : undefined),
      'it changes',
    );
    assert.equal(simulator.requests.length, 2);
  });

  it('end with a clear error when the host fails for an account that is not stored', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startTestService({ simulator, now, settings });
    const cases = [
      ['unavailable', 503, 7, /cannot be reached/],
      ['drop_before', 503, 7, /cannot be reached/],
      ['malformed', 502, 7, /not JSON/],
      ['huge', 503, 7, /cannot be reached/],
      ['redirect', 502, 7, /denies access/],
      ['bad_credentials', 502, 7, /token/],
    ] as const;
    for (const [kind, status, code, message] of cases) {
      // By then earlier failures are forgotten, and every limit has ended.
      advance(3700);
      simulator.faults.clear();
      simulator.faults.add({ kind, times: 1000 });
      const response = await service.get('ada-lovelace');
      assert.equal(response.status, status, kind);
      assert.equal(response.body.error?.code, code, kind);
      assert.match(response.body.error.message, message);
      assert.ok(Number(response.headers.get('retry-after')) > 0, kind);
      // The service does not send the request again at once.
      const requestCount = simulator.requests.length;
      assert.equal((await service.get('ada-lovelace')).status, status);
      assert.equal(simulator.requests.length, requestCount);
    }
  });

  it('are delayed while the host limits its requests, with 202 and the time of the next one', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startTestService({ simulator, now, settings });
    for (const kind of ['primary_limit', 'secondary_limit', 'primary_limit_in_200'] as const) {
      // By then every earlier limit has ended.
      advance(3700);
      simulator.faults.clear();
      simulator.faults.add({ kind, times: 1000 });
      const response = await service.get('ada-lovelace');
      assert.deepEqual([response.status, response.body.data], [202, []], kind);
      const waitS = Number(response.headers.get('retry-after'));
      assert.ok(waitS >= 60 && waitS <= 3600, `${kind}: ${waitS} s`);
      // The service does not send the request again at once.
      const requestCount = simulator.requests.length;
      const repeated = await service.get('ada-lovelace');
      assert.deepEqual([repeated.status, repeated.headers.get('retry-after')], [202, String(waitS)]);
      assert.equal(simulator.requests.length, requestCount);
    }
    simulator.faults.clear();
    advance(3700);
    assert.equal((await service.get('ada-lovelace')).status, 200);
  });

  it('leave out an unreadable number, and log its path without its value', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startTestService({ simulator, settings });
    simulator.faults.add({
      kind: 'surprise',
      path: ['data', 'account', 'followers'],
      value: { totalCount: 'plenty' },
    });
    const { status, body } = await service.get('ada-lovelace');
    assert.equal(status, 200);
    assert.equal(body.data[0]?.['display_name'], 'Ada Lovelace');
    assert.match(service.lines.join(''), /\/followers/);
    assert.doesNotMatch(service.lines.join(''), /plenty/);
  });

  it('hide an account that was deleted at the host, and show it again after it was restored', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startTestService({ simulator, now, settings });
    const account = simulator.world.accountByLogin('ada-lovelace') ?? assert.fail();
    const { body } = await service.get('ada-lovelace');
    deleteAccount(simulator.world, account);
    advance(3700);
    await service.get('ada-lovelace');
    const hidden = await until(async () => {
      const response = await service.get('ada-lovelace');
      return response.status === 404 ? response : undefined;
    }, 'it is hidden');
    assert.equal(hidden.body.error?.code, 2);
    assert.doesNotMatch(hidden.text, /Poetical/);
    restoreAccount(simulator.world, account);
    advance(3700);
    const back = await until(async () => {
      const response = await service.get('ada-lovelace');
      return response.status === 200 ? response : undefined;
    }, 'it is back');
    assert.equal(back.body.data[0]?.['id'], body.data[0]?.['id']);
  });
});
