import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../simulators/github/tokens.ts';
import { contributorsOf, countersOf } from '../../../simulators/world/expected-totals.ts';
import type { Viewer } from '../../../simulators/world/world.ts';
import { ada, bearer, engines, keeper, sending, serviceToken } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { startTestService, type TestService } from '../service.ts';
import { shareService } from '../shared-service.ts';

const allTokens: TokenName[] = ['private_owner', 'organization_admin', 'user'];

/** Returns the view of an account with a token of its own. */
function viewer({ world }: Simulator, login: string): Viewer {
  return { accountId: world.accountByLogin(login)?.id ?? null, seesPrivate: true };
}

const toContributors = (items: Record<string, unknown>[]): object[] =>
  items.map(({ name, contributions }) => ({ login: name, contributions }));

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

describe('private data for its owner', () => {
  const shared = shareService({ simulator: { repositories: 2 }, service: { tokens: allTokens } });

  it('lists all owned repositories at endpoint 6, newest first, in pages that fit together both ways', async () => {
    const token = await serviceToken(shared.service, shared.simulator, engines);
    const first = await until(async () => {
      const response = await shared.service.get(`${engines.name}/repositories?limit=4`, bearer(token));
      return response.status === 200 ? response : undefined;
    }, 'the repositories are listed');
    const pages = [first.body];
    for (let page = first.body; page.next_cursor !== undefined; ) {
      const path = `${engines.name}/repositories?limit=4&after=${encodeURIComponent(page.next_cursor)}`;
      page = (await shared.service.get(path, bearer(token))).body;
      pages.push(page);
    }
    const items = pages.flatMap(({ data }) => data);
    const owner = shared.simulator.world.accountByLogin(engines.name) ?? assert.fail();
    const owned = shared.simulator.world.owned(owner);
    assert.deepEqual(items.map(({ name }) => String(name)).toSorted(), owned.map(({ name }) => name).toSorted());
    assert.ok(items.some((item) => item['private'] === true && item['name'] === 'hidden-engine'));
    const times = items.map((item) => String(item['created_dttm']));
    assert.deepEqual(times, times.toSorted().toReversed());
    const back = pages.at(-1)?.previous_cursor ?? assert.fail();
    const path = `${engines.name}/repositories?limit=4&before=${encodeURIComponent(back)}`;
    assert.deepEqual((await shared.service.get(path, bearer(token))).body.data, pages.at(-2)?.data);

    const hidden = items.find(({ name }) => name === 'hidden-engine');
    const expected = owned.find(({ name }) => name === 'hidden-engine') ?? assert.fail();
    const { id, created_dttm, updated_dttm, ...facts } = hidden ?? {};
    assert.match(String(id), /^[0-9a-f-]{36}$/);
    assert.match(`${String(created_dttm)} ${String(updated_dttm)}`, /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ?){2}$/);
    assert.deepEqual(facts, {
      provider: 'github',
      owner: engines.name,
      name: 'hidden-engine',
      url: `${shared.simulator.apiUrl}/repos/${engines.name}/hidden-engine`,
      deleted: false,
      fork: false,
      forks: expected.forkCount,
      private: true,
      description: expected.description ?? '',
      language: expected.language ?? '',
      open_issues: [...expected.issues, ...expected.pullRequests].filter(({ closedAt }) => closedAt === null).length,
      stars: expected.stars.length,
      size: expected.sizeKib,
      license: expected.license?.name ?? '',
      default_branch_name: expected.commits.length > 0 ? expected.defaultBranch : '',
    });
  });

  it('includes private repositories at endpoints 3 and 7 for the owner only', async () => {
    for (const owner of [engines, keeper]) {
      const token = await serviceToken(shared.service, shared.simulator, owner);
      const sees = viewer(
        shared.simulator,
        owner.token === 'private_owner' ? owner.name : shared.simulator.accounts.organization_admin,
      );
      const all = contributorsOf(shared.simulator.world, owner.name, { viewer: sees });
      assert.deepEqual(
        toContributors(await everyPage(shared.service, `${owner.name}/contributors?limit=7`, token)),
        all,
      );
      const { body } = await shared.service.getComplete(`${owner.name}/contributors?limit=100`);
      assert.deepEqual(toContributors(body.data), contributorsOf(shared.simulator.world, owner.name));
      assert.equal(body.meta_data.includes_private, false);
      assert.notDeepEqual(toContributors(body.data), all);
      for (const repository of owner === engines ? ['hidden-engine', 'engine-1'] : ['diary', 'VAULT', 'open-diary']) {
        const path = `${owner.name}/repositories/${repository}/contributors?limit=100`;
        const one = await everyPage(shared.service, path, token);
        const expected = contributorsOf(shared.simulator.world, owner.name, {
          viewer: sees,
          repository: repository.toLowerCase(),
        });
        assert.deepEqual(toContributors(one), expected, repository);
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
  });

  it('finds a not yet listed repository by its name, for its owner only', async () => {
    await using simulator = await startSimulator();
    await using service = await startTestService({ simulator, tokens: ['private_owner'] });
    const token = await serviceToken(service, simulator, keeper);
    assert.equal((await service.get(`${keeper.name}/contributors?repository=diary`)).status, 404);
    const { body } = await service.getComplete(
      `${keeper.name}/repositories/diary/contributors?limit=100`,
      bearer(token),
    );
    const expected = contributorsOf(simulator.world, keeper.name, {
      viewer: viewer(simulator, keeper.name),
      repository: 'diary',
    });
    assert.deepEqual(toContributors(body.data), expected);
    assert.equal(body.meta_data.includes_private, true);
    assert.equal((await service.get(`${keeper.name}/contributors?repository=diary`)).status, 404);
  });

  it('adds private contributions at endpoint 2 once for the owner, whether collected, counted or both', async () => {
    await using simulator = await startSimulator();
    await using service = await startTestService({ simulator, tokens: allTokens });
    const token = await serviceToken(service, simulator, ada);
    const others = await serviceToken(service, simulator, keeper);
    const path = `${ada.name}/contributions?private=true`;
    const open = countersOf(simulator.world, ada.name);
    const seen = [ada.name, keeper.name, simulator.accounts.organization_admin].map((login) =>
      countersOf(simulator.world, ada.name, viewer(simulator, login)),
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

  it('counts all repositories of an organization, private ones included, for its administrator only', async () => {
    const token = await serviceToken(shared.service, shared.simulator, engines);
    const { body } = await shared.service.getComplete(`${engines.name}/contributions?private=true`, bearer(token));
    const sees = viewer(shared.simulator, shared.simulator.accounts.organization_admin);
    assert.deepEqual(body.data[0]?.['contributions'], countersOf(shared.simulator.world, engines.name, sees));
    const open = await shared.service.getComplete(`${engines.name}/contributions?private=true`);
    assert.deepEqual(open.body.data[0]?.['contributions'], countersOf(shared.simulator.world, engines.name));
    assert.equal(open.body.meta_data.includes_private, false);
  });

  it('shows published numbers to all callers until the owner withdraws them, on every node', async () => {
    await using simulator = await startSimulator();
    await using service = await startTestService({ simulator, tokens: ['private_owner'] });
    await using other = await startTestService({
      simulator,
      tokens: ['private_owner'],
      databaseUrl: service.databaseUrl,
      settings: { PUBLIC_URL: service.url },
    });
    const token = await serviceToken(service, simulator, keeper);
    const path = `${keeper.name}/contributions?private=true`;
    await service.getComplete(path, bearer(token));
    const open = countersOf(simulator.world, keeper.name);
    const own = countersOf(simulator.world, keeper.name, viewer(simulator, keeper.name));
    const publish = (value: boolean) =>
      service.get(`${keeper.name}/settings`, sending('PUT', token, { publish_private_contributions: value }));
    for (const [value, expected] of [
      [true, own],
      [false, open],
      [true, own],
    ] as const) {
      assert.equal((await publish(value)).status, 200);
      for (const node of [service, other]) {
        await until(async () => {
          const { body, headers } = await node.get(path);
          const isThere = JSON.stringify(body.data[0]?.['contributions']) === JSON.stringify(expected);
          if (!isThere || body.meta_data.includes_private !== value) return undefined;
          // A shared cache must not show the numbers long after the owner withdraws them.
          assert.equal(/stale-while-revalidate/.test(headers.get('cache-control') ?? ''), !value);
          return true;
        }, `publishing ${value} is obeyed`);
        // The numbers are only in responses to requests for them.
        const plain = await node.get(`${keeper.name}/contributions`);
        assert.deepEqual(plain.body.data[0]?.['contributions'], open);
      }
    }
  });
});
