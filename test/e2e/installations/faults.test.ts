import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { countersOf } from '../../../simulators/world/expected-totals.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { clock, until } from '../../time.ts';
import { everythingStored, untilIdle } from '../access/state.ts';
import { organization, reconcileNow, runTask, secret, startAppService, untilShown } from './installed.ts';

const appWarnings = (lines: readonly string[]): string[] =>
  lines.filter((line) => /does not know the configured App/.test(line));

describe('use of the credentials of an App', () => {
  it('reports a revoked key in one log line, and still serves public data', async () => {
    const time = clock();
    await using simulator = await startSimulator({ now: time.now, repositories: 2 });
    await using service = await startAppService(simulator, { now: time.now, tokens: ['public_only'] });
    const { app } = simulator;
    app.install(organization(simulator));
    await untilShown(service, 'hidden-engine', /^private installed collected$/);
    await untilIdle(service);
    app.replaceKey();
    app.revokeTokens();
    time.advance(3700);
    await reconcileNow(service);
    await runTask(service, 'find_missed_deliveries');
    await runTask(service, 'find_missed_deliveries');
    assert.equal(appWarnings(service.lines).length, 1, service.lines.join(''));
    const response = await service.getComplete(`${simulator.accounts.user}/contributions`);
    assert.deepEqual(response.body.data[0]?.['contributions'], countersOf(simulator.world, simulator.accounts.user));
    const path = `${engines.name}/contributors?limit=100`;
    await until(async () => {
      await service.get(path);
      const { rows } = await service.database.pool.query(
        'select 1 from repositories where is_private and deleted_at is null',
      );
      return rows.length === 0 ? true : undefined;
    }, 'what only the App showed is not shown any more');
  });

  it('continues on every node until the App is suspended, and writes no secret', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using one = await startAppService(simulator, { settings: { LOG_LEVEL: 'trace' } });
    await using other = await startAppService(simulator, { databaseUrl: one.databaseUrl, hasNoDeliveries: true });
    const { app } = simulator;
    const installation = app.install(organization(simulator));
    await untilShown(one, 'hidden-engine', /^private installed collected$/);
    for (const { service } of [one, other]) {
      const provider = service.providers.get('github') ?? assert.fail();
      await until(
        async () =>
          provider.privateData?.credentialNames().includes(`installation:${installation.id}`) ? true : undefined,
        'it is known',
      );
    }
    await untilIdle(one);
    simulator.faults.add({ kind: 'malformed', times: 20 });
    await reconcileNow(one);
    simulator.faults.clear();
    app.suspend(installation);
    await app.deliverer.idle();
    // The job that failed waits longer after each failure.
    await reconcileNow(one);
    await untilShown(one, 'hidden-engine', /^private collected deleted$/);
    await until(async () => {
      const left = [one, other].flatMap(
        ({ service }) => service.providers.get('github')?.privateData?.credentialNames() ?? [],
      );
      return left.length === 0 ? true : undefined;
    }, 'no node asks with it any more');
    await untilIdle(one);

    const metrics = await (await fetch(`${one.service.metricsUrl}/metrics`)).text();
    const response = await one.get('nobody-of-this-name');
    const everything = [one.lines.join(''), metrics, response.text, await everythingStored(one)].join('\n');
    const body = app.privateKey.split('\n')[3] ?? assert.fail();
    for (const [what, word] of [
      ['the private key', body],
      ['a token', 'ghs_'],
      ['a proof', 'eyJhbGciOiJSUzI1NiI'],
      ['the secret of deliveries', secret],
    ] as const) {
      assert.ok(!everything.includes(word), what);
    }
  });

  it('ends when the App is removed from the settings', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using first = await startAppService(simulator);
    simulator.app.install(organization(simulator));
    await untilShown(first, 'hidden-engine', /^private installed collected$/);
    await untilIdle(first);
    await first.service.close();
    const { databaseUrl } = first;
    const settings = { GITHUB_APP_ID: '', GITHUB_APP_PRIVATE_KEY: '', PUBLIC_URL: first.url };
    await using second = await startAppService(simulator, { databaseUrl, tokens: ['public_only'], settings });
    await untilShown(second, 'hidden-engine', /^private collected deleted$/);
    const token = await serviceToken(second, simulator, engines);
    const refused = await second.get(`${engines.name}/repositories/hidden-engine/contributors`, bearer(token));
    assert.equal(refused.status, 404);
  });
});
