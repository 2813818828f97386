import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../simulators/github/tokens.ts';
import { listContributors, toCounters } from '../../../simulators/world/expected-totals.ts';
import type { Viewer } from '../../../simulators/world/world.ts';
import { toContributors } from '../../contract/service-responses.ts';
import type { TestService } from '../../e2e/service.ts';
import { shareService } from '../../e2e/shared-service.ts';
import { ada, bearer, engines, keeper, serviceToken } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { startSteppedService } from '../sync/stepped-service.ts';

const allTokens: TokenName[] = ['private_owner', 'organization_admin', 'user'];

/** Returns the view of an account with a token of its own. */
function viewer({ world }: Simulator, login: string): Viewer {
  return { accountId: world.accountByLogin(login)?.id ?? null, seesPrivate: true };
}

async function everyPage(service: TestService, path: string, token: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  let next: string | undefined = path;
  while (next !== undefined) {
    const { body }: { body: { data: Record<string, unknown>[]; next_cursor?: string } } = await service.getComplete(
      next,
      bearer(token),
    );
    items.push(...body.data);
    next = body.next_cursor && `${path}&after=${encodeURIComponent(body.next_cursor)}`;
  }
  return items;
}

describe('visibility of collected private data', () => {
  const shared = shareService({
    simulator: { repositories: 1 },
    start: (simulator) => startSteppedService({ simulator, tokens: allTokens }),
  });

  it('includes it for the owner at endpoints 2, 3 and 7, and for a repository that is not listed yet', async () => {
    {
      await using simulator = await startSimulator({ repositories: 1 });
      await using service = await startSteppedService({ simulator, tokens: ['private_owner'] });
      const token = await serviceToken(service, simulator, keeper);
      assert.equal((await service.get(`${keeper.name}/contributors?repository=diary`)).status, 404);
      const { body } = await service.getComplete(
        `${keeper.name}/repositories/diary/contributors?limit=100`,
        bearer(token),
      );
      const expected = listContributors(simulator.world, keeper.name, {
        viewer: viewer(simulator, keeper.name),
        repository: 'diary',
      });
      assert.deepEqual(toContributors(body.data), expected);
      assert.equal(body.meta_data.includes_private, true);
      assert.equal((await service.get(`${keeper.name}/contributors?repository=diary`)).status, 404);
    }
    for (const owner of [engines, keeper]) {
      const token = await serviceToken(shared.service, shared.simulator, owner);
      const sees = viewer(
        shared.simulator,
        owner.token === 'private_owner' ? owner.name : shared.simulator.accounts.organization_admin,
      );
      const all = listContributors(shared.simulator.world, owner.name, { viewer: sees });
      assert.deepEqual(
        toContributors(await everyPage(shared.service, `${owner.name}/contributors?limit=7`, token)),
        all,
      );
      const { body } = await shared.service.getComplete(`${owner.name}/contributors?limit=100`);
      assert.deepEqual(toContributors(body.data), listContributors(shared.simulator.world, owner.name));
      assert.equal(body.meta_data.includes_private, false);
      assert.notDeepEqual(toContributors(body.data), all);
      for (const repository of owner === engines ? ['hidden-engine', 'engine-1'] : ['diary', 'VAULT', 'open-diary']) {
        const path = `${owner.name}/repositories/${repository}/contributors?limit=100`;
        const contributorsOfOne = await everyPage(shared.service, path, token);
        const expected = listContributors(shared.simulator.world, owner.name, {
          viewer: sees,
          repository: repository.toLowerCase(),
        });
        assert.deepEqual(toContributors(contributorsOfOne), expected, repository);
        const narrowed = await everyPage(
          shared.service,
          `${owner.name}/contributors?limit=100&repository=${repository}`,
          token,
        );
        assert.deepEqual(toContributors(narrowed), expected);
      }
      const missing = await shared.service.get(`${owner.name}/repositories/no-such/contributors`, bearer(token));
      assert.equal(missing.status, 404);
      assert.equal(missing.body.error?.code, 2);
    }
    const token = await serviceToken(shared.service, shared.simulator, engines);
    const { body } = await shared.service.getComplete(`${engines.name}/contributions?private=true`, bearer(token));
    const sees = viewer(shared.simulator, shared.simulator.accounts.organization_admin);
    assert.deepEqual(body.data[0]?.['contributions'], toCounters(shared.simulator.world, engines.name, sees));
    const open = await shared.service.getComplete(`${engines.name}/contributions?private=true`);
    assert.deepEqual(open.body.data[0]?.['contributions'], toCounters(shared.simulator.world, engines.name));
    assert.equal(open.body.meta_data.includes_private, false);
  });

  it('adds private contributions at endpoint 2 once for the owner, whether collected, counted or both', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startSteppedService({ simulator, tokens: allTokens });
    const token = await serviceToken(service, simulator, ada);
    const others = await serviceToken(service, simulator, keeper);
    const path = `${ada.name}/contributions?private=true`;
    const open = toCounters(simulator.world, ada.name);
    const seen = [ada.name, keeper.name, simulator.accounts.organization_admin].map((login) =>
      toCounters(simulator.world, ada.name, viewer(simulator, login)),
    );
    const names = Object.keys(open) as (keyof typeof open)[];
    // The counts of two credentials may overlap: only the largest is certain.
    const counted = { ...open };
    const all = { ...open };
    for (const name of names) {
      counted[name] = Math.max(...seen.map((counters) => counters[name]));
      for (const counters of seen) all[name] += counters[name] - open[name];
    }
    assert.ok(names.some((name) => open[name] < counted[name] && counted[name] < all[name]));
    // The provider's own count comes first, then the collected one; both are of the same repositories.
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const { body } = await service.getComplete(path, bearer(token));
      assert.equal(body.meta_data.includes_private, true);
      assert.deepEqual(body.data[0]?.['contributions'], counted);
    }
    // Her contributions to repositories of others count once they are collected.
    await service.getComplete(`${keeper.name}/contributors`);
    await service.getComplete(`${engines.name}/contributors`);
    await until(async () => {
      const { body } = await service.getComplete(path, bearer(token));
      return JSON.stringify(body.data[0]?.['contributions']) === JSON.stringify(all) ? true : undefined;
    }, 'everything private is counted');
    const { body } = await service.getComplete(path, bearer(token));
    const [entity] = body.data;
    assert.equal(
      entity?.['experience'],
      Object.values(all).reduce((sum, value) => sum + value, 0),
    );

    for (const init of [{}, bearer(others)]) {
      const response = await service.get(path, init);
      assert.deepEqual(response.body.data[0]?.['contributions'], open);
      assert.equal(response.body.meta_data.includes_private, false);
    }
  });
});
