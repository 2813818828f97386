import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send } from '../../e2e/raw-request.ts';
import { engines } from '../../integration/access/owner.ts';
import { shareStoredService } from './stored-service.ts';

const account = `/v1/github/entities/${engines.name}`;

describe('addresses with superfluous parts', () => {
  const shared = shareStoredService();
  const findLocation = async (path: string): Promise<unknown[]> => {
    const { status, headers } = await send(shared.service, path);
    return [status, headers['location']];
  };

  it('are redirected to the address without a doubled or last slash', async () => {
    for (const [path, meant] of [
      [`${account}/contributions/?format=svg`, `${account}/contributions?format=svg`],
      [`${account}/contributions///?format=svg`, `${account}/contributions?format=svg`],
      [`/${account}/contributions?format=svg`, `${account}/contributions?format=svg`],
      [`${account}/achievements/`, `${account}/achievements`],
      [`${account}/`, account],
      [`/v1//github/entities/${engines.name}`, account],
      [`/v1/github/entities//${engines.name}/contributors`, `${account}/contributors`],
      [`/github/${engines.name}/?lang=de`, `/github/${engines.name}?lang=de`],
      ['//docs/moving/', '/docs/moving'],
      ['/docs/', '/docs'],
      ['//', '/'],
    ]) {
      assert.deepEqual(await findLocation(path ?? ''), [301, meant], path);
    }
  });

  it('are not found where a name is missing, or where nothing is without the slashes', async () => {
    for (const path of [
      '/v1/github/entities//contributions',
      '/v1/github/entities//contributions?format=svg',
      '/v1/github/entities/',
      `${account}/repositories//contributors`,
      `/github//${engines.name}`,
      '//evil.example/',
      '//evil.example/%2e%2e',
      '/\\evil.example/',
    ]) {
      const { status, headers } = await send(shared.service, path, 'GET');
      assert.equal(headers['location'], undefined, path);
      assert.ok(status === 404 || headers['x-error-code'] === '2', `${path}: ${status}`);
    }
    for (const [method, path] of [
      ['DELETE', `${account}/`],
      ['DELETE', `${account}/embeds/`],
      ['PUT', `/${account}/settings`],
    ] as const) {
      assert.equal((await send(shared.service, path, method)).status, 404, `${method} ${path}`);
    }
  });

  it('keep the methods of an address with a last slash', async () => {
    const { status, headers } = await send(shared.service, '/docs/', 'PATCH');
    assert.deepEqual([status, headers['allow']], [405, 'GET, HEAD']);
  });

  it('show the same image where a parameter is repeated with its value', async () => {
    const { service } = shared;
    const plain = await service.get(`${account}/contributions?format=svg&theme=nord`);
    for (const query of ['format=svg&format=svg&theme=nord', 'format=svg&theme=nord&theme=nord&v=1&v=2']) {
      assert.equal((await service.get(`${account}/contributions?${query}`)).text, plain.text, query);
    }
    const badge = await service.get(`${account}/badges/community?theme=dark&theme=dark`);
    assert.deepEqual([badge.status, badge.headers.get('x-error-code')], [200, null]);
  });

  it('show an image of the error where a parameter is repeated with another value', async () => {
    for (const query of ['format=svg&limit=2&limit=3', 'format=svg&format=json&theme=a&theme=b']) {
      const { status, headers, text } = await shared.service.get(`${account}/contributions?${query}`);
      assert.deepEqual([status, headers.get('x-error-code')], [200, '3'], query);
      assert.match(text, /^<svg /);
    }
  });
});

describe('addresses of the service that is replaced', () => {
  const shared = shareStoredService();

  it('lead to the pages and endpoints that replace them', async () => {
    for (const [path, meant] of [
      ['/board/octo', '/github/octo'],
      ['/board/octo/?lang=de', '/board/octo?lang=de'],
      ['/board/octo?lang=de', '/github/octo?lang=de'],
      ['/board/octo/achievements', '/github/octo#achievements'],
      ['/board/octo/repository/engine', '/github/octo/engine'],
      ['/board/octo/repository/engine/contributors', '/github/octo/engine'],
      ['/board/octo/contributors', '/github/octo'],
      ['/board/%2F%2Fevil.example', '/github/::evil.example'],
      ['/entities/octo', '/v1/github/entities/octo'],
      [
        '/entities/octo/contributions?format=svg&private=true',
        '/v1/github/entities/octo/contributions?format=svg&private=true',
      ],
      ['/entities/a%2Fb/badges/community', '/v1/github/entities/a%2Fb/badges/community'],
    ]) {
      const { status, headers } = await send(shared.service, path ?? '');
      assert.deepEqual([status, headers['location']], [301, meant], path);
    }
  });
});
