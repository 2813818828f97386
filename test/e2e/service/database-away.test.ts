import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { createTestDatabase } from '../../database.ts';
import { until } from '../../time.ts';
import { startTestService } from '../service.ts';

/** A proxy between the service and its database that can fall silent, or drop all connections. */
interface Link extends AsyncDisposable {
  url: string;
  silence(): void;
  breakOff(): void;
  restore(): void;
}

async function linkTo(databaseUrl: string): Promise<Link> {
  const target = new URL(databaseUrl);
  const directory = target.searchParams.get('host');
  const open = (): Socket =>
    directory?.startsWith('/')
      ? connect(join(directory, `.s.PGSQL.${target.searchParams.get('port') ?? '5432'}`))
      : connect(Number(target.port || '5432'), target.hostname);
  const sockets = new Set<Socket>();
  let state: 'whole' | 'silent' | 'broken' = 'whole';
  const server = createServer((near) => {
    if (state === 'broken') {
      near.destroy();
      return;
    }
    sockets.add(near);
    near.on('error', () => {});
    if (state === 'silent') return;
    const far = open();
    sockets.add(far);
    far.on('error', () => near.destroy());
    near.on('data', (chunk) => (state === 'silent' ? undefined : far.write(chunk)));
    far.on('data', (chunk) => (state === 'silent' ? undefined : near.write(chunk)));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const url = new URL(databaseUrl);
  const user = url.searchParams.get('user') ?? url.username;
  return {
    url: `postgresql://${user}@127.0.0.1:${(server.address() as AddressInfo).port}${url.pathname}`,
    silence: () => {
      state = 'silent';
    },
    breakOff: () => {
      state = 'broken';
      breakAll();
    },
    restore: () => {
      state = 'whole';
      breakAll();
    },
    [Symbol.asyncDispose]: async () => {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
describe('an unavailable database', () => {
  it('responds in time while the database is unavailable or silent, and works again afterwards', async () => {
    await using simulator = await startSimulator();
    await using created = await createTestDatabase();
    await using link = await linkTo(created.url);
    await using service = await startTestService({
      simulator,
      databaseUrl: link.url,
      settings: { LOOKUP_BUDGET_MS: '100' },
    });
    const before = await until(async () => {
      const response = await service.get('ada-lovelace');
      return response.status === 200 ? response : undefined;
    }, 'it is known');
    for (const disturbance of ['breakOff', 'silence'] as const) {
      // A job is running whose end the database does not receive.
      const underWay = disturbance === 'breakOff' ? 'person-8' : 'person-9';
      simulator.faults.add({ kind: 'slow', on: 'Account', delayMs: 300 });
      const requestCount = simulator.requests.length;
      await service.get(underWay);
      await until(async () => (simulator.requests.length > requestCount ? true : undefined), 'the provider is asked');
      link[disturbance]();
      const responses = await Promise.all(
        ['ada-lovelace?v=1', 'person-1', 'person-2/contributors'].map((path) => service.get(path)),
      );
      for (const { status, body, headers } of responses) {
        assert.deepEqual([status, body.error?.type], [503, 'unavailable']);
        assert.ok(Number(headers.get('retry-after')) > 0);
      }
      link.restore();
      await until(async () => ((await service.get('/readyz')).status === 200 ? true : undefined), 'it is ready again');
      assert.equal((await service.get('ada-lovelace')).text, before.text);
      await until(
        async () => ((await service.get('person-4')).status === 200 ? true : undefined),
        'workers work again',
      );
    }
  });
});
