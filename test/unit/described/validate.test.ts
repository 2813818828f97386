import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Description, type SentResponse } from '../../described/validate.ts';

const json = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } };

const description = new Description({
  paths: {
    '/things/{name}': {
      get: {
        responses: {
          200: { headers: { ETag: { required: true, schema: { type: 'string' } } }, content: json },
          304: {},
          404: { $ref: '#/components/responses/NotFound' },
          405: { $ref: '#/components/responses/MethodNotAllowed' },
        },
      },
    },
    '/things/first': { get: { responses: { 204: {} } } },
  },
  components: {
    parameters: {},
    responses: {
      NotFound: { content: json },
      MethodNotAllowed: { headers: { Allow: { $ref: '#/components/headers/Allow' } } },
    },
    headers: { Allow: { required: true, schema: { type: 'integer', minimum: 1 } } },
    schemas: { Thing: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } },
  },
});

const good: SentResponse = {
  method: 'GET',
  url: '/things/second?limit=1',
  status: 200,
  headers: { etag: '"x"', date: 'now', 'content-type': 'application/json; charset=utf-8' },
  body: Buffer.from('{"id":1}'),
};

const listFaults = (changes: Partial<SentResponse>): string[] => description.faultsOf({ ...good, ...changes });

describe('responses and their description', () => {
  it('agree where status, headers, content type and body are described', () => {
    assert.deepEqual(listFaults({}), []);
    const compressed = { headers: { ...good.headers, 'content-encoding': 'gzip' }, body: gzipSync(good.body) };
    assert.deepEqual(listFaults(compressed), ['GET /things/second 200: the header content-encoding is not described']);
    const empty = { headers: {}, body: Buffer.alloc(0) };
    assert.deepEqual(listFaults({ ...empty, status: 304 }), []);
    assert.deepEqual(listFaults({ ...empty, status: 204, url: 'http://host/things/first' }), []);
    const { etag: _, ...headers } = good.headers;
    assert.deepEqual(listFaults({ headers, status: 404, url: '/nowhere' }), []);
    assert.deepEqual(listFaults({ ...empty, headers: { allow: '3' }, status: 405, method: 'PUT' }), []);
  });

  it('disagree where a status, header or content type is not described', () => {
    for (const [changes, fault] of [
      [{ status: 500 }, 'GET /things/second 500: the status is not described'],
      [{ url: '/things/first' }, 'GET /things/first 200: the status is not described'],
      [{ url: '/nowhere' }, 'GET /nowhere 200: the status is not described'],
      [{ method: 'PUT' }, 'PUT /things/second 200: the status is not described'],
      [{ headers: { ...good.headers, 'x-more': '1' } }, 'GET /things/second 200: the header x-more is not described'],
      [
        { headers: { ...good.headers, 'content-type': 'text/html' } },
        'GET /things/second 200: the content type "text/html" is not described',
      ],
      [{ status: 405, method: 'PUT', headers: { allow: '0' }, body: Buffer.alloc(0) }, 'data must be >= 1'],
    ] as const) {
      const [found = '', ...others] = listFaults(changes);
      assert.ok(found.includes(fault) && others.length === 0, `${found} ${others.join()}`);
    }
  });

  it('disagree where a header is absent, or a body contradicts its schema', () => {
    const { etag: _, ...headers } = good.headers;
    assert.deepEqual(listFaults({ headers }), ['GET /things/second 200: lacks the header etag']);
    for (const body of ['{}', '{"id":"1"}', '{"id":1,"more":2}', '[]']) {
      assert.equal(listFaults({ body: Buffer.from(body) }).length, 1, body);
    }
  });
});
