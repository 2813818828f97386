import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decode } from '../../integration/access/forge-token.ts';
import { ada, bearer, engines, jsonRequest, keeper, serviceToken } from '../../integration/access/owner.ts';
import { storeAbsent } from '../../integration/http/stored-world.ts';
import { until } from '../../time.ts';
import { shareStoredService, startStoredService } from '../http/stored-service.ts';

/** Returns the headers that are the same in every response to a request. */
const stable = (headers: Headers): string =>
  JSON.stringify(
    [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name) && !name.startsWith('ratelimit')),
  );

describe('settings of an account', () => {
  const shared = shareStoredService();

  it('hides an account from all callers but its owner, in pages, lists and caches, on all nodes', async () => {
    const { simulator, service } = shared;
    await storeAbsent(service.database.connection, ['nobody-at-all']);
    const { databaseUrl } = service;
    await using secondNode = await startStoredService({
      simulator,
      databaseUrl,
      settings: { PUBLIC_URL: service.url },
    });
    const token = await serviceToken(service, simulator, ada);
    const others = await serviceToken(service, simulator, keeper);
    const list = `${engines.name}/contributors?limit=100`;
    const isNamed = async (): Promise<boolean> =>
      (await service.getComplete(list)).body.data.some(({ name }) => name === ada.name);
    assert.ok(await isNamed());
    for (const path of ['', '/contributions', '/contributors']) await service.get(`${ada.name}${path}`);
    assert.equal((await service.get(`${ada.name}/settings`, jsonRequest('PUT', token, { hidden: true }))).status, 200);
    const missing = await service.get('nobody-at-all');
    for (const node of [service, secondNode]) {
      for (const path of [
        '',
        '/contributions',
        '/contributors',
        '/contributions?private=true',
        '/contributors?repository=notes',
      ]) {
        for (const init of [undefined, bearer(others)]) {
          const response = await until(async () => {
            const seen = await node.get(`${ada.name}${path}`, init);
            return seen.status === 404 ? seen : undefined;
          }, `${path} is hidden`);
          assert.equal(response.text, missing.text);
          if (init === undefined) assert.equal(stable(response.headers), stable(missing.headers));
        }
      }
    }
    assert.ok(!(await isNamed()));
    const own = await service.get(ada.name, bearer(token));
    assert.deepEqual([own.status, own.body.data[0]?.['name']], [200, ada.name]);
    await service.get(`${ada.name}/settings`, jsonRequest('PUT', token, { hidden: false }));
    assert.equal((await service.get(ada.name)).status, 200);
    assert.ok(await isNamed());
  });

  it('reads and changes settings one by one, and rejects any other input with a clear error', async () => {
    const token = await serviceToken(shared.service, shared.simulator, ada);
    const read = async (): Promise<unknown> =>
      (JSON.parse((await shared.service.get(`${ada.name}/settings`, bearer(token))).text) as { data: unknown }).data;
    assert.deepEqual(await read(), {
      publish_private_contributions: false,
      hidden: false,
      boards_repository: '',
    });
    await shared.service.get(
      `${ada.name}/settings`,
      jsonRequest('PUT', token, { publish_private_contributions: true }),
    );
    assert.deepEqual(await read(), {
      publish_private_contributions: true,
      hidden: false,
      boards_repository: '',
    });
    await shared.service.get(
      `${ada.name}/settings`,
      jsonRequest('PUT', token, { hidden: true, publish_private_contributions: false }),
    );
    assert.deepEqual(await read(), {
      publish_private_contributions: false,
      hidden: true,
      boards_repository: '',
    });
    for (const body of [{}, { hidden: 'yes' }, { hidden: null }, { hide: true }, { hidden: true, x: 1 }, [], 'x', 1]) {
      const response = await shared.service.get(`${ada.name}/settings`, jsonRequest('PUT', token, body));
      assert.equal(response.status, 400, JSON.stringify(body));
      assert.ok((response.body.error?.message.length ?? 0) > 10);
    }
    const broken = await shared.service.get(`${ada.name}/settings`, {
      ...jsonRequest('PUT', token),
      body: '{"hidden":',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    assert.equal(broken.status, 400);
    for (const method of ['GET', 'PUT']) {
      const init =
        method === 'GET'
          ? {}
          : { ...jsonRequest('PUT', 'x', { hidden: true }), headers: { 'content-type': 'application/json' } };
      assert.equal((await shared.service.get(`${ada.name}/settings`, init)).status, 401);
    }
  });

  it('shows actions and actors in the audit trail to the owner only, in pages, without secrets', async () => {
    const token = await serviceToken(shared.service, shared.simulator, engines);
    const tokenId = decode(token).payload['jti'];
    for (const hidden of [true, false, true, false]) {
      await shared.service.get(`${engines.name}/settings`, jsonRequest('PUT', token, { hidden }));
    }
    const unknown = await shared.service.get(`${engines.name}/tokens/some-token`, jsonRequest('DELETE', token));
    assert.equal(unknown.status, 404);
    const lost = String(decode(await serviceToken(shared.service, shared.simulator, engines)).payload['jti']);
    await shared.service.get(`${engines.name}/tokens/${lost}`, jsonRequest('DELETE', token));
    const response = await shared.service.get(`${engines.name}/audit?limit=100`, bearer(token));
    assert.equal(response.headers.get('cache-control'), 'private, no-store');
    const entries = response.body.data.map(({ action, subject, actor, token_id }) => [
      action,
      subject,
      actor,
      token_id,
    ]);
    const accountName = 'github/olive-admin';
    const changed = (hidden: boolean): unknown[] => [
      'settings_changed',
      `{"publish_private_contributions":false,"hidden":${hidden},"boards_repository":""}`,
      accountName,
      tokenId,
    ];
    assert.deepEqual(entries, [
      ['token_revoked', lost, accountName, tokenId],
      ['token_issued', lost, accountName, lost],
      changed(false),
      changed(true),
      changed(false),
      changed(true),
      ['token_issued', tokenId, accountName, tokenId],
    ]);
    assert.ok(!response.text.includes(token) && !response.text.includes(shared.simulator.tokens.organization_admin));
    const pages: unknown[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const { body } = await shared.service.get(
        `${engines.name}/audit?limit=4${next && `&after=${encodeURIComponent(next)}`}`,
        bearer(token),
      );
      pages.push(...body.data);
      next = body.next_cursor;
    }
    assert.deepEqual(pages, response.body.data);
    const others = await serviceToken(shared.service, shared.simulator, ada);
    assert.equal((await shared.service.get(`${engines.name}/audit`, bearer(others))).status, 403);
    assert.equal((await shared.service.get(`${engines.name}/audit`)).status, 401);
  });
});
