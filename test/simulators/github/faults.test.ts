import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type FaultKind, faultKinds } from '../../../simulators/github/faults.ts';
import { queryGraphql, requestRest, start } from '../../../simulators/github/send-request.ts';

describe('faults of the simulated GitHub', () => {
  it('counts limits down in headers, then refuses requests', async () => {
    await using simulator = await start({ limits: { graphql: 2, anonymousCore: 1, graphqlPerMinute: 100 } });
    const query = '{ viewer { login } }';
    const first = await queryGraphql(simulator, query);
    assert.equal(first.headers.get('x-ratelimit-remaining'), '1');
    await queryGraphql(simulator, query);
    const third = await queryGraphql(simulator, query);
    assert.equal(third.status, 200);
    assert.equal(third.body.errors?.[0]?.type, 'RATE_LIMITED');
    assert.equal((await requestRest(simulator, '/users/ada-lovelace')).status, 200);
    const refused = await requestRest(simulator, '/users/ada-lovelace');
    assert.equal(refused.status, 403);
    assert.equal(refused.headers.get('x-ratelimit-remaining'), '0');
    assert.equal((await requestRest(simulator, '/rate_limit')).status, 200);
  });

  it('fails a query for too much of a heavy account, in turn with status 502 and inside a response with status 200', async () => {
    await using simulator = await start();
    const { heavy } = simulator.accounts;
    const query = (from: string, to: string) =>
      `{ user(login: "${heavy}") { contributionsCollection(from: "${from}T00:00:00Z", to: "${to}T23:59:59Z") { totalCommitContributions } } }`;
    const send = async (text: string): Promise<string> => {
      const response = await fetch(`${simulator.apiUrl}/graphql`, {
        method: 'POST',
        headers: { authorization: `bearer ${simulator.tokens.outsider}` },
        body: JSON.stringify({ query: text }),
      });
      const body = await response.text();
      return `${response.status} ${/RESOURCE_LIMITS_EXCEEDED|totalCommitContributions/.exec(body)?.[0] ?? 'html'}`;
    };
    const year = query('2020-01-01', '2020-12-31');
    assert.equal(await send(year), '502 html');
    assert.match(await send(year), /^200 (RESOURCE|total)/);
    assert.equal(await send(query('2020-03-01', '2020-03-31')), '200 totalCommitContributions');
  });

  it('applies every kind of fault to as many requests as configured, and to none after them', async () => {
    await using simulator = await start();
    const seen = new Map<FaultKind, string>();
    const outcome = async (): Promise<string> => {
      const query =
        '{ user(login: "ada-lovelace") { login databaseId issues(first: 2) { pageInfo { hasNextPage endCursor } nodes { databaseId } } } }';
      try {
        const response = await fetch(`${simulator.apiUrl}/graphql`, {
          method: 'POST',
          headers: { authorization: `bearer ${simulator.tokens.outsider}` },
          body: JSON.stringify({ query }),
          redirect: 'manual',
          signal: AbortSignal.timeout(2000),
        });
        const text = await response.text();
        return `${response.status} ${text}`;
      } catch (error) {
        return error instanceof Error ? error.name : 'unknown';
      }
    };
    const healthy = await outcome();
    for (const kind of faultKinds.filter((faultKind) => faultKind !== 'never' && faultKind !== 'slow')) {
      simulator.faults.add({ kind, path: ['data', 'user', 'login'], value: 7, fields: ['User.login'] });
      seen.set(kind, await outcome());
      assert.notEqual(seen.get(kind), healthy, kind);
      assert.equal(simulator.faults.pending, 0);
      assert.equal(await outcome(), healthy, `after ${kind}`);
    }
    assert.match(seen.get('bad_gateway') ?? '', /^502 <html>/);
    assert.match(seen.get('lost_page') ?? '', /"nodes":\[\]/);
    assert.match(seen.get('surprise') ?? '', /"login":7/);
    assert.match(seen.get('somebody_else') ?? '', /somebody-else/);
  });

  it('accepts faults and changes over HTTP', async () => {
    await using simulator = await start();
    const post = (path: string, body: object) =>
      fetch(`${simulator.url}/_simulator/${path}`, { method: 'POST', body: JSON.stringify(body) });
    await post('faults', { kind: 'unavailable', on: 'GET /users/' });
    assert.equal((await requestRest(simulator, '/users/ada-lovelace')).status, 503);
    assert.equal((await post('faults', { kind: 'nonsense' })).status, 400);
    await post('world', { action: 'change_bio', login: 'ada-lovelace', to: 'Changed.' });
    assert.equal(
      ((await (await requestRest(simulator, '/users/ada-lovelace')).json()) as { bio: string }).bio,
      'Changed.',
    );
    assert.equal((await post('world', { action: 'rename_account', login: 'nobody-at-all' })).status, 400);
  });

  it('renames an account after a request for its old login or before a request for its new one', async () => {
    for (const isOldFirst of [true, false]) {
      await using simulator = await start();
      const { renamed_from, renamed_to } = simulator.accounts;
      if (isOldFirst) assert.equal((await requestRest(simulator, `/users/${renamed_from}`)).status, 200);
      assert.equal((await requestRest(simulator, `/users/${renamed_to}`)).status, 200);
      assert.equal((await requestRest(simulator, `/users/${renamed_from}`)).status, 404);
    }
  });
});
