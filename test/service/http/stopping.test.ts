import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { ada } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { startStoredService } from './stored-service.ts';

/** Locks all accounts, so that each statement on them waits until the lock is released. */
async function lockAccounts(databaseUrl: string): Promise<{ release: () => Promise<void> } & AsyncDisposable> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('begin; lock table accounts in access exclusive mode');
  return { release: () => client.query('rollback').then(() => undefined), [Symbol.asyncDispose]: () => client.end() };
}

/** Returns whether a statement waits for a lock in the server. */
async function isWaiting(databaseUrl: string): Promise<boolean> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  await client.end();
  return rows.length > 0;
}

/** Returns whether a server accepts connections. */
async function isListening({ hostname, port }: URL): Promise<boolean> {
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe('stop of the web application', () => {
  it('lets a request end whose client has disconnected, before it closes the connections to the database', async () => {
    const service = await startStoredService({ holdsWorld: true });
    const address = new URL(service.url);
    // No image is stored for it, and no host sends one.
    await service.database.pool.query(`update accounts set avatar_url = 'http://127.0.0.1:9/avatar'`);
    await using lock = await lockAccounts(service.databaseUrl);
    const client = connect(Number(address.port), address.hostname);
    client.write(`GET /avatars/github/${ada.name} HTTP/1.1\r\nhost: ${address.host}\r\n\r\n`);
    await until(async () => (await isWaiting(service.databaseUrl)) || undefined, 'the request waits for the database');
    client.destroy();
    const stopped = service.service.close();
    await until(async () => !(await isListening(address)) || undefined, 'the service listens no more');
    await lock.release();
    await stopped;
    assert.deepEqual(
      service.lines.filter((line) => line.includes('a request failed')),
      [],
    );
    await lock[Symbol.asyncDispose]();
    await service[Symbol.asyncDispose]();
  });
});
