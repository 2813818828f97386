import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { fetchHistory } from '../../../src/hosts/history/fetch-history.ts';
import { startLostHost, startMuteHost } from '../../silent-host.ts';
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

  for (const [kind, start, scheme] of [
    ['says nothing after the connection', startMuteHost, 'http'],
    ['says nothing in the handshake of TLS', startMuteHost, 'https'],
    ['loses all packets', startLostHost, 'http'],
  ] as const) {
    it(`are given up, with git, when the host ${kind}`, async () => {
      await using directory = await makeTemporaryDirectory();
      await using host = await start();
      const url = `${scheme}://127.0.0.1:${host.port}/a/b.git`;
      const fetched = fetchHistory({ url }, directory.pathOf('copy'), {
        signal: new AbortController().signal,
        timeoutMs: 3_600_000,
        firstResponseMs: 1000,
        maxBytes: 1_000_000,
        now: () => new Date(),
      });
      await assert.rejects(fetched, {
        code: 'provider_unavailable',
        message: 'git gets no response from the host.',
      });
    });
  }
});
