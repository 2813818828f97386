import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { signed, webhookSecret } from '../../../simulators/github/deliver.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { addRejections, findRejections, type RejectionCount } from '../../../src/deliveries/rejection-store.ts';
import { Rejections } from '../../../src/deliveries/rejections.ts';
import { createTestDatabase, openTestDatabase } from '../../database.ts';
import { clock } from '../../time.ts';
import { send } from '../raw-request.ts';
import { startTestService } from '../service.ts';

const path = '/v1/github/webhooks';

describe('counts of rejected deliveries', () => {
  it('keeps counts by provider and reason, without any content of the deliveries', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using created = await createTestDatabase();
    const good = signed('ping', '{"zen":"x"}');
    const { 'x-github-event': _, ...withoutEvent } = good.headers;
    {
      await using service = await startTestService({
        simulator,
        databaseUrl: created.url,
        settings: { GITHUB_WEBHOOK_SECRET: webhookSecret, GITEA_URL: simulator.url },
      });
      const rejected = [
        signed('issues', '{"marker": 1}', { secret: 'another secret, as long' }),
        { ...good, headers: { ...good.headers, 'x-hub-signature-256': '' } },
        signed('issues', '{"marker": 1}'),
        { body: good.body, headers: withoutEvent },
        {
          body: gzipSync(good.body).toString('latin1'),
          headers: { ...good.headers, 'content-encoding': 'gzip' },
        },
      ];
      for (const { headers, body } of rejected) {
        const { status } = await send(service, path, 'POST', headers, body);
        assert.ok(status === 400 || status === 401, String(status));
      }
      // The service may close the connection while the rest of the body is still being sent.
      const huge = signed('push', `"${'x'.repeat(26 * 1024 * 1024)}"`);
      await send(service, path, 'POST', huge.headers, huge.body).catch(() => undefined);
      assert.equal((await send(service, '/v1/gitea/webhooks', 'POST', good.headers, good.body)).status, 404);
      // Strangers cannot create counts for hosts that are not configured, nor with an invalid credential.
      assert.equal((await send(service, '/v1/nowhere/webhooks', 'POST', good.headers, good.body)).status, 404);
      const authorized = { ...good.headers, authorization: 'Bearer a.b.c' };
      assert.equal((await send(service, path, 'POST', authorized, good.body)).status, 401);
      assert.equal((await send(service, path, 'POST', good.headers, good.body)).status, 202);
    }
    const database = await openDatabase({ databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} });
    const counts = await findRejections(database.connection);
    await database.close();
    assert.deepEqual(counts.map(({ provider, reason, count }) => `${provider} ${reason} ${count}`).toSorted(), [
      'gitea no_secret 1',
      'github compressed 1',
      'github headers 1',
      'github payload 1',
      'github signature 2',
      'github too_large 1',
    ]);
    assert.ok(counts.every(({ firstAt, lastAt }) => firstAt <= lastAt));
  });

  it('executes one statement per interval, however many deliveries are rejected', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const time = clock();
    const { promise: isStored, resolve: stored } = Promise.withResolvers<void>();
    let statements = 0;
    const rejections = new Rejections({
      now: time.now,
      storeEveryMs: 1,
      store: async (counts) => {
        statements += 1;
        await addRejections(connection, counts);
        stored();
      },
      onFailure: (error) => assert.fail(String(error)),
    });
    const first = time.now();
    for (let count = 0; count < 100_000; count += 1)
      rejections.add('github', count % 2 === 0 ? 'signature' : 'payload');
    await isStored;
    assert.equal(statements, 1);
    time.advance(60);
    rejections.add('github', 'signature');
    await rejections.close();
    assert.equal(statements, 2);
    const counts = await findRejections(connection);
    assert.deepEqual(
      counts.map(({ reason, count, firstAt, lastAt }) => ({ reason, count, firstAt, lastAt })),
      [
        { reason: 'signature', count: 50_001, firstAt: first, lastAt: time.now() },
        { reason: 'payload', count: 50_000, firstAt: first, lastAt: first },
      ],
    );
  });

  it('loses no counts when the database is unavailable for a while', async () => {
    const failures: unknown[] = [];
    const kept: RejectionCount[][] = [];
    let isAway = true;
    const { promise: hasFailed, resolve: fail } = Promise.withResolvers<void>();
    const rejections = new Rejections({
      now: clock().now,
      storeEveryMs: 1,
      store: async (counts) => {
        if (isAway) throw new Error('away');
        kept.push([...counts]);
      },
      onFailure: (error) => {
        failures.push(error);
        fail();
      },
    });
    rejections.add('github', 'signature');
    await hasFailed;
    isAway = false;
    rejections.add('github', 'signature');
    await rejections.close();
    assert.equal(failures.length, 1);
    assert.deepEqual(
      kept.flat().map(({ reason, count }) => [reason, count]),
      [['signature', 2]],
    );
  });
});
