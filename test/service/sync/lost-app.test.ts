import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { toCounters } from '../../../simulators/world/expected-totals.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { organization, reconcileNow, runTask, untilRepositoryIs } from '../../e2e/installations/installed.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { clock, until } from '../../time.ts';
import { startSteppedApp } from './stepped-service.ts';

const appWarnings = (lines: readonly string[]): string[] =>
  lines.filter((line) => /does not know the configured App/.test(line));

describe('loss of the access of an App', () => {
  it('reports a revoked key in one log line, and still serves public data', async () => {
    const time = clock();
    await using simulator = await startSimulator({ now: time.now, repositories: 1 });
    await using service = await startSteppedApp(simulator, { now: time.now, tokens: ['public_only'] });
    const { app } = simulator;
    app.install(organization(simulator));
    await untilRepositoryIs(service, 'hidden-engine', /^private installed collected$/);
    await untilIdle(service);
    app.replaceKey();
    app.revokeTokens();
    time.advance(3700);
    await reconcileNow(service);
    await runTask(service, 'find_missed_deliveries');
    await runTask(service, 'find_missed_deliveries');
    assert.equal(appWarnings(service.lines).length, 1, service.lines.join(''));
    const response = await service.getComplete(`${simulator.accounts.user}/contributions`);
    assert.deepEqual(response.body.data[0]?.['contributions'], toCounters(simulator.world, simulator.accounts.user));
    const path = `${engines.name}/contributors?limit=100`;
    await until(async () => {
      await service.get(path);
      const { rows } = await service.database.pool.query(
        'select 1 from repositories where is_private and deleted_at is null',
      );
      return rows.length === 0 ? true : undefined;
    }, 'what only the App showed is not shown any more');
  });

  it('hides what only the App could read when it is removed from the settings', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using first = await startSteppedApp(simulator);
    simulator.app.install(organization(simulator));
    await untilRepositoryIs(first, 'hidden-engine', /^private installed collected$/);
    await untilIdle(first);
    await first.service.close();
    const { databaseUrl } = first;
    const settings = { GITHUB_APP_ID: '', GITHUB_APP_PRIVATE_KEY: '', PUBLIC_URL: first.url };
    await using second = await startSteppedApp(simulator, { databaseUrl, tokens: ['public_only'], settings });
    await untilRepositoryIs(second, 'hidden-engine', /^private collected deleted$/);
    const token = await serviceToken(second, simulator, engines);
    const refused = await second.get(`${engines.name}/repositories/hidden-engine/contributors`, bearer(token));
    assert.equal(refused.status, 404);
  });
});
