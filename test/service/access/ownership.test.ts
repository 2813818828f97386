import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { startHttpServer } from '../../../simulators/git/http-server.ts';
import type { Fault } from '../../../simulators/github/faults.ts';
import { assertProblem, send } from '../../e2e/raw-request.ts';
import type { TestService } from '../../e2e/service.ts';
import { ada, engines, keeper, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';

/** Each request comes from another address, so that the limit of attempts of one address is not met. */
let addresses = 0;
function requestToken(service: TestService, name: string, token: string, prefix = 'Bearer ') {
  addresses += 1;
  return send(service, `/v1/github/entities/${name}/token`, 'GET', {
    authorization: `${prefix}${token}`,
    'x-forwarded-for': `10.0.${addresses >> 8}.${addresses & 255}`,
  });
}

const settings = { TRUST_PROXY: 'loopback' };

describe('proof of ownership', () => {
  const shared = shareStoredService({ service: { settings } });
  afterEach(() => shared.simulator.faults.clear());

  it('responds at endpoint 5 byte for byte as documented, to users and administrators of organizations', async () => {
    for (const { name, token } of [ada, keeper, engines]) {
      for (const spelling of [name, name.toUpperCase()]) {
        const { status, body, headers } = await requestToken(shared.service, spelling, shared.simulator.tokens[token]);
        assert.equal(status, 200, body);
        assert.match(body, /^\{"meta_data":\{"count":1,"data_type":4\},"data":\{"token":"[\w-]+\.[\w-]+\.[\w-]+"\}\}$/);
        assert.equal(headers['content-type'], 'application/json; charset=utf-8');
        assert.equal(headers['cache-control'], 'private, no-store');
        assert.equal(headers['access-control-allow-origin'], '*');
        assert.match(String(headers['ratelimit']), /^"sensitive";r=\d+;t=\d+$/);
      }
    }
  });

  it('issues no token for another account, and does not reveal whether that account exists', async () => {
    const requested = shared.simulator.requests.length;
    const { tokens } = shared.simulator;
    const refused: string[] = [];
    for (const [name, token] of [
      [engines.name, tokens.organization_member],
      [engines.name, tokens.organization_pending],
      [engines.name, tokens.outsider],
      [engines.name, tokens.public_only],
      [keeper.name, tokens.user],
      [keeper.name, tokens.organization_admin],
      [ada.name, tokens.private_owner],
      ['nobody-at-all', tokens.user],
      ['-impossible-', tokens.user],
      ['gone-babbage', tokens.user],
      ['%2e%2e', tokens.user],
      ['..%2f..%2fuser', tokens.user],
      ['engine-helper%5Bbot%5D', tokens.user],
      ['ada', tokens.user],
    ] as const) {
      const response = await requestToken(shared.service, name, token);
      assert.equal(response.status, 403, name);
      assertProblem(response, name);
      assert.equal(JSON.parse(response.body).error.code, 5);
      refused.push(response.body);
    }
    assert.equal(new Set(refused).size, 1);
    // A name in a request reaches only these endpoints of the provider.
    for (const { name } of shared.simulator.requests.slice(requested))
      assert.match(name, /^GET \/user(\/memberships\/orgs\/[\w%-]+)?$/);
  });

  it('refuses a site administrator as the owner of other accounts', async () => {
    shared.simulator.faults.add({ kind: 'surprise', on: 'GET /user', path: ['site_admin'], value: true, times: 5 });
    for (const name of [engines.name, keeper.name]) {
      assert.equal((await requestToken(shared.service, name, shared.simulator.tokens.outsider)).status, 403);
    }
  });

  it('responds with 401 to any credential except a bearer token of the provider in the header', async () => {
    const own = await serviceToken(shared.service, shared.simulator, ada);
    for (const [token, prefix] of [
      ['ghp_unknown', 'Bearer '],
      [own, 'Bearer '],
      [shared.simulator.tokens.user, 'Basic '],
      [shared.simulator.tokens.user, 'token '],
      [shared.simulator.tokens.user, ''],
      [`${shared.simulator.tokens.user} x`, 'Bearer '],
      ['', 'Bearer'],
    ] as const) {
      const response = await requestToken(shared.service, ada.name, token, prefix);
      assert.equal(response.status, 401, `${prefix}${token}`);
      assertProblem(response, prefix);
      assert.equal(response.headers['www-authenticate'], 'Bearer');
      assert.ok(token === '' || !response.body.includes(token));
    }
    for (const query of ['token', 'access_token', 'authorization']) {
      const path = `/v1/github/entities/${ada.name}/token?${query}=${shared.simulator.tokens.user}`;
      const response = await send(shared.service, path);
      assert.equal(response.status, 401);
      assert.ok(!response.body.includes(shared.simulator.tokens.user));
    }
  });

  it('issues no token when the provider fails, hangs, redirects, lies or responds about another account', async () => {
    const received: unknown[] = [];
    await using stranger = await startHttpServer((request, response) => {
      received.push(request.headers);
      response.end('{}');
    });
    const cases: [Fault, number[]][] = [
      [{ kind: 'unavailable', on: 'GET /user' }, [503]],
      [{ kind: 'bad_gateway', on: 'GET /user' }, [503]],
      [{ kind: 'drop_before', on: 'GET /user' }, [503]],
      [{ kind: 'drop_midway', on: 'GET /user' }, [503]],
      [{ kind: 'truncated', on: 'GET /user' }, [503]],
      [{ kind: 'never', on: 'GET /user' }, [503]],
      [{ kind: 'redirect', on: 'GET /user', location: stranger.url }, [502]],
      [{ kind: 'redirect', on: 'memberships', location: `${stranger.url}/user` }, [502]],
      [{ kind: 'malformed', on: 'GET /user' }, [502]],
      [{ kind: 'error_in_200', on: 'GET /user' }, [502]],
      [{ kind: 'error_in_200', on: 'memberships' }, [502]],
      [{ kind: 'huge', on: 'GET /user' }, [502, 503]],
      [{ kind: 'somebody_else', on: 'GET /user' }, [403, 502]],
      [{ kind: 'somebody_else', on: 'memberships' }, [502]],
      [{ kind: 'surprise', on: 'memberships', path: ['organization', 'login'], value: 'other' }, [502]],
      [{ kind: 'surprise', on: 'memberships', path: ['user', 'id'], value: 1 }, [502]],
      [{ kind: 'surprise', on: 'memberships', path: ['state'], value: 'pending' }, [403]],
      [{ kind: 'surprise', on: 'memberships', path: ['role'], value: 'ADMIN' }, [403]],
      [{ kind: 'surprise', on: 'memberships', path: ['role'], value: ['admin'] }, [502]],
      [{ kind: 'primary_limit', on: 'GET /user' }, [429]],
      [{ kind: 'secondary_limit', on: 'GET /user' }, [429]],
      [{ kind: 'bad_credentials', on: 'GET /user' }, [401]],
    ];
    for (const [fault, statuses] of cases) {
      shared.simulator.faults.clear();
      shared.simulator.faults.add({ ...fault, times: 10 });
      const response = await requestToken(shared.service, engines.name, shared.simulator.tokens.organization_admin);
      const title = `${fault.kind} ${fault.on}: ${response.status}`;
      assert.ok(statuses.includes(response.status), title);
      assert.deepEqual(Object.keys(JSON.parse(response.body)), ['error'], title);
      assert.doesNotMatch(response.body, /ghp_|127\.0\.0\.1|Unicorn/, title);
      if (response.status >= 429) assert.ok(Number(response.headers['retry-after']) > 0, title);
    }
    assert.deepEqual(received, []);
    shared.simulator.faults.clear();
    assert.equal(
      (await requestToken(shared.service, engines.name, shared.simulator.tokens.organization_admin)).status,
      200,
    );
  });
});
