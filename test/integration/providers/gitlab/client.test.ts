import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startHttpServer } from '../../../../simulators/git/http-server.ts';
import { startGitLabSimulator } from '../../../../simulators/gitlab/simulator.ts';
import { transferRepository } from '../../../../simulators/world/mutations.ts';
import type { Urgency } from '../../../../src/hosts/interface/call.ts';
import { lastReport, newCall } from '../../../contract/host.ts';
import { createContractWorld } from '../../../contract/world.ts';
import { gitlabProvider, toGroup } from './gitlab-provider.ts';

describe('the GitLab client', () => {
  /** Tests limits, refusals and invalid responses. */

  it('obeys the limits of GitLab, and reserves the last requests before a limit for background calls and owners', async () => {
    const { world, now, advance } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
    const reset = Math.floor(now().getTime() / 1000) + 60;
    const limited = (remaining: number) => ({
      status: 404,
      body: {},
      headers: { 'ratelimit-limit': '100', 'ratelimit-remaining': String(remaining), 'ratelimit-reset': String(reset) },
    });
    const lookUp = (urgency: Urgency) => lastReport(provider.accounts.lookUp('a/b', newCall({ urgency })));
    const rejection = { code: 'provider_rate_limited', retryAt: new Date(reset * 1000) };
    simulator.overrides.push(() => limited(30));
    assert.equal(await lookUp('interactive'), undefined);
    await assert.rejects(lookUp('interactive'), rejection);
    simulator.overrides.splice(0, 1, () => limited(10));
    assert.equal(await lookUp('background'), undefined);
    await assert.rejects(lookUp('background'), rejection);
    simulator.overrides.splice(0, 1, () => limited(0));
    assert.equal(await lookUp('owner'), undefined);
    const requestCount = simulator.requests.length;
    await assert.rejects(lookUp('owner'), rejection);
    assert.equal(simulator.requests.length, requestCount);
    advance(61);
    assert.equal(await lookUp('background'), undefined);
  });

  it('caps the time until a limit ends at an hour', async () => {
    const { world, now, advance } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
    const headers = { 'ratelimit-limit': '100', 'ratelimit-remaining': '0', 'ratelimit-reset': '99999999999' };
    simulator.overrides.push(() => ({ status: 404, body: {}, headers }));
    assert.equal(await lastReport(provider.accounts.lookUp('a/b', newCall())), undefined);
    simulator.overrides.length = 0;
    const retryAt = new Date(now().getTime() + 3_600_000);
    await assert.rejects(lastReport(provider.accounts.lookUp('a/b', newCall())), {
      code: 'provider_rate_limited',
      retryAt,
    });
    advance(3601);
    assert.equal(await lastReport(provider.accounts.lookUp('a/b', newCall())), undefined);
  });

  it('uses a second token while the first has no quota left', async () => {
    const { world, now } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    const { user, organization_member: second } = simulator.tokens;
    await using provider = gitlabProvider(simulator, { tokens: [user, second], now });
    const headers = { 'ratelimit-limit': '100', 'ratelimit-remaining': '0', 'ratelimit-reset': '9999999999' };
    simulator.overrides.push(() => ({ status: 404, body: {}, headers }));
    await lastReport(provider.accounts.lookUp('a/b', newCall()));
    simulator.overrides.length = 0;
    assert.equal(
      (await lastReport(provider.accounts.lookUp('analytical-engines', newCall())))?.account.type,
      'organization',
    );
    assert.deepEqual(
      simulator.requests.map((request) => request.split(' ', 1)[0]),
      ['user', 'organization_member', 'organization_member'],
    );
  });

  it('sends no requests for the time that a response with the status 429 states', async () => {
    const { world, now, advance } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
    simulator.overrides.push(() => ({ status: 429, body: 'Retry later', headers: { 'retry-after': '37' } }));
    const until = new Date(now().getTime() + 37_000);
    await assert.rejects(lastReport(provider.accounts.lookUp('a/b', newCall())), {
      code: 'provider_rate_limited',
      retryAt: until,
    });
    simulator.overrides.length = 0;
    const requestCount = simulator.requests.length;
    await assert.rejects(lastReport(provider.accounts.lookUp('a/b', newCall())), { code: 'provider_rate_limited' });
    assert.equal(simulator.requests.length, requestCount);
    advance(38);
    assert.equal(await lastReport(provider.accounts.lookUp('a/b', newCall())), undefined);
  });

  it('sends requests to other endpoints while one endpoint is limited', async () => {
    const { world, now } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
    simulator.overrides.push((path) => (path.startsWith('/groups/') ? { status: 429, body: {} } : undefined));
    const retryAt = new Date(now().getTime() + 60_000);
    await assert.rejects(lastReport(provider.accounts.lookUp('a/b', newCall())), {
      code: 'provider_rate_limited',
      retryAt,
    });
    assert.equal((await lastReport(provider.accounts.lookUp('ada-lovelace', newCall())))?.account.name, 'ada-lovelace');
  });

  it('sends requests with a token while requests without one are limited', async () => {
    const { world, now } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
    const limited = { status: 429, body: '', headers: { 'retry-after': '60' } };
    simulator.overrides.push((path) => (/^\/(issues|merge_requests)/.test(path) ? limited : undefined));
    for (const name of ['max-member', 'ada-lovelace']) {
      const report = await lastReport(provider.accounts.lookUp(name, newCall()));
      assert.ok(report?.missing.includes('issues') && report.counters.stars === 0, name);
    }
    const strangers = simulator.requests.filter((request) => request.startsWith('anonymous '));
    assert.ok(strangers.length <= 4, `${strangers.length} requests`);
  });

  it('names the scope that a token lacks in the error', async () => {
    const { world, now } = createContractWorld();
    await using simulator = await startGitLabSimulator({ world });
    simulator.narrowTokens.add('user');
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
    await assert.rejects(lastReport(provider.accounts.lookUp('ada-lovelace', newCall())), {
      code: 'provider_denied',
      message: 'The code host wants the scope api or read_api of the configured token.',
    });
    const { signal } = new AbortController();
    const { owned } = await provider.ownership.prove(simulator.tokens.user, 'ada-lovelace', signal);
    assert.equal(owned?.name, 'ada-lovelace');
    await assert.rejects(provider.ownership.prove(simulator.tokens.user, 'analytical-engines', signal), {
      code: 'forbidden',
      message: 'This token lacks a scope at the code host: api or read_api.',
    });
  });

  it('uses another token after one is revoked, and reports the list of the revoked token as refused', async () => {
    const fixture = createContractWorld();
    const { world, now } = fixture;
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { tokens: ['glpat-gone', simulator.tokens.user], now });
    assert.equal((await lastReport(provider.accounts.lookUp('ada-lovelace', newCall())))?.account.name, 'ada-lovelace');
    const [refused = ''] = provider.privateData.credentialNames();
    assert.doesNotMatch(refused, /glpat/);
    const owner = toGroup(fixture);
    const cursor = JSON.stringify({ credentialName: refused, after: null });
    assert.equal((await provider.repositories.list(owner, cursor, newCall())).isRefused, true);
  });

  it('follows a redirect within the instance, and rejects one to another host without a request to it', async () => {
    const fixture = createContractWorld();
    const { world, now, repositories } = fixture;
    await using simulator = await startGitLabSimulator({ world });
    await using provider = gitlabProvider(simulator, { tokens: [simulator.tokens.user], now });
    const owner = toGroup(fixture);
    const find = (name: string) => provider.repositories.find(owner, name, { withPrivate: false }, newCall());
    const target = `/api/v4/projects/${repositories.handbook.id}`;
    simulator.overrides.push((path) =>
      path.includes('%2F') ? { status: 301, body: '', headers: { location: target } } : undefined,
    );
    assert.equal((await find('former'))?.name, 'handbook');
    assert.equal((await find('handbook'))?.name, 'handbook');
    transferRepository(world, repositories.handbook, fixture.people.ada);
    assert.equal(await find('former'), null);
    const seen: (string | undefined)[] = [];
    await using otherHost = await startHttpServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    });
    const location = `${otherHost.url}/api/v4/projects/1`;
    simulator.overrides.splice(0, 1, () => ({ status: 301, body: '', headers: { location } }));
    await assert.rejects(find('handbook'), { code: 'provider_invalid_response' });
    assert.deepEqual(seen, []);
  });

  it('rejects invalid responses with the matching error code', async () => {
    for (const [status, body, code] of [
      [200, '[{"id": "one"}]', 'provider_invalid_response'],
      [200, '<html>', 'provider_invalid_response'],
      [500, '{}', 'provider_unavailable'],
      [403, '{"message": "403 Forbidden"}', 'provider_denied'],
      [401, '{"message": "401 Unauthorized"}', 'provider_denied'],
    ] as const) {
      await using server = await startHttpServer((_request, response) => void response.writeHead(status).end(body));
      await using provider = gitlabProvider({ url: server.url, apiUrl: `${server.url}/api/v4` });
      await assert.rejects(lastReport(provider.accounts.lookUp('alice', newCall())), { code }, body);
    }
  });
});
