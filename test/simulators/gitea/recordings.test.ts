import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { recordedDeliveries, recordedSecret, recordings } from '../../../simulators/gitea/recordings.ts';
import { startReplay } from '../../../simulators/gitea/replay.ts';
import { checkRequest, checkResponse } from '../../../simulators/gitea/swagger.ts';

describe('recorded responses of Gitea', () => {
  it('accepts the recorded responses by the API description that checks simulated responses', () => {
    let checked = 0;
    for (const { path, status, body, name } of recordings) {
      if (path.startsWith('/@') || status !== 200) continue;
      const { pathname, searchParams } = new URL(path, 'http://forge.example');
      try {
        checkResponse(checkRequest('GET', pathname, searchParams).path, body);
      } catch (error) {
        assert.fail(`${name}: ${String(error)}`);
      }
      checked += 1;
    }
    assert.ok(checked > 80, `${checked} answers`);
  });

  it('refuses a request that the API description lacks', () => {
    assert.equal(read('/repos/acme/handbook/issues', 'type=pulls&limit=50').path, '/repos/{owner}/{repo}/issues');
    assert.throws(() => read('/repos/acme/handbook/contributors'), /not in Gitea's description/);
    assert.throws(() => read('/repos/acme/handbook/issues', 'type=pull_requests'), /type cannot be/);
    assert.throws(() => read('/repos/acme/handbook/issues', 'sort=updated'), /no parameter sort/);
    assert.throws(() => read('/repos/acme/handbook/pulls/one'), /index/);
    assert.throws(() => checkRequest('DELETE', '/repos/acme/handbook', new URLSearchParams()), /not in Gitea/);
    assert.throws(() => checkResponse('/users/{username}', { id: 'one' }), /\/id/);
    const comments = '/repos/acme/handbook/issues/1/comments';
    assert.deepEqual(write(comments, { body: 'Hello' }).body, { body: 'Hello' });
    assert.throws(() => write(comments, { text: 'Hello' }), /takes no text/);
    assert.throws(() => write(comments, {}), /must have required property 'body'/);
    assert.throws(() => write('/repos/acme/handbook/issues', { title: 'Hello' }), /not in Gitea/);
  });

  it('contains deliveries with signatures that match their bytes', () => {
    assert.equal(recordedDeliveries.length, 60);
    for (const { name, headers, body } of recordedDeliveries) {
      const signature = createHmac('sha256', recordedSecret).update(body).digest('hex');
      assert.equal(headers['x-gitea-signature'], signature, name);
      assert.equal(headers['x-hub-signature-256'], `sha256=${signature}`, name);
    }
  });

  it('fails requests that were not recorded, and reports them at the end of a replay', async () => {
    const replay = await startReplay();
    assert.equal((await fetch(`${replay.apiUrl}/users/alice`)).status, 200);
    assert.equal(
      (await fetch(`${replay.apiUrl}/users/alice`, { headers: { authorization: 'token token-of-alice-readonly' } }))
        .status,
      418,
    );
    await assert.rejects(async () => replay[Symbol.asyncDispose](), /alice-readonly \/users\/alice/);
  });
});

const read = (path: string, query = '') => checkRequest('GET', path, new URLSearchParams(query));
const write = (path: string, body: object) => checkRequest('POST', path, new URLSearchParams(), body);
