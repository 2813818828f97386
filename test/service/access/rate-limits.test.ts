import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { assertProblem, send } from '../../e2e/raw-request.ts';
import type { TestService } from '../../e2e/service.ts';
import { ada, bearer, serviceToken } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { startStoredService } from '../http/stored-service.ts';

const proxy = { TRUST_PROXY: 'loopback', RATE_LIMIT_PER_MINUTE: '30' };

const from = (service: TestService, address: string, path: string, token?: string) =>
  send(service, path, 'GET', {
    'x-forwarded-for': address,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  });

const requestToken = (node: TestService, address: string, name: string = ada.name) =>
  from(node, address, `/v1/github/entities/${name}/token`, 'ghp_guess');

describe('rate limits', () => {
  it('limits attempts to prove ownership by address, on all nodes together, until the period ends', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startStoredService({ simulator, now, settings: proxy });
    const { databaseUrl } = service;
    await using secondNode = await startStoredService({ simulator, now, databaseUrl, settings: proxy });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 24; attempt += 1) {
      const response = await requestToken(attempt % 2 === 0 ? service : secondNode, '203.0.113.7', `name-${attempt}`);
      statuses.push(response.status);
      assert.equal(response.headers['ratelimit-policy'], '"sensitive";q=20;w=60');
      assert.equal(response.headers['ratelimit'], `"sensitive";r=${Math.max(0, 19 - attempt)};t=60`);
      if (response.status !== 429) continue;
      assertProblem(response, 'limited');
      assert.equal(JSON.parse(response.body).error.code, 6);
      assert.equal(response.headers['retry-after'], '60');
    }
    assert.deepEqual(statuses, [...Array(20).fill(401), ...Array(4).fill(429)]);
    assert.equal(simulator.requests.filter(({ name }) => name === 'GET /user').length, 20);
    // Other addresses are not limited. All IPv6 addresses of one network share a limit.
    assert.equal((await requestToken(service, '203.0.113.8')).status, 401);
    for (let attempt = 0; attempt < 20; attempt += 1)
      await requestToken(service, `2001:db8:1:2::${attempt}`, `name-${attempt}`);
    assert.equal((await requestToken(service, '2001:db8:1:2:ffff::1')).status, 429);
    assert.equal((await requestToken(service, '2001:db8:1:3::1')).status, 401);
    advance(61);
    assert.equal((await requestToken(secondNode, '203.0.113.7')).status, 401);
  });

  it('limits attempts at one account for all addresses together', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startStoredService({ simulator, settings: proxy });
    const statuses = new Map<number, number>();
    for (let attempt = 0; attempt < 70; attempt += 1) {
      const path = `/v1/github/entities/${attempt % 2 === 0 ? ada.name : ada.name.toUpperCase()}/token`;
      const { status } = await from(service, `198.51.100.${attempt}`, path, 'ghp_guess');
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    assert.deepEqual(Object.fromEntries(statuses), { 401: 60, 429: 10 });
  });

  it('sets a higher limit for reads by address, and does not count cached responses and health checks', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startStoredService({ simulator, holdsWorld: true, settings: proxy });
    const path = `/v1/github/entities/${ada.name}`;
    await service.getComplete(`${ada.name}/contributions`);
    const first = await from(service, '203.0.113.9', path);
    assert.equal(first.headers['ratelimit-policy'], '"reads";q=30;w=60');
    assert.match(String(first.headers['ratelimit']), /^"reads";r=29;t=\d+$/);
    for (let read = 0; read < 100; read += 1) {
      const { status, headers } = await from(service, '203.0.113.9', path);
      assert.deepEqual(
        [status, headers['ratelimit-policy'], headers['ratelimit']],
        [200, '"reads";q=30;w=60', undefined],
      );
    }
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, read) => (await from(service, '203.0.113.9', `${path}?v=${read}`)).status),
    );
    assert.equal(statuses.filter((status) => status === 429).length, 11);
    assert.equal((await from(service, '203.0.113.10', `${path}?v=other`)).status, 200);
    for (let attempt = 0; attempt < 50; attempt += 1)
      assert.equal((await from(service, '203.0.113.9', '/healthz')).status, 200);
  });

  it('limits searches in the documents by address, also repeated ones, beside all other reads', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startStoredService({ simulator, settings: proxy });
    const statuses: number[] = [];
    for (let search = 0; search < 63; search += 1) {
      const { status, headers } = await from(service, '203.0.113.12', `/docs/search?q=badge+${search % 10}`);
      statuses.push(status);
      assert.equal(headers['ratelimit-policy'], '"searches";q=60;w=60');
    }
    assert.deepEqual(statuses, [...Array(60).fill(200), ...Array(3).fill(429)]);
    assert.equal((await from(service, '203.0.113.12', '/docs/start')).status, 200);
    assert.equal((await from(service, '203.0.113.13', '/docs/search?q=badge')).status, 200);
  });

  it("ignores headers about a client's address without a trusted proxy", async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startStoredService({ simulator });
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 25; attempt += 1) {
      const address = `203.0.113.${attempt}`;
      statuses.push((await from(service, address, `/v1/github/entities/name-${attempt}/token`, 'ghp_guess')).status);
    }
    assert.equal(statuses.filter((status) => status === 429).length, 5);
    // Requests from loopback are counted but not limited.
    for (let count = 0; count < 2; count += 1) {
      const { headers } = await from(service, '203.0.113.1', `/v1/github/entities/${ada.name}`);
      assert.deepEqual([headers['ratelimit-policy'], headers['ratelimit']], [undefined, undefined]);
    }
  });

  it('counts a wrong credential as an attempt to read', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startStoredService({ simulator, settings: proxy });
    const token = await serviceToken(service, simulator, ada);
    const statuses = new Set<number>();
    for (let attempt = 0; attempt < 35; attempt += 1) {
      const guess = `${token.slice(0, -4)}${1000 + attempt}`;
      statuses.add((await from(service, '203.0.113.11', `/v1/github/entities/${ada.name}/repositories`, guess)).status);
    }
    assert.deepEqual([...statuses], [401, 429]);
    assert.equal((await service.get(`${ada.name}/audit`, bearer(token))).status, 200);
  });
});
