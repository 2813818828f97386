import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { countersOf } from '../../../simulators/world/expected-totals.ts';
import { summarize } from '../../../src/doctor/summarize.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { clock, until } from '../../time.ts';
import { everythingStored, untilIdle } from '../access/state.ts';
import {
  appSettings,
  engine,
  organization,
  reconcileNow,
  runTask,
  secret,
  startAppService,
  untilShown,
} from './installed.ts';

const appWarnings = (lines: readonly string[]): string[] =>
  lines.filter((line) => /does not know the configured App/.test(line));

describe('faults of an App', () => {
  for (const [how, spoil] of [
    ['its key was revoked', 'key'],
    ['it was deleted', 'deleted'],
  ] as const) {
    it(`reports in one log line that GitHub refuses the App because ${how}, and still serves public data`, async () => {
      const time = clock();
      await using simulator = await startSimulator({ now: time.now, repositories: 2 });
      await using service = await startAppService(simulator, { now: time.now, tokens: ['public_only'] });
      const { app } = simulator;
      app.install(organization(simulator));
      await untilShown(service, 'hidden-engine', /^private installed collected$/);
      await untilIdle(service);
      if (spoil === 'key') app.replaceKey();
      else app.isDeleted = true;
      app.revokeTokens();
      time.advance(3700);
      await reconcileNow(service);
      await runTask(service.database, 'find_missed_deliveries');
      await runTask(service.database, 'find_missed_deliveries');
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
  }

  it('renews tokens before they expire, and after they were revoked', async () => {
    const time = clock();
    await using simulator = await startSimulator({ now: time.now, repositories: 2 });
    await using service = await startAppService(simulator, { now: time.now });
    const { app, requests } = simulator;
    app.install(organization(simulator));
    await untilShown(service, 'hidden-engine', /^private installed collected$/);
    await untilIdle(service);
    const tokenRequests = (): number => requests.filter(({ name }) => name.endsWith('/access_tokens')).length;
    assert.equal(tokenRequests(), 1);
    time.advance(46 * 60);
    await service.get(simulator.accounts.user);
    await untilIdle(service);
    assert.equal(tokenRequests(), 2);
    assert.ok(requests.every(({ status }) => status !== 401));
    time.advance(120);
    app.revokeTokens();
    const response = await service.get(simulator.accounts.outsider);
    assert.equal(response.status, 200, response.text);
    assert.equal(tokenRequests(), 3);
  });

  it('corrects a wrong clock by the time of GitHub', async () => {
    const [github, ours] = [clock(), clock()];
    ours.advance(900);
    await using simulator = await startSimulator({ now: github.now, repositories: 2 });
    await using service = await startAppService(simulator, { now: ours.now });
    simulator.app.install(organization(simulator));
    await untilShown(service, 'engine-1', /installed/);
  });

  it('reports that the App has no installation when no token allows a request to GitHub', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startAppService(simulator);
    const response = await service.get(simulator.accounts.user);
    assert.deepEqual([response.status, response.body.error?.type], [502, 'provider_denied'], response.text);
    assert.match(response.body.error?.message ?? '', /installed nowhere/);
    const provider = service.service.providers.get('github') ?? assert.fail();
    assert.equal(
      summarize((await provider.diagnose?.(AbortSignal.timeout(5000))) ?? assert.fail()),
      'the App is installed nowhere yet',
    );
  });

  it('uses an installation on every node after a delivery to one of them, until it is suspended', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using one = await startAppService(simulator);
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
    app.suspend(installation);
    await app.deliverer.idle();
    await untilShown(one, 'hidden-engine', /^private collected deleted$/);
    await until(async () => {
      const left = [one, other].flatMap(
        ({ service }) => service.providers.get('github')?.privateData?.credentialNames() ?? [],
      );
      return left.length === 0 ? true : undefined;
    }, 'no node asks with it any more');
  });

  it('writes no key, proof or token into logs, errors, metrics or tables', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startAppService(simulator, { settings: { LOG_LEVEL: 'trace' } });
    const { app } = simulator;
    const installation = app.install(organization(simulator));
    await untilShown(service, 'hidden-engine', /^private installed collected$/);
    simulator.faults.add({ kind: 'malformed', times: 20 });
    await reconcileNow(service);
    simulator.faults.clear();
    app.suspend(installation);
    await app.deliverer.idle();
    await untilShown(service, 'hidden-engine', /deleted$/);
    await untilIdle(service);
    const metrics = await (await fetch(`${service.service.metricsUrl}/metrics`)).text();
    const response = await service.get('nobody-of-this-name');
    const everything = [service.lines.join(''), metrics, response.text, await everythingStored(service)].join('\n');
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

  it('hides repositories that only the App showed after the App was removed from the settings', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using first = await startAppService(simulator);
    simulator.app.install(organization(simulator), [engine(simulator, 'hidden-engine')]);
    await untilShown(first, 'hidden-engine', /^private installed collected$/);
    await untilIdle(first);
    await first.service.close();
    const { databaseUrl } = first;
    const settings = { GITHUB_APP_ID: '', GITHUB_APP_PRIVATE_KEY: '', PUBLIC_URL: first.url };
    await using second = await startAppService(simulator, { databaseUrl, tokens: ['public_only'], settings });
    await untilShown(second, 'hidden-engine', /^private collected deleted$/);
    const token = await serviceToken(second, simulator, engines);
    const one = await second.get(`${engines.name}/repositories/hidden-engine/contributors`, bearer(token));
    assert.equal(one.status, 404);
    assert.ok(appSettings(simulator)['GITHUB_APP_ID'] !== undefined);
  });
});
