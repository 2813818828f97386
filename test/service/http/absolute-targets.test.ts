import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { send } from '../../e2e/raw-request.ts';
import { engines } from '../../integration/access/owner.ts';
import { startStoredService } from './stored-service.ts';

describe('routing of requests with an absolute URL as target', () => {
  it('sends the response of the path, with links that lead to the service', async () => {
    await using service = await startStoredService({ holdsWorld: true });
    const path = `/v1/github/entities/${engines.name}/contributors?limit=1`;
    const absolute = await send(service, `http://elsewhere.example:1${path}&x=1`);
    assert.equal(absolute.status, 200, absolute.body);
    const link = String(absolute.headers['link']);
    assert.ok(link.startsWith(`<${service.url}/v1/`), link);
    assert.equal((await send(service, 'http://elsewhere.example/nowhere')).status, 404);
    for (const start of ['http://elsewhere.example', 'HTTP://elsewhere.example?limit=1']) {
      assert.match((await send(service, start)).body, /^<!doctype html>/);
    }
  });
});
