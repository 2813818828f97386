import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { endWork } from '../../../src/app/app.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { openDatabase } from '../../../src/database/connections/open.ts';
import { listen } from '../../../src/database/queue/listener.ts';
import { createTestDatabase } from '../../database.ts';
import { type DatabaseLink, linkTo } from '../../database-link.ts';

/** Opens a test database through a link that can fall silent. */
async function openThroughLink(): Promise<AsyncDisposable & { database: Database; link: DatabaseLink }> {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await createTestDatabase());
  const link = stack.use(await linkTo(url));
  const database = await openDatabase({ databaseUrl: link.url, dataDir: '/nonexistent', log: () => {} });
  const opened = stack.move();
  return { database, link, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

describe('closing connections to a silent database', () => {
  it('breaks them off, also those with a running statement', async () => {
    await using opened = await openThroughLink();
    const { database, link } = opened;
    const ignore = (): void => {};
    const { clientConfig } = database;
    const receivers = { onAnnouncement: ignore, onReset: ignore, onSilent: ignore, log: ignore };
    const listener = await listen({ clientConfig, ...receivers });
    await database.pool.query('select 1');
    link.silence('all');
    // The job queue closes its connections like this when it stops. Statements of jobs may take ten minutes.
    const read = assert.rejects(database.pool.query('select 1'));
    await listener.close();
    await database.close();
    await read;
    assert.equal(database.pool.totalCount, 0);
  });

  it('breaks off one that falls silent while they are closed', async () => {
    await using opened = await openThroughLink();
    const { database, link } = opened;
    const client = await database.pool.connect();
    const closed = database.close();
    // The result arrives half a second before the silent connections are broken off for the first time.
    await client.query('select pg_sleep(0.5)');
    link.silence('all');
    await assert.rejects(client.query('select 1'), /Connection terminated/);
    client.release(true);
    await closed;
    assert.equal(database.pool.totalCount, 0);
  });

  it('ends jobs whose statement falls silent while they end', async () => {
    await using opened = await openThroughLink();
    const { database, link } = opened;
    const stop = async (): Promise<void> => {
      // The result arrives half a second before the silent connections are closed for the first time.
      await database.pool.query('select pg_sleep(2.5)');
      link.silence('all');
      await assert.rejects(database.pool.query('select 1'), /Connection terminated/);
    };
    await endWork({ jobs: { stop } }, database);
    await database.close();
  });
});
