import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../any-character.ts';
import { isThorough } from '../../depth.ts';
import { assertProblem, send, sendBytes } from '../../e2e/raw-request.ts';
import { shareStoredService } from './stored-service.ts';

const user = '/v1/github/entities/ada-lovelace';

describe('invalid requests', () => {
  // Names that are not stored are pending at once: no worker looks them up.
  const shared = shareStoredService({ service: { settings: { LOOKUP_BUDGET_MS: '100' } } });

  it('responds to each wrong parameter with a 400 that names it, and starts and stores nothing', async () => {
    const stored = async (): Promise<unknown> => {
      const tables = ['accounts', 'lookups', 'graphile_worker.jobs'];
      const query = `select ${tables.map((table) => `(select count(*) from ${table})`).join(', ')}`;
      return (await shared.service.database.pool.query(query)).rows;
    };
    const untouched = await stored();
    const wrong: Record<string, string[]> = {
      limit: [
        '0',
        '101',
        '-1',
        '1.5',
        'ten',
        '',
        '1e1',
        '%00',
        '1&limit=2',
        '99999999999999999999',
        '0x10',
        '%201',
        '%EF%BC%91',
      ],
      after: ['nonsense', '', '%00', 'a'.repeat(5000), 'bm9uc2Vuc2U', 'a&after=b'],
      before: ['nonsense', '', '..%2f'],
      format: ['svgs', 'xml', '', 'JSONL', 'json&format=json'],
    };
    const own: Record<string, Record<string, string[]>> = {
      '': {},
      '/contributions': { private: ['yes', '1', '', 'TRUE', 'true&private=true'] },
      '/contributors': {
        bots: ['no', '0', '', 'False', 'true&bots=false'],
        repository: ['', 'a&repository=b', 'r'.repeat(300)],
      },
    };
    for (const [endpoint, parameters] of Object.entries(own)) {
      for (const [name, values] of Object.entries({ ...wrong, ...parameters })) {
        for (const value of values) {
          const response = await send(shared.service, `${user}${endpoint}?${name}=${value}`);
          assert.equal(response.status, 400, `${endpoint} ${name}=${value.slice(0, 50)}: ${response.body}`);
          assertProblem(response, `${endpoint} ${name}`);
          const { error } = JSON.parse(response.body) as { error: { code: number; message: string } };
          assert.equal(error.code, 3);
          assert.ok(error.message.includes(name), `${name}: ${error.message}`);
        }
      }
      assert.equal((await send(shared.service, `${user}${endpoint}?after=a&before=b`)).status, 400);
    }
    assert.deepEqual(await stored(), untouched);
  });

  it('names the methods of an address in the Allow header, and reports an address without methods as not found', async () => {
    for (const [path, allow] of [
      [`${user}?limit=1`, 'DELETE, GET, HEAD'],
      [`${user}/settings`, 'GET, HEAD, PUT'],
      [`${user}/embeds/x`, 'DELETE, PUT'],
      ['/docs/', 'GET, HEAD'],
      ['/docs/start', 'GET, HEAD'],
      [`${user}/nonsense`, undefined],
    ] as const) {
      for (const method of ['PATCH', 'TRACE', 'PROPFIND']) {
        const { status, headers } = await send(shared.service, path, method);
        assert.deepEqual([status, headers['allow']], [allow === undefined ? 404 : 405, allow], `${method} ${path}`);
      }
    }
  });

  it('ignores unknown parameters, because clients add them to avoid caches', async () => {
    for (const query of ['v=2', 'v=2&v=3', '%ff=1', 'limits=0', 'a[b]=c', '&&&', '=', '__proto__=1', 'constructor=1']) {
      assert.equal((await send(shared.service, `${user}?${query}`)).status, 200, query);
    }
  });

  it('responds as documented to wrong methods, bodies, credentials, paths and headers', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const path of [user, `${user}/contributions`, `${user}/contributors`, '/healthz', '/openapi.json']) {
        // An owner erases an account by this request.
        if (method === 'DELETE' && path === user) continue;
        const response = await send(shared.service, path, method);
        assert.equal(response.status, 405, `${method} ${path}`);
        assert.match(String(response.headers['allow']), /GET/);
        assertProblem(response, method);
        assert.equal(JSON.parse(response.body).error.code, 8);
      }
    }
    const withBody = await send(
      shared.service,
      user,
      'GET',
      { 'content-type': 'application/json', 'content-length': '2' },
      '{}',
    );
    assert.equal(withBody.status, 400);
    assertProblem(withBody, 'body');
    for (const authorization of ['Bearer x', 'Basic eDp5', 'nonsense', `Bearer ${'x'.repeat(4000)}`]) {
      const refused = await send(shared.service, user, 'GET', { authorization });
      assert.equal(refused.status, 401, authorization);
      assert.match(String(refused.headers['www-authenticate']), /^Bearer/);
      assertProblem(refused, authorization);
      assert.doesNotMatch(refused.body, /nonsense|xxxx/);
    }
    for (const path of [
      '/nowhere',
      '/v1',
      '/v2/github/entities/a',
      '/v1/github',
      '/v1/github/entities',
      `${user}/nonsense`,
      '/v1/github/entities/',
      '/v1/nobody/entities/a',
      '/v1/github/entities/../../etc/passwd',
      '/v1/github/entities/%2e%2e%2fetc',
      '/v1/github/entities/%',
      '/v1/github/entities/%ff',
      '/v1/github/entities/%00',
      `/v1/github/entities/${'a'.repeat(6000)}`,
      '/v1/%00/entities/a',
    ]) {
      const response = await send(shared.service, path);
      assert.ok([400, 404, 414].includes(response.status), `${path.slice(0, 60)} ${response.status}`);
      assertProblem(response, path.slice(0, 60));
    }
    const huge = await send(shared.service, user, 'GET', { 'x-huge': 'x'.repeat(60_000) }).catch(() => undefined);
    assert.ok(huge === undefined || huge.status === 431);
    assert.equal((await send(shared.service, user)).status, 200);
  });

  it('responds to any request as documented, without a 500 and without hanging', async () => {
    const junk = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 60 }),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.constantFrom(
        '..',
        '.',
        '%',
        '%00',
        '%2F',
        '~',
        '',
        '\\',
        "' or 1=1 --",
        '${x}',
        '\u202e',
        '\ufeff',
        'null',
        'NaN',
      ),
    );
    const encoded = fc.tuple(junk, fc.boolean()).map(([text, isRaw]) => {
      const safe = encodeURIComponent(text.toWellFormed());
      return isRaw ? text.replace(/[^\x21-\x7e]|[#?/\\]/g, '') : safe;
    });
    const parameter = fc.tuple(
      fc.oneof(fc.constantFrom('limit', 'after', 'before', 'format', 'private', 'bots', 'repository'), encoded),
      encoded,
    );
    const path = fc
      .tuple(
        fc.oneof(fc.constant('github'), encoded),
        fc.oneof(fc.constantFrom('ada-lovelace', 'nobody-at-all'), encoded),
        fc.constantFrom('', '/contributions', '/contributors'),
        fc.array(parameter, { maxLength: 4 }),
      )
      .map(([provider, name, endpoint, parameters]) => {
        const query = parameters.map(([key, value]) => `${key}=${value}`).join('&');
        return `/v1/${provider}/entities/${name}${endpoint}?${query}`;
      });
    await fc.assert(
      fc.asyncProperty(path, fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE'), async (address, method) => {
        const response = await send(shared.service, address, method);
        if (response.status < 400) return;
        assert.ok(response.status < 500, `${method} ${address}: ${response.status} ${response.body}`);
        if (method !== 'HEAD') assertProblem(response, address);
      }),
      { numRuns: isThorough ? 600 : 150, seed: 1 },
    );
  });

  it('responds with 400 to a changed cursor and to the cursor of another listing', async () => {
    const { body } = await shared.service.get('ada-lovelace/contributors?limit=2');
    const cursor = body.next_cursor ?? assert.fail();
    assert.equal((await shared.service.get(`ada-lovelace/contributors?limit=2&after=${cursor}`)).status, 200);
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const changed = fc
      .tuple(
        fc.nat({ max: cursor.length - 1 }),
        fc.constantFrom(...letters.split('')),
        fc.constantFrom('replace', 'cut', 'insert'),
      )
      .map(([at, letter, change]) => {
        if (change === 'cut') return cursor.slice(0, at);
        return `${cursor.slice(0, at)}${letter}${cursor.slice(change === 'replace' ? at + 1 : at)}`;
      })
      .filter((text) => text !== cursor);
    await fc.assert(
      fc.asyncProperty(changed, async (text) => {
        const response = await shared.service.get(`ada-lovelace/contributors?limit=2&after=${text}`);
        assert.equal(response.status, 400, text);
        assert.equal(response.body.error?.code, 3);
      }),
      { numRuns: isThorough ? 200 : 50, seed: 1 },
    );
    // The cursor of one listing is invalid in any other listing.
    for (const path of ['ada-lovelace/contributions', 'grace-hopper/contributors', 'ada-lovelace']) {
      await shared.service.get(path);
      assert.equal((await shared.service.get(`${path}?after=${cursor}`)).status, 400, path);
    }
  });

  it('refuses bytes that are not HTTP, and still serves other clients', async () => {
    const head = `GET ${user} HTTP/1.1\r\nHost: a\r\n`;
    const post = 'POST /v1/credentials/verify HTTP/1.1\r\nHost: a\r\n';
    const refused: [bytes: string, status: number][] = [
      ['\0\0\0\0\r\n\r\n', 400],
      ['GET\r\n\r\n', 400],
      ['GET / HTTP/9.9\r\n\r\n', 400],
      ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
      [`${head}Content-Length: x\r\n\r\n`, 400],
      [`${head}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nabcde`, 400],
      [`GET ${user} HTTP/1.1\r\n\r\n`, 400],
      ['CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n', 405],
      [`${post}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(20_000)}\r\na\r\n0\r\n\r\n`, 413],
      [`${head}Expect: the-best\r\n\r\n`, 417],
      [`${post}Expect: the-best\r\nContent-Length: 2\r\n\r\n{}`, 417],
      [`${head}Cookie: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ];
    for (const [bytes, status] of refused) {
      const title = JSON.stringify(bytes.slice(0, 90));
      assertProblem(await sendBytes(shared.service.url, bytes), title);
      assert.equal((await sendBytes(shared.service.url, bytes)).status, status, title);
    }
    assert.equal((await send(shared.service, user)).status, 200);
  });
});
