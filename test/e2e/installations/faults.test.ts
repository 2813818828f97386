import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { until } from '../../time.ts';
import { readAllTables, untilIdle } from '../access/state.ts';
import { organization, reconcileNow, secret, startAppService, untilRepositoryIs } from './installed.ts';

describe('use of the credentials of an App', () => {
  it('continues on every node until the App is suspended, and writes no secret', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using first = await startAppService(simulator, { settings: { LOG_LEVEL: 'trace' } });
    await using second = await startAppService(simulator, { databaseUrl: first.databaseUrl, hasNoDeliveries: true });
    const { app } = simulator;
    const installation = app.install(organization(simulator));
    await untilRepositoryIs(first, 'hidden-engine', /^private installed collected$/);
    for (const { service } of [first, second]) {
      const provider = service.providers.get('github') ?? assert.fail();
      await until(
        async () =>
          provider.privateData?.credentialNames().includes(`installation:${installation.id}`) ? true : undefined,
        'it is known',
      );
    }
    await untilIdle(first);
    simulator.faults.add({ kind: 'malformed', times: 20 });
    await reconcileNow(first);
    simulator.faults.clear();
    app.suspend(installation);
    await app.deliverer.idle();
    // The job that failed waits longer after each failure.
    await reconcileNow(first);
    await untilRepositoryIs(first, 'hidden-engine', /^private collected deleted$/);
    await until(async () => {
      const left = [first, second].flatMap(
        ({ service }) => service.providers.get('github')?.privateData?.credentialNames() ?? [],
      );
      return left.length === 0 ? true : undefined;
    }, 'no node sends the token any more');
    await untilIdle(first);

    const metrics = await (await fetch(`${first.service.metricsUrl}/metrics`)).text();
    const response = await first.get('nobody-of-this-name');
    const written = [first.lines.join(''), metrics, response.text, await readAllTables(first)].join('\n');
    const body = app.privateKey.split('\n')[3] ?? assert.fail();
    for (const [secretName, word] of [
      ['the private key', body],
      ['a token', 'ghs_'],
      ['a proof', 'eyJhbGciOiJSUzI1NiI'],
      ['the secret of deliveries', secret],
    ] as const) {
      assert.ok(!written.includes(word), secretName);
    }
  });
});
