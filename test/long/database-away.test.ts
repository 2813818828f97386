import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { createTestDatabase } from '../database.ts';
import { linkTo } from '../database-link.ts';
import { onServer } from '../database-server.ts';
import { untilIdle } from '../e2e/access/state.ts';
import { startTestService } from '../e2e/service.ts';
import { ada, bearer, serviceToken } from '../integration/access/owner.ts';
import { until } from '../time.ts';

describe('replacement of connections to the database', () => {
  it('replaces those that fall silent, and those that all end', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using created = await createTestDatabase();
    await using link = await linkTo(created.url);
    await using service = await startTestService({
      simulator,
      databaseUrl: link.url,
      settings: { LOOKUP_BUDGET_MS: '100' },
    });
    await until(async () => ((await service.get('ada-lovelace')).status === 200 ? true : undefined), 'it is known');
    // New connections work, as behind a pooler that was replaced; the existing ones never respond and never end.
    link.silence('existing');
    const reads = Array.from({ length: 10 }, (_, index) => `ada-lovelace?not=cached-${index}`);
    await until(async () => {
      const responses = await Promise.all(reads.map((path) => service.get(path)));
      return responses.every(({ status }) => status === 200) ? true : undefined;
    }, 'all reads succeed');
    await until(async () => ((await service.get('person-4')).status === 200 ? true : undefined), 'jobs work again');
    await until(async () => ((await service.get('/readyz')).status === 200 ? true : undefined), 'changes arrive again');

    const before = await service.get('ada-lovelace');
    await onServer(
      created.url,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const ready = await until(async () => {
      const response = await service.get('/readyz');
      return response.status === 200 ? response : undefined;
    }, 'it is ready again');
    assert.equal(ready.status, 200);
    assert.equal((await service.get('ada-lovelace')).text, before.text);
    await until(async () => ((await service.get('person-1')).status === 200 ? true : undefined), 'jobs work again');
  });
});

describe('service without its database', () => {
  it('serves public responses of the cache, refuses others in time, and works again afterwards', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using created = await createTestDatabase();
    await using link = await linkTo(created.url);
    await using service = await startTestService({
      simulator,
      databaseUrl: link.url,
      settings: { LOOKUP_BUDGET_MS: '100' },
    });
    const token = await serviceToken(service, simulator, ada);
    const paths = [ada.name, `${ada.name}/contributions?format=svg`];
    await until(async () => {
      const responses = await Promise.all(paths.map((path) => service.get(path)));
      return responses.every(({ status }) => status === 200) ? true : undefined;
    }, 'it is known');
    await untilIdle(service);
    const before = await Promise.all(paths.map((path) => service.get(path)));
    await service.get(ada.name, bearer(token));
    link.refuseConnections();
    await until(async () => ((await service.get('/readyz')).status === 503 ? true : undefined), 'it is unavailable');
    const during = await Promise.all(paths.map((path) => service.get(path)));
    assert.deepEqual(
      during.map(({ status, text }) => [status, text]),
      before.map(({ text }) => [200, text]),
    );
    assert.equal((await service.get(ada.name, bearer(token))).status, 503);
    assert.equal((await service.get(`${ada.name}?not=cached`)).status, 503);
    link.acceptConnections();
    await until(async () => ((await service.get('/readyz')).status === 200 ? true : undefined), 'it is ready again');

    for (const disturbance of ['breakOff', 'silence'] as const) {
      // A job is running whose end the database does not receive.
      const underWay = disturbance === 'breakOff' ? 'person-8' : 'person-9';
      simulator.faults.add({ kind: 'slow', on: 'Account', delayMs: 300 });
      const requestCount = simulator.requests.length;
      await service.get(underWay);
      await until(async () => (simulator.requests.length > requestCount ? true : undefined), 'the host is requested');
      if (disturbance === 'breakOff') link.refuseConnections();
      else link.silence('all');
      const responses = await Promise.all(
        ['ada-lovelace?v=1', 'person-1', 'person-2/contributors'].map((path) => service.get(path)),
      );
      for (const { status, body, headers } of responses) {
        assert.deepEqual([status, body.error?.type], [503, 'unavailable']);
        assert.ok(Number(headers.get('retry-after')) > 0);
      }
      link.acceptConnections();
      await until(async () => ((await service.get('/readyz')).status === 200 ? true : undefined), 'it is ready again');
      assert.equal((await service.get('ada-lovelace')).text, before[0]?.text);
      await until(
        async () => ((await service.get('person-4')).status === 200 ? true : undefined),
        'workers work again',
      );
    }
  });
});
