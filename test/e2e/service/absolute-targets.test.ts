import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { engines } from '../../integration/access/owner.ts';
import { send } from '../raw-request.ts';
import { startTestService } from '../service.ts';

describe('routing of requests with an absolute URL as target', () => {
  it('sends the response of the path, with links that lead to the service', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startTestService({ simulator });
    const path = `/v1/github/entities/${engines.name}/contributors?limit=1`;
    await service.getComplete(path);
    const absolute = await send(service, `http://elsewhere.example:1${path}&x=1`);
    assert.equal(absolute.status, 200, absolute.body);
    const link = String(absolute.headers['link']);
    assert.ok(link.startsWith(`<${service.url}/v1/`), link);
    assert.equal((await send(service, 'http://elsewhere.example')).status, 404);
    assert.equal((await send(service, 'HTTP://elsewhere.example?limit=1')).status, 404);
  });
});
