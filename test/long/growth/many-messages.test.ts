import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { toReceiver, toTarget } from '../../../src/recognition/notifications/notification.ts';
import {
  claimNext,
  findDueReceivers,
  findNextAttempt,
  giveUpOverdue,
  recordFailed,
} from '../../../src/recognition/notifications/outbox-store.ts';
import { retryUnsigned, saveWebhookSecret } from '../../../src/recognition/notifications/secrets/store.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { watchChangedRows } from '../../integration/changed-rows.ts';
import { loseConnectionAtStatements } from '../../integration/lost-connection.ts';
import { addAwards, type Outbox, openOutbox } from '../../integration/notifications/outbox.ts';
import { analyzeTables, watchPlans } from '../../integration/plans.ts';

const webhook = {
  name: 'hook',
  type: 'http',
  url: 'https://receiver.example/hook',
  achievements: ['First'],
} as const;
const messages = isThorough ? 100_000 : 4000;
const receiver = toReceiver('github', 'http', toTarget(webhook));

/** Opens an outbox with waiting messages to one receiver. */
async function openWithMessages(count: number): Promise<Outbox> {
  const outbox = await openOutbox([], openTestDatabase);
  await outbox.follow([webhook]);
  await outbox.award('First');
  await addAwards(outbox.database, count - 1);
  return outbox;
}

describe('very many messages to one receiver', () => {
  it('are claimed, delayed and given up by statements that an index finds', { skip: isOnCluster }, async () => {
    await using outbox = await openWithMessages(messages);
    const { database } = outbox;
    await analyzeTables(database);
    const now = outbox.context.now();
    const ran = await watchPlans(database, async (connection) => {
      assert.deepEqual(await findDueReceivers(connection, now, 10), [receiver]);
      for (let attempt = 0; attempt < 3; attempt += 1) {
        await retryUnsigned(connection, receiver, now);
        const claimed = (await claimNext(connection, receiver, { now, random: 0.5 })) ?? assert.fail();
        const failure = { reason: 'refused', isFinal: false, retryAt: undefined };
        await recordFailed(connection, claimed, failure, { now, random: 0.5 });
        await sql`delete from failing_receivers`.execute(connection);
        assert.deepEqual(await findNextAttempt(connection, receiver), now);
      }
    });
    assert.ok(ran.length > 20, String(ran.length));
    const costly = ran.filter(({ blocks, scannedTables }) => blocks > 100 || scannedTables.includes('notifications'));
    assert.deepEqual(costly, []);
    const { rows } = await sql<{ attempts: number; count: number }>`
      select attempts, count(*)::integer as count from notifications group by 1 order by 1`.execute(
      database.connection,
    );
    assert.deepEqual(rows, [
      { attempts: 0, count: messages - 3 },
      { attempts: 1, count: 3 },
    ]);
    await database.pool.query('update notifications set give_up_at = $1 where attempts = 1', [now]);
    const givingUp = await watchPlans(database, async (connection) => {
      assert.equal(await giveUpOverdue(connection, receiver, { reason: 'refused', now }), 3);
    });
    for (const { blocks } of givingUp) assert.ok(blocks < 200, String(blocks));
  });

  it('are all tried at once after a secret was stored, in parts, also after a lost connection', async () => {
    await using outbox = await openWithMessages(30);
    const { database, ownerId } = outbox;
    const now = outbox.context.now();
    const later = new Date(now.getTime() + 3_600_000);
    await database.pool.query('update notifications set attempts = 1, last_attempt_at = $1, next_attempt_at = $2', [
      now,
      later,
    ]);
    await database.pool.query(`insert into failing_receivers values ($1, 1, $2)`, [receiver, later]);
    await retryUnsigned(database.connection, receiver, now);
    assert.deepEqual(await findDueReceivers(database.connection, now, 10), []);
    const changed = await watchChangedRows(database, ['notifications']);
    await database.connection.transaction().execute((transaction) =>
      saveWebhookSecret(transaction, {
        id: '00000000-0000-7000-8000-000000000001',
        accountId: ownerId,
        url: webhook.url,
        receiver,
        secret: Buffer.alloc(32, 1),
        formerUntil: later,
        now,
      }),
    );
    assert.deepEqual(await changed(), []);
    const { rows: jobs } = await sql`
      select from graphile_worker._private_jobs where key = ${`notify ${receiver}`} and run_at <= now()`.execute(
      database.connection,
    );
    assert.equal(jobs.length, 1);
    const work = (connection: Connection): Promise<void> => retryUnsigned(connection, receiver, now, 7);
    const losses = await loseConnectionAtStatements(database, work);
    assert.ok(losses > 2, String(losses));
    const { rows } = await sql<{ at: Date }>`select distinct next_attempt_at as at from notifications`.execute(
      database.connection,
    );
    assert.deepEqual(rows, [{ at: now }]);
    const parts = await changed();
    assert.ok(parts.length > 4 && parts.every((most) => most <= 7), JSON.stringify(parts));
  });
});
