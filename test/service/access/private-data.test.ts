import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toCounters } from '../../../simulators/world/expected-totals.ts';
import { bearer, engines, jsonRequest, keeper, serviceToken } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { shareStoredService, startStoredService } from '../http/stored-service.ts';

describe('private data for its owner', () => {
  const shared = shareStoredService();

  it('lists all owned repositories at endpoint 6, newest first, in pages that fit together both ways', async () => {
    const token = await serviceToken(shared.service, shared.simulator, engines);
    const first = await shared.service.get(`${engines.name}/repositories?limit=4`, bearer(token));
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

  it('shows published numbers to all callers until the owner withdraws them, on every node', async () => {
    const { simulator, service } = shared;
    await using secondNode = await startStoredService({
      simulator,
      databaseUrl: service.databaseUrl,
      settings: { PUBLIC_URL: service.url },
    });
    const token = await serviceToken(service, simulator, keeper);
    const path = `${keeper.name}/contributions?private=true`;
    const viewer = { accountId: simulator.world.accountByLogin(keeper.name)?.id ?? null, seesPrivate: true };
    const open = toCounters(simulator.world, keeper.name);
    const own = toCounters(simulator.world, keeper.name, viewer);
    const publish = (value: boolean) =>
      service.get(`${keeper.name}/settings`, jsonRequest('PUT', token, { publish_private_contributions: value }));
    for (const [value, expected] of [
      [true, own],
      [false, open],
      [true, own],
    ] as const) {
      assert.equal((await publish(value)).status, 200);
      for (const node of [service, secondNode]) {
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

  it('exports all data of an account line by line, to its owner only', async () => {
    const { simulator, service } = shared;
    const token = await serviceToken(service, simulator, keeper);
    const response = await service.get(`${keeper.name}/export`, bearer(token));
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    const lines = response.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> });
    const ofType = (type: string): Record<string, unknown>[] =>
      lines.filter((line) => line.type === type).map(({ data }) => data);
    assert.deepEqual(
      ofType('account').map(({ name }) => name),
      [keeper.name],
    );
    assert.deepEqual(
      ofType('repository')
        .map(({ name }) => String(name))
        .toSorted(),
      ['diary', 'open-diary', 'vault'],
    );
    const count = async (query: string): Promise<number> => {
      const { rows } = await service.database.pool.query<{ count: number }>(`select count(*) as count ${query}`);
      return rows[0]?.count ?? Number.NaN;
    };
    const me = `(select id from accounts where name = '${keeper.name}')`;
    assert.equal(
      ofType('contribution').length,
      await count(`from contributions where account_id = ${me} or answered_by = ${me}`),
    );
    assert.equal(
      ofType('repository_contribution').length,
      await count(`from contributions where repository_id in (select id from repositories where owner_id = ${me})`),
    );
    assert.ok(ofType('commit').length > 0 && ofType('address').length > 0 && ofType('audit_entry').length > 0);
    // The export holds his contribution to another owner's private repository, but not the repository's name.
    assert.ok(!response.text.includes('hidden-engine'));
    assert.ok(!response.text.includes(token) && !response.text.includes('private_key'));
    const others = await serviceToken(service, simulator, engines);
    assert.equal((await service.get(`${keeper.name}/export`, bearer(others))).status, 403);
    assert.equal((await service.get(`${keeper.name}/export`)).status, 401);
  });
});
