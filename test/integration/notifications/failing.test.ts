import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { toReceiver, toTarget } from '../../../src/recognition/notifications/notification.ts';
import { send } from '../../../src/recognition/notifications/open.ts';
import {
  claimNext,
  findDueReceivers,
  giveUpOverdue,
  recordFailed,
} from '../../../src/recognition/notifications/outbox-store.ts';
import { isOnCluster } from '../../database.ts';
import { readBody, serve } from '../../unit/outbound/receiver.ts';
import { watchChangedRows } from '../changed-rows.ts';
import { begin, untilWaiting } from '../contributions/erasure-fixture.ts';
import { loseConnectionAtStatements } from '../lost-connection.ts';
import { addAwards, openOutbox } from './outbox.ts';

const hourS = 3600;

/** Sends data without an end. */
function sendEndlessly(response: ServerResponse): void {
  const more = (): void => {
    while (!response.destroyed && response.write(Buffer.alloc(65_536)));
  };
  response.on('drain', more);
  more();
}

describe('failing receivers', () => {
  it('retries a failing receiver with growing delays for three days, then keeps its messages as given up', async () => {
    let requestCount = 0;
    await using receiver = await serve((_request, response) => {
      requestCount += 1;
      response.writeHead(503).end();
    });
    await using outbox = await openOutbox([receiver.host]);
    await outbox.follow([{ name: 'team', type: 'slack', url: receiver.url, achievements: ['First', 'Second'] }]);
    await outbox.award('First');
    await outbox.award('Second');
    const times: number[] = [];
    for (let at = 0; at < 80 * hourS; at += 10) {
      const before = requestCount;
      await outbox.work();
      if (requestCount > before) times.push(at);
      assert.ok(requestCount - before <= 1, 'a failing receiver gets one message at a time');
      // After the sixth attempt, in larger steps.
      const stepS = at < 1300 ? 10 : 600;
      outbox.advance(stepS);
      at += stepS - 10;
      if ((await outbox.rows()).every(({ state }) => state === 'dead')) break;
    }
    assert.deepEqual(times.slice(0, 6), [0, 10, 40, 130, 400, 1210]);
    const last = times.at(-1) ?? 0;
    assert.ok(last >= 72 * hourS && last <= 78 * hourS + 600, String(last / hourS));
    assert.ok(requestCount < 30, String(requestCount));
    assert.deepEqual(
      (await outbox.rows()).map(({ state, error }) => [state, error]),
      [
        ['dead', 'responded with status 503'],
        ['dead', 'responded with status 503'],
      ],
    );
    assert.deepEqual(outbox.dead, ['2 responded with status 503']);
    assert.deepEqual(outbox.outcomes.filter((outcome) => outcome === 'slack dead').length, 2);
  });

  it('gives up messages in parts, also after the connection is lost before any statement', {
    skip: isOnCluster,
  }, async () => {
    await using outbox = await openOutbox();
    const { database } = outbox;
    await outbox.follow([
      { name: 'team', type: 'slack', url: 'https://receiver.example/hook', achievements: ['First'] },
    ]);
    await outbox.award('First');
    await addAwards(database, 29);
    const now = new Date(outbox.context.now().getTime() + 100 * hourS * 1000);
    const [receiver = assert.fail()] = await findDueReceivers(database.connection, now, 1);
    const changed = await watchChangedRows(database, ['notifications']);
    const work = (connection: Connection): Promise<number> =>
      giveUpOverdue(connection, receiver, { reason: 'refused', now }, 7);
    const losses = await loseConnectionAtStatements(database, work);
    assert.ok(losses > 2);
    const rows = await outbox.rows();
    assert.deepEqual([rows.length, new Set(rows.map(({ state }) => state))], [30, new Set(['dead'])]);
    const parts = await changed();
    assert.ok(parts.length > 4 && parts.every((most) => most <= 7), JSON.stringify(parts));
  });

  it('records a failure while an owner has a message sent again, which locks the message first', async () => {
    await using outbox = await openOutbox();
    const { connection } = outbox.database;
    const url = 'https://receiver.example/hook';
    await outbox.follow([{ name: 'team', type: 'slack', url, achievements: ['First'] }]);
    await outbox.award('First');
    const now = outbox.context.now();
    const [receiver = assert.fail()] = await findDueReceivers(connection, now, 1);
    const attempt = (await claimNext(connection, receiver, { now, random: 0 })) ?? assert.fail();
    const failure = { reason: 'refused', isFinal: false, retryAt: undefined };
    await recordFailed(connection, attempt, failure, { now, random: 0 });
    // The first statement that sends a message again, and the rest when the failure waits.
    const reviving = await begin(
      connection,
      async (transaction) => {
        await sql`update notifications set next_attempt_at = ${now}`.execute(transaction);
      },
      async (transaction) => {
        await transaction.deleteFrom('failing_receivers').where('receiver', '=', receiver).execute();
      },
    );
    const failing = recordFailed(connection, attempt, failure, { now, random: 0 });
    await untilWaiting(outbox.database);
    await reviving.commit();
    assert.equal(await failing, 0);
  });

  it('sends other messages before it repeats a refused one', async () => {
    const received: string[] = [];
    await using receiver = await serve((request, response) => {
      void readBody(request).then((body) => {
        received.push(/“(\w+)”/.exec(body)?.[1] ?? '');
        response.writeHead(received.length === 1 ? 400 : 200).end();
      });
    });
    await using outbox = await openOutbox([receiver.host]);
    await outbox.follow([
      { name: 'team', type: 'slack', url: receiver.url, achievements: ['Poison', 'Good', 'Better'] },
    ]);
    await outbox.award('Poison', 'ada');
    await outbox.award('Good', 'ada');
    await outbox.award('Better', 'ada');
    await outbox.work();
    assert.equal(received.length, 1);
    for (let round = 0; round < 30; round += 1) {
      outbox.advance(10);
      await outbox.work();
    }
    assert.deepEqual(received, ['Poison', 'Good', 'Better', 'Poison']);
    assert.ok((await outbox.rows()).every(({ state }) => state === 'sent'));
  });

  it('follows a Retry-After header within bounds, and gives a message up after status 410', async () => {
    let nextResponse: [number, Record<string, string>] = [429, { 'retry-after': '1800' }];
    let requestCount = 0;
    await using receiver = await serve((_request, response) => {
      requestCount += 1;
      response.writeHead(...nextResponse).end();
    });
    await using outbox = await openOutbox([receiver.host]);
    await outbox.follow([{ name: 'team', type: 'discord', url: receiver.url, achievements: ['First', 'Second'] }]);
    await outbox.award('First');
    await outbox.work();
    outbox.advance(1790);
    await outbox.work();
    assert.equal(requestCount, 1);
    outbox.advance(20);
    nextResponse = [429, { 'retry-after': '999999999' }];
    await outbox.work();
    assert.equal(requestCount, 2);
    outbox.advance(6 * hourS + 60);
    nextResponse = [410, {}];
    await outbox.work();
    assert.equal(requestCount, 3);
    assert.deepEqual(outbox.dead, ['1 responded with status 410']);
    outbox.advance(100 * hourS);
    await outbox.work();
    assert.equal(requestCount, 3);
  });

  it('leaves a failing receiver alone when another message for it is added', async () => {
    let requestCount = 0;
    await using receiver = await serve((_request, response) => {
      requestCount += 1;
      response.writeHead(503).end();
    });
    await using outbox = await openOutbox([receiver.host]);
    const webhook = { name: 'team', type: 'slack', url: receiver.url, achievements: ['First', 'Second'] } as const;
    await outbox.follow([webhook]);
    await outbox.award('First');
    await outbox.work();
    await outbox.award('Second');
    // The job that the second message added.
    await send(outbox.context, toReceiver('github', 'slack', toTarget(webhook)), AbortSignal.timeout(30_000));
    assert.equal(requestCount, 1);
    outbox.advance(10);
    await outbox.work();
    assert.equal(requestCount, 2);
    assert.deepEqual(
      (await outbox.rows()).map(({ attempts }) => attempts),
      [1, 1],
    );
  });

  it('makes one attempt at most at a receiver that is internal or endless, closes early or redirects', async () => {
    let inside = 0;
    await using secret = await serve((_request, response) => {
      inside += 1;
      response.end();
    });
    await using receiver = await serve((request, response) => {
      const away = { '/redirect': 'http://169.254.169.254/latest/meta-data/', '/inside': secret.url };
      const location = Object.entries(away).find(([path]) => path === request.url)?.[1];
      if (request.url === '/closing') request.socket.destroy();
      else if (location !== undefined) response.writeHead(307, { location }).end();
      else sendEndlessly(response.writeHead(200));
    });
    await using outbox = await openOutbox([receiver.host, secret.host]);
    const names = ['closing', 'redirect', 'inside', 'endless'];
    await outbox.follow([
      ...names.map((name) => ({
        name,
        type: 'slack' as const,
        url: `${receiver.url}/${name}`,
        achievements: ['First'],
      })),
      { name: 'loopback', type: 'slack', url: 'https://127.0.0.1/', achievements: ['First'] },
      { name: 'metadata', type: 'slack', url: 'https://169.254.169.254/latest', achievements: ['First'] },
      { name: 'name', type: 'slack', url: 'https://localhost/', achievements: ['First'] },
      { name: 'plain', type: 'slack', url: 'http://hooks.example/', achievements: ['First'] },
    ]);
    await outbox.award('First', 'ada');
    await outbox.work();
    const states = Object.fromEntries(
      (await outbox.rows()).map(({ webhook, state, error }) => [webhook, [state, error]]),
    );
    assert.deepEqual(states, {
      closing: ['waiting', 'could not be reached'],
      redirect: ['waiting', 'responded with status 307: redirects are not followed'],
      inside: ['waiting', 'responded with status 307: redirects are not followed'],
      endless: ['sent', null],
      loopback: ['dead', 'is not a public address; nothing was sent'],
      metadata: ['dead', 'is not a public address; nothing was sent'],
      name: ['dead', 'is not a public address; nothing was sent'],
      plain: ['dead', 'is not an address that begins with https://; nothing was sent'],
    });
    assert.equal(inside, 0);
  });

  it('sends no messages about hidden or erased accounts or about revoked awards', async () => {
    let requestCount = 0;
    await using receiver = await serve((_request, response) => {
      requestCount += 1;
      response.end();
    });
    await using outbox = await openOutbox([receiver.host]);
    const { pool } = outbox.database;
    await outbox.follow([{ name: 'team', type: 'slack', url: receiver.url, achievements: ['First'] }]);
    const [hidden, hiddenByHost, erased, revoked] = [
      await outbox.award('First'),
      await outbox.award('First'),
      await outbox.award('First'),
      await outbox.award('First'),
    ];
    await pool.query('update awards set revoked_at = now() where id = $1', [revoked.awardId]);
    await pool.query('update accounts set hidden = true where id = $1', [hidden.accountId]);
    await pool.query('update accounts set hidden_by_host = true where id = $1', [hiddenByHost.accountId]);
    await pool.query('delete from accounts where id = $1', [erased.accountId]);
    await outbox.work();
    assert.deepEqual([requestCount, await outbox.rows()], [0, []]);
    assert.deepEqual(outbox.outcomes, ['slack withheld', 'slack withheld', 'slack withheld']);
  });
});
