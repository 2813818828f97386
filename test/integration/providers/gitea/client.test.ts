import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startHttpServer } from '../../../../simulators/git/http-server.ts';
import { remember } from '../../../../simulators/gitea/moved.ts';
import { startReplay, toSecret } from '../../../../simulators/gitea/replay.ts';
import { startGiteaSimulator } from '../../../../simulators/gitea/simulator.ts';
import { renameAccount } from '../../../../simulators/world/mutations.ts';
import { lastReport, newCall } from '../../../contract/host.ts';
import { createContractWorld, toOrganization } from '../../../contract/world.ts';
import { giteaProvider, handbook } from './gitea-provider.ts';

describe('the Gitea client', () => {
  it('names the scope that a token lacks, even when all data is public', async () => {
    await using replay = await startReplay();
    await using provider = giteaProvider(replay, { tokens: [toSecret('alice-useronly')] });
    await assert.rejects(provider.polls.readTotals(handbook, newCall()), {
      code: 'provider_denied',
      message: 'The code host wants the scope read:repository of the configured token.',
    });
  });

  it('sends no requests to a host for the time that its rate limit names', async () => {
    const fixture = createContractWorld();
    await using simulator = await startGiteaSimulator({ world: fixture.world });
    await using provider = giteaProvider(simulator, { now: fixture.now });
    simulator.overrides.push(() => ({ status: 429, body: {}, headers: { 'retry-after': '120' } }));
    const lookUp = () => lastReport(provider.accounts.lookUp('ada-lovelace', newCall()));
    const retryAt = new Date(fixture.now().getTime() + 120_000);
    await assert.rejects(lookUp(), { code: 'provider_rate_limited', retryAt });
    simulator.overrides.pop();
    await assert.rejects(lookUp(), { code: 'provider_rate_limited', retryAt });
    assert.equal(simulator.requests.length, 1);
    fixture.advance(121);
    assert.equal((await lookUp())?.account.name, 'ada-lovelace');
  });

  it('caps the wait that a host names at an hour', async () => {
    const fixture = createContractWorld();
    await using simulator = await startGiteaSimulator({ world: fixture.world });
    await using provider = giteaProvider(simulator, { now: fixture.now });
    simulator.overrides.push(() => ({ status: 429, body: {}, headers: { 'retry-after': '99999999999' } }));
    const lookUp = () => lastReport(provider.accounts.lookUp('ada-lovelace', newCall()));
    const retryAt = new Date(fixture.now().getTime() + 3_600_000);
    await assert.rejects(lookUp(), { code: 'provider_rate_limited', retryAt });
    simulator.overrides.pop();
    fixture.advance(3601);
    assert.equal((await lookUp())?.account.name, 'ada-lovelace');
  });

  it('doubles the wait each time when a rate limit names no time', async () => {
    const fixture = createContractWorld();
    await using simulator = await startGiteaSimulator({ world: fixture.world });
    await using provider = giteaProvider(simulator, { now: fixture.now });
    simulator.overrides.push(() => ({ status: 429, body: {} }));
    for (const seconds of [60, 120, 240]) {
      const retryAt = new Date(fixture.now().getTime() + seconds * 1000);
      await assert.rejects(lastReport(provider.accounts.lookUp('ada-lovelace', newCall())), { retryAt });
      fixture.advance(seconds + 1);
    }
  });

  it('runs at most three background requests at once', async () => {
    const fixture = createContractWorld();
    await using simulator = await startGiteaSimulator({ world: fixture.world });
    await using provider = giteaProvider(simulator, { tokens: [simulator.tokens.organization_member] });
    let [under, most] = [0, 0];
    await using slow = await startHttpServer((request, response) => {
      under += 1;
      most = Math.max(most, under);
      setImmediate(() => {
        under -= 1;
        response.writeHead(404, { 'x-path': request.url ?? '' }).end();
      });
    });
    await using polite = giteaProvider({ url: slow.url, apiUrl: slow.url });
    const names = Array.from({ length: 40 }, (_, index) => `somebody-${index}`);
    await Promise.all(
      names.map((name) => lastReport(polite.accounts.lookUp(name, newCall({ urgency: 'background' })))),
    );
    assert.ok(most <= 3, `${most} at once`);
    assert.equal((await lastReport(provider.accounts.lookUp('max-member', newCall())))?.account.name, 'max-member');
  });

  it('replaces a refused token with another one, and reports the refusal when there is none', async () => {
    const fixture = createContractWorld();
    await using simulator = await startGiteaSimulator({ world: fixture.world });
    const { tokens } = simulator;
    await using two = giteaProvider(simulator, { tokens: ['revoked', tokens.public_only], now: fixture.now });
    assert.equal((await lastReport(two.accounts.lookUp('ada-lovelace', newCall())))?.account.name, 'ada-lovelace');
    await using withRevokedToken = giteaProvider(simulator, { tokens: ['revoked'], now: fixture.now });
    await assert.rejects(lastReport(withRevokedToken.accounts.lookUp('ada-lovelace', newCall())), {
      code: 'provider_denied',
    });
    const owner = toOrganization(fixture);
    const [refused = ''] = two.privateData.credentialNames();
    const cursor = JSON.stringify({ credentialName: refused, after: null });
    assert.deepEqual((await two.repositories.list(owner, cursor, newCall())).isRefused, true);
  });

  it('follows a redirect to a new name, and rejects one to another host without a request to it', async () => {
    const fixture = createContractWorld();
    await using simulator = await startGiteaSimulator({ world: fixture.world });
    await using provider = giteaProvider(simulator, { tokens: [simulator.tokens.user], now: fixture.now });
    renameAccount(fixture.world, fixture.people.max, 'max-renamed');
    remember(fixture.people.max, 'max-member');
    assert.equal((await lastReport(provider.accounts.lookUp('max-member', newCall())))?.account.name, 'max-renamed');

    const seen: (string | undefined)[] = [];
    await using otherHost = await startHttpServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    });
    const location = `${otherHost.url}/api/v1/users/ada-lovelace`;
    simulator.overrides.push(() => ({ status: 307, body: '', headers: { location } }));
    await assert.rejects(lastReport(provider.accounts.lookUp('ada-lovelace', newCall())), {
      code: 'provider_invalid_response',
    });
    assert.deepEqual(seen, []);
  });

  it('rejects invalid and refusing responses with the matching error code', async () => {
    for (const [status, body, code] of [
      [200, '{"id": "one"}', 'provider_invalid_response'],
      [200, '<html>', 'provider_invalid_response'],
      [500, '{}', 'provider_unavailable'],
      [403, '{"message": "Only signed in user is allowed to call APIs."}', 'provider_denied'],
      [401, '{}', 'provider_denied'],
      [451, '{}', 'provider_denied'],
    ] as const) {
      await using server = await startHttpServer((_request, response) => void response.writeHead(status).end(body));
      await using provider = giteaProvider({ url: server.url, apiUrl: server.url });
      await assert.rejects(lastReport(provider.accounts.lookUp('alice', newCall())), { code }, body);
    }
  });

  it('reports an account that Gitea limits to signed-in users as hidden, and omits a private one', async () => {
    for (const [visibility, expected] of [
      ['limited', false],
      ['private', undefined],
    ] as const) {
      const fixture = createContractWorld();
      await using simulator = await startGiteaSimulator({ world: fixture.world });
      await using provider = giteaProvider(simulator, { tokens: [simulator.tokens.user] });
      simulator.hidden.set(fixture.people.max.id, visibility);
      assert.equal((await lastReport(provider.accounts.lookUp('max-member', newCall())))?.account.isPublic, expected);
    }
  });

  it('treats repositories of an owner who is not public as private', async () => {
    const fixture = createContractWorld();
    await using simulator = await startGiteaSimulator({ world: fixture.world });
    await using provider = giteaProvider(simulator, { tokens: [simulator.tokens.user] });
    const owner = toOrganization(fixture);
    simulator.hidden.set(fixture.organization.id, 'limited');
    const find = (withPrivate: boolean) => provider.repositories.find(owner, 'handbook', { withPrivate }, newCall());
    assert.equal(await find(false), null);
    assert.equal((await find(true))?.isPrivate, true);
  });
});
