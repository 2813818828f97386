import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import type { OpenApi } from '../../described/open-api.ts';
import { ed25519 } from '../../integration/access/forge-token.ts';
import { bearer, jsonRequest, keeper, serviceToken } from '../../integration/access/owner.ts';
import { storeAbsent, storeAbsentRepositories } from '../../integration/http/stored-world.ts';
import { shareStoredService } from './stored-service.ts';

const account = '/v1/{provider}/entities/{name}';
const publicUrl = 'https://plaudit.test';

describe('the OpenAPI description', () => {
  const shared = shareStoredService({
    service: { settings: { PUBLIC_URL: publicUrl, GITEA_URL: 'http://127.0.0.1:9', LOOKUP_BUDGET_MS: '100' } },
  });
  const description = async (): Promise<OpenApi> => JSON.parse((await shared.service.get('/openapi.json')).text);

  it('has no fault by the recommended rules of Redocly', async () => {
    const { text } = await shared.service.get('/openapi.json');
    const config = await createConfig({ extends: ['recommended'] });
    const faults = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
    assert.deepEqual(
      faults.map(({ ruleId, message, location: [place] }) => `${ruleId}: ${message} ${place?.pointer}`),
      [],
    );
  });

  it('leads to the public address of the service, and to the paths of its code hosts', async () => {
    const { servers, paths } = await description();
    assert.deepEqual(servers, [{ url: publicUrl }]);
    assert.deepEqual(
      Object.keys(paths).filter((path) => path.endsWith('/webhooks')),
      ['/v1/github/webhooks', '/v1/gitea/webhooks'],
    );
  });

  it('groups every operation, states its security, and names the schema of its JSON', async () => {
    const { paths, security } = await description();
    assert.deepEqual(security, [{}, { serviceToken: [] }]);
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, { operationId, tags, responses }] of Object.entries(item)) {
        const operation = `${method} ${path}`;
        assert.ok(operationId !== undefined && operationId !== '', operation);
        assert.equal(tags?.length, 1, operation);
        for (const [status, response] of Object.entries(responses)) {
          if ('$ref' in response || response.content?.['application/json'] === undefined) continue;
          assert.match(
            JSON.stringify(response.content['application/json'].schema),
            /^\{"\$ref":/,
            `${operation} ${status}`,
          );
        }
      }
    }
    const toSecurity = (path: string): unknown => paths[`${account}${path}`]?.['get']?.security;
    assert.equal(toSecurity('/contributions'), undefined);
    assert.deepEqual(toSecurity('/repositories'), [{ serviceToken: [] }]);
    assert.deepEqual(toSecurity('/repositories/{repository}/contributors'), [{ serviceToken: [] }, {}]);
    assert.deepEqual(toSecurity('/token'), [{ providerToken: [] }]);
  });

  it('has the schema of 200 for 202, and images only where there is no JSON', async () => {
    const { paths } = await description();
    for (const [path, { get }] of Object.entries(paths)) {
      const toContent = (status: string): Record<string, object> => {
        const response = get?.responses[status];
        return response === undefined || '$ref' in response ? {} : (response.content ?? {});
      };
      const { 'application/json': json, ...others } = toContent('200');
      if (json !== undefined) assert.deepEqual(others, {}, path);
      if (json !== undefined && '202' in (get?.responses ?? {})) {
        assert.deepEqual(toContent('202')['application/json'], json, path);
      }
    }
  });

  it('shows the default and the range of a parameter where an endpoint has it', async () => {
    const { paths, components } = await description();
    const toLimit = (path: string): unknown => {
      const resolved = paths[`${account}${path}`]?.['get']?.parameters?.map((parameter) =>
        '$ref' in parameter ? components.parameters[parameter.$ref.split('/').at(-1) ?? ''] : parameter,
      );
      return resolved?.find((parameter) => parameter?.name === 'limit')?.schema;
    };
    const range = { type: 'integer', minimum: 1, maximum: 100 };
    assert.deepEqual(toLimit('/contributors'), { ...range, default: 30 });
    assert.deepEqual(toLimit('/contributions'), { ...range, default: 1 });
    assert.equal(toLimit('/settings'), undefined);
  });

  // The shared service fails at its end if a response differs from its description.
  it('covers responses about known, unknown and misspelled accounts', async () => {
    const { user, organization } = shared.simulator.accounts;
    const { connection } = shared.service.database;
    await storeAbsent(connection, ['nobody-at-all']);
    await storeAbsentRepositories(connection, user, ['no-such']);
    const cases: [string, number][] = [
      [user, 200],
      [organization, 200],
      ['nobody-at-all', 404],
      ['nobody-yet?format=json', 202],
      ['nobody-yet/contributions?format=svg', 200],
      [`${user}?limit=0`, 400],
      [`${user}/contributions?limit=5`, 200],
      [`${user}/contributions?format=png`, 200],
      [`${user}/contributors?limit=1`, 200],
      [`${user}/contributors?repository=no-such`, 404],
      [`${user}/badges/community`, 200],
      [`${user}/achievements`, 200],
      ['/healthz', 200],
      ['/readyz', 200],
      ['/v1/issuer', 200],
      ['/nowhere', 404],
    ];
    for (const [address, expected] of cases) {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await shared.service.get(address, { method });
        assert.equal(status, expected, `${method} ${address}`);
        const etag = headers.get('etag');
        if (etag === null) continue;
        const repeated = await shared.service.get(address, { method, headers: { 'if-none-match': etag } });
        assert.equal(repeated.status, 304, `${method} ${address}`);
      }
      if (address !== user)
        assert.ok([404, 405].includes((await shared.service.get(address, { method: 'PATCH' })).status));
    }
  });

  it('covers responses to owners', async () => {
    const token = await serviceToken(shared.service, shared.simulator, keeper);
    const embed = { path: `/v1/github/entities/${keeper.name}/contributions`, format: 'svg' };
    const key = ed25519().publicKey.export({ format: 'jwk' });
    const own = shared.simulator.tokens.private_owner;
    const cases: [string, RequestInit, number][] = [
      ['token', bearer(own), 200],
      ['token', bearer('ghp_wrong'), 401],
      ['repositories', bearer(token), 200],
      ['repositories', {}, 401],
      ['repositories/diary/contributors', bearer(token), 200],
      ['keys', jsonRequest('PUT', own, { data: { key } }), 200],
      ['keys', jsonRequest('PUT', own, { data: {} }), 400],
      ['keys', bearer(token), 200],
      ['settings', bearer(token), 200],
      ['settings', jsonRequest('PUT', token, { hidden: false }), 200],
      ['embeds', jsonRequest('POST', token, embed), 201],
      ['embeds', bearer(token), 200],
      ['audit', bearer(token), 200],
      ['status', bearer(token), 200],
      ['status', {}, 401],
      ['export', bearer(token), 200],
      ['webhook-secrets', jsonRequest('PUT', token, { url: 'https://receiver.test/' }), 200],
      ['webhook-secrets', bearer(token), 200],
      ['notifications', bearer(token), 200],
      ['notifications/0198c0de-7b1e-7cc3-9d5a-3f2b1c0a9e8d/retry', jsonRequest('POST', token), 404],
    ];
    for (const [path, init, expected] of cases) {
      const { status, text } = await shared.service.get(`${keeper.name}/${path}`, init);
      assert.equal(status, expected, `${init.method ?? 'GET'} ${path}: ${text}`);
    }
    const { text } = await shared.service.get(`${keeper.name}/embeds`, jsonRequest('POST', token, embed));
    const { data } = JSON.parse(text) as { data: { url: string } };
    assert.equal((await shared.service.get(new URL(data.url).pathname)).status, 200);
  });
});
