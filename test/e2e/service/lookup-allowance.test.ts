import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import { changeProfile } from '../../../simulators/world/mutations.ts';
import { createTestDatabase } from '../../database.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { untilIdle } from '../access/state.ts';
import { engine, organization, startAppService, untilRepositoryIs } from '../installations/installed.ts';
import type { TestService } from '../service.ts';

const settings = {
  TRUST_PROXY: 'loopback',
  LOOKUPS_PER_HOUR: '8',
  NETWORK_LOOKUPS_PER_HOUR: '1000',
  // Lookups that run end within the request also on a slow machine.
  LOOKUP_BUDGET_MS: '30000',
};

const from = (service: TestService, address: string, path: string) =>
  service.get(path, { headers: { 'x-forwarded-for': address } });

const retryAfter = ({ headers }: { headers: Headers }): number => Number(headers.get('retry-after'));

const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

async function countIssues({ database }: TestService): Promise<number> {
  const { rows } = await database.pool.query<{ count: string }>(
    "select count(*) from contributions where kind = 'issue'",
  );
  return Number(rows[0]?.count);
}

describe('limit of lookups by visitors', () => {
  it('leaves a share of the quota to refreshes, installed repositories and owners, and keeps the rest waiting', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using created = await createTestDatabase();
    const { accounts, app, world, limits } = simulator;
    const fresh = { ...settings, FRESH_FOR_S: '1' };
    // The points that visitors may use: GitHub's 5,000 less their reserve of 30 %, nearly all of it used up before.
    const visitorPoints = 20;
    const reserve = 1500;
    const atOnce = 10;
    {
      await using service = await startAppService(simulator, { databaseUrl: created.url, settings: fresh });
      app.install(organization(simulator));
      await untilRepositoryIs(service, 'engine-1', /installed collected/);
      assert.equal((await from(service, '198.51.100.1', accounts.user)).status, 200);
      const token = await serviceToken(service, simulator, engines);
      await untilIdle(service);
      limits.useUpExcept('graphql', reserve + visitorPoints);
      // The proxy of one image host requests more images of unknown names than the quota permits.
      const codes = new Set<string | null>();
      for (let sent = 0; sent < 2 * visitorPoints; sent += atOnce) {
        const images = names(`nobody-${sent}`, atOnce).map((name) => `${name}/contributions?format=svg`);
        for (const { headers } of await Promise.all(images.map((path) => from(service, '192.0.2.1', path)))) {
          codes.add(headers.get('x-error-code'));
        }
      }
      assert.deepEqual(codes, new Set(['2', '0']));
      const late = await from(service, '198.51.100.1', 'person-1');
      assert.deepEqual([late.status, late.body.data], [202, []]);
      assert.ok(retryAfter(late) > 60 && retryAfter(late) <= 3600, `${retryAfter(late)} s`);
      const card = await from(service, '192.0.2.1', 'person-1/contributions?format=svg');
      assert.deepEqual([card.status, retryAfter(card) > 60], [200, true]);
      assert.match(card.text, /collecting/i);
      assert.equal(card.headers.get('cache-control'), 'no-store');
      // On a busy machine a connection to the host may take too long, which is no lack of quota.
      const { rows } = await service.database.pool.query(
        `select key, error_code from lookups
         where state = 'failed' and error_code <> 'provider_unavailable'`,
      );
      assert.deepEqual(rows, []);
      // A known account is refreshed.
      changeProfile(world, world.accountByLogin(accounts.user) ?? assert.fail(), { bio: 'Changed.' });
      await until(
        async () => (/Changed/.test((await from(service, '192.0.2.1', accounts.user)).text) ? true : undefined),
        'the account is refreshed',
      );
      // An installed repository is kept current.
      const author = world.accountByLogin(accounts.user) ?? assert.fail();
      const issues = await countIssues(service);
      addIssue(world, engine(simulator, 'engine-1'), { author });
      await until(async () => ((await countIssues(service)) > issues ? true : undefined), 'the new issue is stored');
      // An owner gets a lookup.
      assert.equal((await service.get('person-2', bearer(token))).status, 200);
    }
    limits.reset();
    await using service = await startAppService(simulator, { databaseUrl: created.url, settings: fresh });
    // Nothing is lost: the delayed lookup runs without another request for the name.
    await until(async () => {
      const { rows } = await service.database.pool.query("select 1 from accounts where name = 'person-1'");
      return rows.length > 0 ? true : undefined;
    }, 'the delayed lookup has run');
  });
});
