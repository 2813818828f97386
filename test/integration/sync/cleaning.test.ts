import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toSyncContext } from '../../../bench/sync-context.ts';
import { createAccessTasks } from '../../../src/accounts/access/tasks.ts';
import { generateSigningKey } from '../../../src/accounts/access/tokens/signing-key-store.ts';
import { createCleaningTasks } from '../../../src/app/owners/clean-up.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { deleteFinished } from '../../../src/recognition/notifications/outbox-store.ts';
import { deleteRedeliveries } from '../../../src/sync/installations/missed-store.ts';
import { removeUnused } from '../../../src/views/cards/images/store.ts';
import { openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { addRepository } from '../contributions/stored-repository.ts';
import { loseConnection } from '../lost-connection.ts';
import { analyzeTables, type RanStatement, watchPlans } from '../plans.ts';

/** The tables with rows that end, and how many of them are over. */
const tables = ['deliveries', 'star_events', 'drifts', 'revoked_tokens', 'rate_limits', 'audit_entries', 'sessions'];
const over = { inBatches: 12_000, inTwo: 6000 };
const signal = new AbortController().signal;

/** Stores in each table rows that are over, others that are not, and for deliveries some that nothing could apply. */
async function fill({ connection, pool }: Database, rows: number): Promise<void> {
  const repositoryId = await addRepository(connection);
  const age = `now() - case when n <= ${rows} then interval '3 years' + n * interval '1 second' else interval '0' end`;
  const numbers = `generate_series(1, ${rows + 100}) n`;
  await pool.query(`
    insert into deliveries (provider, id, event, changes, received_at, applied_at, attempts, order_key)
    select 'github', n::text, 'push', '[]', ${age}, case when n % 10 <> 0 then ${age} end, 20, '' from ${numbers};
    insert into star_events (repository_id, external_id, at, balance, recorded_at)
    select '${repositoryId}', n::text, ${age}, 1, ${age} from ${numbers};
    insert into drifts (repository_id, part, expected, found, is_repaired, found_at)
    select '${repositoryId}', n::text, 1, 2, true, ${age} from ${numbers};
    insert into revoked_tokens (account_id, token_id, expires_at)
    select id, n::text, ${age} + interval '1 hour' from ${numbers} cross join accounts;
    insert into rate_limits (key, count, resets_at) select n::text, 1, ${age} + interval '1 hour' from ${numbers};
    insert into audit_entries (id, account_id, action, subject, actor, at)
    select gen_random_uuid(), a.id, 'token_issued', '', '', ${age} from ${numbers} cross join accounts a;
    insert into sessions (secret_hash, account_id, created_at, expires_at)
    select sha256(n::text::bytea), id, ${age}, ${age} + interval '1 hour' from ${numbers} cross join accounts`);
  await analyzeTables({ pool });
}

async function cleanUp(connection: Connection): Promise<void> {
  const context = { connection, now: () => new Date() };
  await createCleaningTasks(context)['clean_up']?.run({}, signal);
  const access = createAccessTasks({
    ...toSyncContext(connection, undefined as never),
    newSigningKey: generateSigningKey,
  });
  await access['tend_keys']?.run({}, signal);
}

/** Returns the number of stored rows by table. */
async function countRows({ pool }: Database): Promise<Record<string, number>> {
  const counts = tables.map((table) => `(select count(*) from ${table})::integer as ${table}`);
  const { rows } = await pool.query<Record<string, number>>(`select ${counts.join(', ')}`);
  return rows[0] ?? {};
}

/** The rows whose time is not over; deliveries that were never applied stay for the operator. */
const toKept = (rows: number): Record<string, number> =>
  Object.fromEntries(tables.map((table) => [table, table === 'deliveries' ? 100 + rows / 10 : 100]));

function listDeletions(table: string, statements: readonly RanStatement[]): RanStatement[] {
  return statements.filter(({ text }) => text.trim().startsWith(`delete from "${table}"`));
}

describe('removal of data whose time is over', () => {
  it('deletes batches that an index finds', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await fill(database, over.inBatches);
    const statements = await watchPlans(database, cleanUp);
    assert.deepEqual(await countRows(database), toKept(over.inBatches));
    for (const table of tables) {
      const deletions = listDeletions(table, statements);
      assert.ok(deletions.length >= 4, `${deletions.length} statements delete from ${table}`);
      for (const { blocks, scannedTables } of deletions) {
        assert.deepEqual(scannedTables, [], table);
        assert.ok(blocks < 75_000, `a batch of ${table} reads ${blocks} blocks`);
      }
    }
  });

  it('continues after the connection was lost at any statement', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await fill(database, over.inTwo);
    const kept = toKept(over.inTwo);
    let losses = 0;
    for (let at = 1; !(await loseConnection(database, at, cleanUp)); at += isThorough ? 1 : 9) {
      losses += 1;
      const rows = await countRows(database);
      for (const table of tables) assert.ok((rows[table] ?? 0) >= (kept[table] ?? 0), `${table} after ${at}`);
    }
    assert.ok(losses > 3);
    assert.deepEqual(await countRows(database), kept);
  });

  it('deletes no more messages, redeliveries and images than a batch at once', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    await pool.query(`
      insert into redeliveries (provider, delivery_id, attempt_id, requests, found_at)
      select 'github', n::text, '', 1, '2020-01-01' from generate_series(1, 10) n;
      insert into images (url, failures, refresh_at, used_at)
      select 'https://x.org/' || n, 0, now(), case when n <= 4 then '2020-01-01' else now() - n * interval '1 second' end
      from generate_series(1, 12) n`);
    const before = new Date('2025-01-01T00:00:00Z');
    assert.deepEqual(
      [await deleteRedeliveries(connection, before, 6), await deleteRedeliveries(connection, before, 6)],
      [6, 4],
    );
    const removed: number[] = [];
    for (let call = 0; call < 5; call += 1) removed.push(await removeUnused(connection, { before, keep: 3, limit: 3 }));
    assert.deepEqual(removed, [3, 1, 3, 2, 0]);
    const { rows } = await pool.query('select url from images order by used_at desc');
    assert.deepEqual(
      rows.map(({ url }) => url),
      ['https://x.org/5', 'https://x.org/6', 'https://x.org/7'],
    );
    assert.equal(await deleteFinished(connection, { sent: before, dead: before }, 5), 0);
  });
});
