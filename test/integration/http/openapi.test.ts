import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { ed25519 } from '../access/forging.ts';
import { bearer, keeper, sending, serviceToken } from '../access/owner.ts';
import { shareStoredService } from './stored-service.ts';
import { storeAbsent, storeAbsentRepositories } from './stored-world.ts';

interface Description {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
}

interface Operation {
  parameters?: { name: string; in: string }[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
  security?: object[];
}

const account = '/v1/{provider}/entities/{name}';

describe('the OpenAPI description', () => {
  const shared = shareStoredService();

  it('sends responses that match its OpenAPI 3.1 description', async () => {
    const description = JSON.parse((await shared.service.get('/openapi.json')).text) as Description;
    assert.match(description.openapi, /^3\.1\./);
    const parameters = (path: string): string[] =>
      (description.paths[path]?.['get']?.parameters ?? []).map(({ name }) => name).toSorted();
    assert.deepEqual(parameters(account), ['after', 'before', 'format', 'limit', 'name', 'provider']);
    assert.ok(parameters(`${account}/contributions`).includes('private'));
    assert.ok(['bots', 'repository'].every((name) => parameters(`${account}/contributors`).includes(name)));

    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const { user, organization } = shared.simulator.accounts;
    const { connection } = shared.service.database;
    await storeAbsent(connection, ['nobody-at-all']);
    await storeAbsentRepositories(connection, user, ['no-such']);
    const cases: [string, string][] = [
      [account, user],
      [account, organization],
      [account, 'nobody-at-all'],
      [account, `${user}?limit=0`],
      [`${account}/contributions`, `${user}/contributions?limit=5`],
      [`${account}/contributors`, `${user}/contributors?limit=3`],
      [`${account}/contributors`, `${user}/contributors?repository=no-such`],
      ['/healthz', '/healthz'],
      ['/readyz', '/readyz'],
    ];
    for (const [path, address] of cases) {
      const { status, body } = await shared.service.get(address);
      const schema = description.paths[path]?.['get']?.responses[status]?.content?.['application/json']?.schema;
      assert.ok(schema, `${path} ${status} is described`);
      const validate = ajv.compile(schema);
      assert.ok(validate(body), `${address}: ${ajv.errorsText(validate.errors)}`);
    }
  });

  it('describes private endpoints with their credential, and sends responses that match', async () => {
    const description = JSON.parse((await shared.service.get('/openapi.json')).text) as Description;
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const token = await serviceToken(shared.service, shared.simulator, keeper);
    const embed = { path: `/v1/github/entities/${keeper.name}/contributions`, format: 'svg' };
    const key = ed25519().publicKey.export({ format: 'jwk' });
    const own = shared.simulator.tokens.private_owner;
    const cases: [string, string, RequestInit][] = [
      ['get', '/token', bearer(own)],
      ['get', '/token', bearer('ghp_wrong')],
      ['get', '/repositories', bearer(token)],
      ['get', '/repositories', {}],
      ['get', '/repositories/{repository}/contributors', bearer(token)],
      ['put', '/keys', sending('PUT', own, { data: { key } })],
      ['put', '/keys', sending('PUT', own, { data: {} })],
      ['get', '/keys', bearer(token)],
      ['get', '/settings', bearer(token)],
      ['put', '/settings', sending('PUT', token, { hidden: false })],
      ['post', '/embeds', sending('POST', token, embed)],
      ['get', '/embeds', bearer(token)],
      ['get', '/audit', bearer(token)],
      ['get', '/status', bearer(token)],
      ['get', '/status', {}],
    ];
    for (const [method, path, init] of cases) {
      const operation = description.paths[`${account}${path}`]?.[method];
      assert.ok(operation?.security?.length, `${method} ${path} names its credential`);
      const { status, body } = await shared.service.get(`${keeper.name}${path.replace('{repository}', 'diary')}`, init);
      const schema = operation.responses[status]?.content?.['application/json']?.schema;
      assert.ok(schema, `${method} ${path} ${status} is described`);
      const validate = ajv.compile(schema);
      assert.ok(validate(body), `${path}: ${ajv.errorsText(validate.errors)}`);
    }
  });

  it('serves its documentation pages without files from other hosts', async () => {
    const { status, text } = await shared.service.get('/docs');
    assert.equal(status, 200);
    const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link ?? '');
    assert.ok(links.length > 2);
    for (const link of links) {
      assert.doesNotMatch(link, /^(https?:)?\/\//);
      const { pathname } = new URL(link, `${shared.service.url}/docs/`);
      assert.equal((await shared.service.get(pathname)).status, 200, pathname);
    }
  });
});
