import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { until } from '../../time.ts';
import { everythingStored, untilIdle } from '../access/state.ts';
import { organization, reconcileNow, secret, startAppService, untilShown } from './installed.ts';

describe('use of the credentials of an App', () => {
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
});
