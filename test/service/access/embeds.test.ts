import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { toCounters } from '../../../simulators/world/expected-totals.ts';
import { renameAccount } from '../../../simulators/world/mutations.ts';
import { assertProblem, send } from '../../e2e/raw-request.ts';
import { bearer, engines, jsonRequest, keeper, serviceToken } from '../../integration/access/owner.ts';
import { startStoredService } from '../http/stored-service.ts';

interface CreatedLink {
  data: { id: string; url: string };
}

describe('embed links', () => {
  it('opens exactly one card with a link until the link is revoked', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startStoredService({ simulator, holdsWorld: true });
    const token = await serviceToken(service, simulator, keeper);
    const picture = `/v1/github/entities/${keeper.name}/contributions?private=true`;
    const drawn = await service.getComplete(`${keeper.name}/contributions?private=true`, bearer(token));
    const own = { accountId: simulator.world.accountByLogin(keeper.name)?.id ?? null, seesPrivate: true };
    const expected = toCounters(simulator.world, keeper.name, own);
    assert.deepEqual(drawn.body.data[0]?.['contributions'], expected);

    const created = await service.get(
      `${keeper.name}/embeds`,
      jsonRequest('POST', token, { path: picture, format: 'svg' }),
    );
    assert.equal(created.status, 201);
    const { data } = JSON.parse(created.text) as CreatedLink;
    assert.match(data.url, new RegExp(`^${service.url}/v1/embeds/[\\w-]{43}\\.svg$`));
    const { pathname } = new URL(data.url);
    const image = await service.get(pathname);
    assert.equal(image.status, 200);
    assert.match(image.headers.get('content-type') ?? '', /^image\/svg\+xml/);
    assert.equal(image.headers.get('cache-control'), 'private, no-store');
    assert.equal(image.headers.get('access-control-allow-origin'), null);
    assert.match(image.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    assert.ok(image.text.includes(`Commits: ${expected.commits}`), image.text);
    const etag = image.headers.get('etag') ?? assert.fail();
    assert.equal((await service.get(pathname, { headers: { 'if-none-match': etag } })).status, 304);
    // Parameters that a viewer adds do not change the card.
    for (const query of ['?private=false', '?format=json', '?limit=100', '?v=2']) {
      assert.equal((await service.get(`${pathname}${query}`)).text, image.text, query);
    }

    const secret = pathname.slice('/v1/embeds/'.length, -'.svg'.length);
    const others = [
      `/v1/embeds/${secret}.png`,
      `/v1/embeds/${secret}.jso`,
      `/v1/embeds/${secret}`,
      `/v1/embeds/${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}.svg`,
      `/v1/embeds/${secret.toUpperCase()}.svg`,
      `/v1/embeds/${data.id}.svg`,
      `/v1/embeds/${secret}.svg/..%2f..`,
    ];
    for (const path of others) {
      const response = await send(service, path);
      assert.ok([400, 404].includes(response.status), path);
      assertProblem(response, path);
    }
    for (const path of ['repositories', 'contributors', 'settings', 'embeds', 'export']) {
      for (const init of [bearer(secret), bearer(`${secret}.svg`)]) {
        assert.equal((await service.get(`${keeper.name}/${path}`, init)).status, 401, path);
      }
      const response = await service.get(`${keeper.name}/${path}?token=${secret}&embed=${secret}`);
      assert.ok(response.status === 401 || response.body.meta_data.includes_private === false, path);
    }
    const listed = await service.get(`${keeper.name}/embeds`, bearer(token));
    assert.deepEqual(
      listed.body.data.map(({ id, path, format }) => ({ id, path, format })),
      [{ id: data.id, path: 'contributions?private=true&format=svg', format: 'svg' }],
    );
    assert.ok(!listed.text.includes(secret));
    assert.equal((await service.get(`${keeper.name}/embeds/${data.id}`, jsonRequest('DELETE', token))).status, 204);
    assert.equal((await service.get(pathname)).status, 404);
    assert.equal((await service.get(`${keeper.name}/embeds/${data.id}`, jsonRequest('DELETE', token))).status, 404);
    const { rows } = await service.database.pool.query<{ text: string }>(
      'select string_agg(a::text, $1) as text from audit_entries a',
      [''],
    );
    assert.ok(rows[0]?.text.includes('embed_created') && !rows[0].text.includes(secret));
    assert.ok(service.lines.every((line) => !line.includes(secret)));
  });

  it('keeps a link working after its account was renamed or hidden', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startStoredService({ simulator, holdsWorld: true });
    const token = await serviceToken(service, simulator, keeper);
    await service.getComplete(`${keeper.name}/contributors`, bearer(token));
    const path = `/v1/github/entities/${keeper.name.toUpperCase()}/repositories/diary/contributors?limit=5`;
    const created = await service.get(`${keeper.name}/embeds`, jsonRequest('POST', token, { path, format: 'svg' }));
    const { pathname } = new URL((JSON.parse(created.text) as CreatedLink).data.url);
    const before = await service.get(pathname);
    assert.equal(before.status, 200);
    await service.get(`${keeper.name}/settings`, jsonRequest('PUT', token, { hidden: true }));
    assert.equal((await service.get(pathname)).text, before.text);
    renameAccount(simulator.world, simulator.world.accountByLogin(keeper.name) ?? assert.fail(), 'keeper-renamed');
    await serviceToken(service, simulator, { ...keeper, name: 'keeper-renamed' });
    const after = await service.get(pathname);
    assert.equal(after.status, 200);
    assert.match(after.text, /<svg/);
  });

  it('marks a card that is still being collected for programs', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startStoredService({ simulator, settings: { LOOKUP_BUDGET_MS: '100' } });
    const token = await serviceToken(service, simulator, keeper);
    const path = `/v1/github/entities/${keeper.name}/repositories/diary/contributors`;
    const created = await service.get(`${keeper.name}/embeds`, jsonRequest('POST', token, { path, format: 'svg' }));
    const { pathname } = new URL((JSON.parse(created.text) as CreatedLink).data.url);
    const { status, headers } = await service.get(pathname);
    assert.deepEqual([status, headers.get('x-error-code'), headers.get('etag')], [200, '0', null]);
    assert.ok(Number(headers.get('retry-after')) > 0);
  });

  it("creates links only to cards of the caller's own account", async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startStoredService({ simulator });
    const token = await serviceToken(service, simulator, keeper);
    await serviceToken(service, simulator, engines);
    const own = `/v1/github/entities/${keeper.name}`;
    for (const [path, format] of [
      [`/v1/github/entities/${engines.name}/contributions`, 'svg'],
      [`${own}/../${engines.name}/contributions`, 'svg'],
      [`${own}/%2e%2e/${engines.name}/contributions`, 'svg'],
      [`${own}/repositories`, 'svg'],
      [`${own}/settings`, 'svg'],
      [`${own}/export`, 'svg'],
      [own, 'svg'],
      ['https://elsewhere.example/v1/github/entities/secret-keeper/contributions', 'svg'],
      ['//elsewhere.example/v1/github/entities/secret-keeper/contributions', 'svg'],
      [`${own}/contributions#x`, 'svg'],
      [`${own}/contributions`, 'json'],
      [`${own}/contributions`, 'exe'],
      [`${own}/contributions?x=${'y'.repeat(1000)}`, 'svg'],
      ['', 'svg'],
    ] as const) {
      const response = await service.get(`${keeper.name}/embeds`, jsonRequest('POST', token, { path, format }));
      assert.equal(response.status, 400, `${path} ${format}`);
      assert.equal(response.body.error?.code, 3);
    }
    for (const [query, nearest] of [
      ['period=2026-13', '2026-12'],
      ['since=2026-02-30', '2026-02-28'],
      ['time_zone=Berlin', 'Europe/Berlin'],
    ] as const) {
      const sent = { path: `${own}/contributions?${query}`, format: 'svg' };
      const { status, text } = await service.get(`${keeper.name}/embeds`, jsonRequest('POST', token, sent));
      assert.equal(status, 400, query);
      assert.ok(text.includes(`did you mean ${nearest}?`), text);
    }
    for (const body of [{}, { path: `${own}/contributions` }, { format: 'svg' }]) {
      const response = await service.get(`${keeper.name}/embeds`, jsonRequest('POST', token, body));
      assert.deepEqual([response.status, response.body.error?.code], [400, 1]);
    }
  });
});
