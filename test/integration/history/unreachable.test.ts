import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { fetchHistory } from '../../../src/history/fetch-history.ts';
import { createAuthority, startTlsServer } from '../../tls-server.ts';

describe('hosts that git cannot reach', () => {
  it('fail with the reason: a certificate, a name, or no connection', async () => {
    await using directory = await makeTemporaryDirectory();
    const authority = await createAuthority(directory.path);
    await using server = await startTlsServer(authority, 'http://127.0.0.1:9');
    for (const [url, expected] of [
      [`${server.url}/a/b.git`, /certificate.*CA_FILE/],
      ['https://plaudit.invalid/a/b.git', /resolve/],
      ['http://127.0.0.1:1/a/b.git', /no connection/],
    ] as const) {
      const fetched = fetchHistory({ url }, directory.pathOf('copy'), {
        signal: AbortSignal.timeout(60_000),
        timeoutMs: 60_000,
        maxBytes: 1_000_000,
        now: () => new Date(),
      });
      await assert.rejects(fetched, { code: 'provider_unavailable', message: expected }, url);
    }
  });
});
