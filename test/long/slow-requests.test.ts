import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { shareStoredService } from '../service/http/stored-service.ts';

describe('requests that do not arrive', () => {
  const shared = shareStoredService({ service: {} });

  for (const [part, sent] of [
    ['headers', 'GET /healthz HTTP/1.1\r\nhost: plaudit.test\r\n'],
    [
      'body',
      'PUT /v1/github/entities/ada/settings HTTP/1.1\r\nhost: plaudit.test\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    ],
  ]) {
    it(`get status 408 in the documented shape when they stop within the ${part}`, async () => {
      const { hostname, port } = new URL(shared.service.url);
      const socket = connect({ host: hostname, port: Number(port) });
      socket.write(sent ?? '');
      const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
      assert.match(head, /^HTTP\/1\.1 408 Request Timeout\r\n/);
      const { error } = JSON.parse(body) as { error: { code: number; type: string } };
      assert.deepEqual([error.code, error.type], [0, 'too_slow']);
    });
  }

  it('are described for every operation', async () => {
    const { paths } = JSON.parse((await shared.service.get('/openapi.json')).text) as {
      paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
    };
    const operations = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { responses }]) => ({ operation: `${method} ${path}`, responses })),
    );
    assert.deepEqual(
      operations.filter(({ responses }) => !('408' in responses)),
      [],
    );
  });
});
