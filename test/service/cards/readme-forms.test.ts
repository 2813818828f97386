import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { jsonRequest, keeper } from '../../integration/access/owner.ts';
import { storeAbsentRepositories } from '../../integration/http/stored-world.ts';
import { award } from '../achievements/award.ts';
import { shareStoredService, startStoredService } from '../http/stored-service.ts';

describe('addresses in public READMEs and programs', () => {
  const shared = shareStoredService({ service: { tokens: ['private_owner'] } });

  it('show the contributors to a public repository without a token, and JSON only where the operator permits it', async () => {
    const { simulator, service } = shared;
    const { organization } = simulator.accounts;
    const path = `${organization}/repositories/engine-1/contributors`;
    await service.getComplete(`${organization}/contributors?repository=engine-1`);

    const image = await service.get(`${path}?format=svg&limit=54`);
    assert.deepEqual([image.status, image.headers.get('x-error-code')], [200, null]);
    assert.match(image.text, /^<svg /);
    assert.equal((await service.get(`${path}?limit=100`)).status, 401);

    const settings = { ANONYMOUS_REPOSITORY_CONTRIBUTORS: 'all' };
    await using open = await startStoredService({ simulator, databaseUrl: service.databaseUrl, settings });
    const json = await open.get(`${path}?limit=100`);
    assert.equal(json.status, 200);
    assert.ok(json.body.data.length > 0);
    assert.equal(json.body.meta_data.includes_private, false);

    const closing = { ANONYMOUS_REPOSITORY_CONTRIBUTORS: 'off' };
    await using closed = await startStoredService({ simulator, databaseUrl: service.databaseUrl, settings: closing });
    assert.equal((await closed.get(`${path}?format=svg&limit=54`)).headers.get('x-error-code'), '4');
    assert.equal((await closed.get(path)).status, 401);
  });

  it('show the same bytes for a private and an absent repository', async () => {
    const { service } = shared;
    const names = ['diary', 'no-such-repository'];
    await storeAbsentRepositories(service.database.connection, keeper.name, names);
    const images = [];
    for (const name of names) {
      const { status, headers, text } = await service.get(
        `${keeper.name}/repositories/${name}/contributors?format=svg`,
      );
      images.push([status, headers.get('x-error-code'), headers.get('cache-control'), text]);
    }
    assert.deepEqual(images[0], images[1]);
    assert.deepEqual(images[0]?.slice(0, 2), [200, '2']);
  });

  it('are read as they were written for the incumbent', async () => {
    const { simulator, service } = shared;
    const { user } = simulator.accounts;
    const plain = await service.get(`${user}/contributions?format=svg`);
    for (const path of [
      `/v1/GitHub/entities/${user}/contributions?format=svg`,
      `${user}/contributions?format=SVG`,
      `${user}/contributions?format=svg,private=true`,
      `${user}/contributions?format=svg&cache=20241106&theme=auto&_=3`,
      `${user}/contributions?format=svg&locale=en-US`,
    ]) {
      assert.equal((await service.get(path)).text, plain.text, path);
    }
    const coloured = await service.get(`${user}/contributions?format=svg&accent_color=ff0000`);
    assert.equal((await service.get(`${user}/contributions?format=svg&accent_color=%23ff0000`)).text, coloured.text);
    const portuguese = await service.get(`${user}/contributions?format=svg&locale=pt`);
    assert.equal((await service.get(`${user}/contributions?format=svg&locale=pt-BR`)).text, portuguese.text);
    assert.notEqual(portuguese.text, plain.text);
  });

  it('show one award by its id', async () => {
    const { simulator, service } = shared;
    const { user } = simulator.accounts;
    await award(service, 'Gold', { repository: 'engine-1', icon: '' });
    const { body } = await service.get(`${user}/achievements`);
    const path = `${user}/achievements/${String(body.data[0]?.['id'])}`;

    assert.deepEqual((await service.get(path)).body.data, body.data.slice(0, 1));
    const raw = await service.get(`${path}?format=svg&style=raw`);
    assert.equal(raw.headers.get('x-error-code'), null);
    assert.match(raw.text, /^<svg [^>]*width="44"/);
    assert.equal((await service.get(`${path}?format=svg&raw=true`)).text, raw.text);
    const absent = await service.get(`${user}/achievements/00000000-0000-4000-8000-000000000000?format=svg`);
    assert.deepEqual([absent.status, absent.headers.get('x-error-code')], [200, '2']);
  });

  it('take a body of JSON under any content type, and name the part that is wrong', async () => {
    const { simulator, service } = shared;
    const { authorization = '' } = Object(jsonRequest('PUT', simulator.tokens.private_owner).headers);
    const put = async (body: string, headers: Record<string, string> = {}) => {
      // A Blob without a type is sent without a content type.
      const init = { method: 'PUT', headers: { authorization, ...headers }, body: new Blob([body]) };
      return (await service.get(`${keeper.name}/keys`, init)).body.error?.message;
    };

    assert.match(String(await put('{"data":{"key":"no key"}}')), /key/i);
    assert.equal(await put('{"data":{}}'), 'The body must have data.key.');
    assert.equal(
      await put('data=1', { 'content-type': 'application/x-www-form-urlencoded' }),
      'The body must be JSON.',
    );
  });
});
