import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { openUnchanged } from '../../../src/database/connections/open.ts';
import { startQueue } from '../../../src/database/queue/queue.ts';
import { advisoryLocks } from '../../../src/database/schema/advisory-locks.ts';
import { Claims, releaseLeftClaims, whileClaimed } from '../../../src/sync/streams/claims.ts';
import { createTestDatabase } from '../../database.ts';
import { linkTo } from '../../database-link.ts';
import { until } from '../../time.ts';
import { addRepository } from '../contributions/stored-repository.ts';

describe('claiming of repositories', () => {
  it('releases a claim later that the node could not release while the database was away', async () => {
    await using created = await createTestDatabase();
    const options = { dataDir: '/nonexistent', log: () => {} };
    const second = await openUnchanged({ databaseUrl: created.url, ...options });
    const { connection, clientConfig } = second;
    const id = await addRepository(connection);
    const living = new Client(clientConfig);
    await living.connect();
    for (const node of [1, 2])
      await living.query('select pg_advisory_lock_shared($1, $2)', [advisoryLocks.livingNodes, node]);
    await using link = await linkTo(created.url);
    const first = await openUnchanged({ databaseUrl: link.url, ...options });
    const firstNode = { connection: first.connection, node: 1, claims: new Claims() };
    const secondNode = { connection, node: 2, claims: new Claims() };
    const read = (): Promise<string> => whileClaimed(secondNode, id, () => Promise.resolve('read'));

    await assert.rejects(
      whileClaimed(firstNode, id, async () => {
        assert.equal(await read(), 'busy');
        link.refuseConnections();
      }),
    );
    link.acceptConnections();
    assert.equal(await read(), 'busy');
    const queue = await startQueue({
      database: first,
      node: 1,
      tasks: {},
      sweepMs: 20,
      alsoSweep: () => releaseLeftClaims(firstNode),
      log: () => {},
    });
    await until(async () => ((await read()) === 'read' ? true : undefined), 'the claim is released');
    await queue.stop();
    await first.close();
    await living.end();
    await second.close();
  });
});
