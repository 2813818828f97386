import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Sent, signed, webhookSecret } from '../../../simulators/github/deliver.ts';
import { openDatabase } from '../../../src/database/connections/open.ts';
import { findRejections } from '../../../src/sync/deliveries/rejection-store.ts';
import { createTestDatabase } from '../../database.ts';
import { send } from '../../e2e/raw-request.ts';
import { startStoredService } from '../http/stored-service.ts';

const path = '/v1/github/webhooks';
const ofEnterprise = '{"action":"created","installation":{"id":5,"account":{"id":6,"slug":"big-enterprise"}}}';

describe('rejected deliveries', () => {
  it('are too large, broken or not signed by GitHub, and are counted by provider and reason without any content', async () => {
    await using created = await createTestDatabase();
    const counts = new Map<string, number>();
    const count = (counted: string): void => void counts.set(counted, (counts.get(counted) ?? 0) + 1);
    {
      await using service = await startStoredService({
        databaseUrl: created.url,
        settings: { GITHUB_WEBHOOK_SECRET: webhookSecret, GITEA_URL: 'http://127.0.0.1:9' },
      });
      const good = signed('ping', '{"zen":"x"}');
      const { 'x-github-event': _, ...withoutEvent } = good.headers;
      const body = JSON.stringify({ action: 'opened' });
      const cases: [what: string, sent: Sent, status: number, reason?: string][] = [
        ['a ping', good, 202],
        ['an unknown event', signed('sponsorship_of_nothing', '{}'), 202],
        ['an event named like a method', signed('constructor', '{}'), 202],
        [
          'an unknown action',
          signed(
            'issues',
            JSON.stringify({
              action: 'x',
              issue: {},
              repository: { id: 1, name: 'r', owner: { id: 2, login: 'nobody-here' } },
            }),
          ),
          202,
        ],
        ['an installation of an enterprise', signed('installation', ofEnterprise), 202],
        ['no signature', { ...good, headers: { ...good.headers, 'x-hub-signature-256': '' } }, 401, 'signature'],
        ['another secret', signed('issues', body, { secret: 'another secret, as long' }), 401, 'signature'],
        ['a changed body', { ...good, body: '{"zen":"y"}' }, 401, 'signature'],
        [
          'a short signature',
          { ...good, headers: { ...good.headers, 'x-hub-signature-256': 'sha256=00' } },
          401,
          'signature',
        ],
        [
          'the old signature',
          { ...good, headers: { ...good.headers, 'x-hub-signature-256': '', 'x-hub-signature': 'sha1=00' } },
          401,
          'signature',
        ],
        ['missing fields', signed('issues', body), 400, 'payload'],
        [
          'fields of other kinds',
          signed('push', JSON.stringify({ repository: { id: '1', name: [], owner: null } })),
          400,
          'payload',
        ],
        ['no JSON', signed('issues', 'payload=%7B%7D'), 400, 'payload'],
        ['nothing', signed('issues', ''), 400, 'payload'],
        ['an id that is none', signed('ping', '{}', { id: "x' or 1=1" }), 400, 'payload'],
        [
          'compressed',
          { body: gzipSync(good.body).toString('latin1'), headers: { ...good.headers, 'content-encoding': 'gzip' } },
          400,
          'compressed',
        ],
        ['no event', { ...good, headers: withoutEvent }, 400, 'headers'],
        ['more than GitHub sends', signed('push', `"${'x'.repeat(26 * 1024 * 1024)}"`), 413, 'too_large'],
      ];
      for (const [title, { headers, body: sentBody }, status, reason] of cases) {
        const response = await send(service, path, 'POST', headers, sentBody).catch((error: unknown) => {
          // The service may close the connection while the rest of the body is still being sent.
          if (status === 413) return { status: 413 };
          throw error;
        });
        assert.equal(response.status, status, title);
        if (reason !== undefined) count(`github ${reason}`);
      }
      const large = signed(
        'push',
        JSON.stringify({
          x: 'y'.repeat(20 * 1024 * 1024),
          repository: { id: 1, name: 'r', owner: { id: 2, login: 'nobody-here' } },
          sender: null,
        }),
      );
      assert.equal((await send(service, path, 'POST', large.headers, large.body)).status, 202);
      assert.equal((await send(service, path, 'GET')).status, 405);
      // Strangers create no counts for hosts that are not configured, nor with an invalid credential.
      for (const [provider, status] of [
        ['gitea', 404],
        ['gitlab', 404],
        ['nowhere', 404],
      ] as const) {
        const response = await send(service, `/v1/${provider}/webhooks`, 'POST', good.headers, good.body);
        assert.equal(response.status, status);
      }
      count('gitea no_secret');
      const authorized = { ...good.headers, authorization: 'Bearer a.b.c' };
      assert.equal((await send(service, path, 'POST', authorized, good.body)).status, 401);
      assert.ok(service.lines.every((line) => !line.includes(webhookSecret)));
    }
    const database = await openDatabase({ databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} });
    const stored = await findRejections(database.connection);
    await database.close();
    assert.deepEqual(new Map(stored.map((row) => [`${row.provider} ${row.reason}`, row.count])), new Map(counts));
    assert.ok(stored.every(({ firstAt, lastAt }) => firstAt <= lastAt));
  });
});
