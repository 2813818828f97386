import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pool } from 'pg';
import type { ServiceResponse, TestService } from '../../e2e/service.ts';
import { until } from '../../time.ts';
import { startStoredService } from './stored-service.ts';

const organizations = 16;
/** Expensive statements get half of the connections for requests. */
const expensiveStatements = 4;
/** A time limit of 4.1 s for a statement and of 5.1 s for a response. */
const settings = { LOOKUP_BUDGET_MS: '100', REQUEST_CONNECTIONS: '8' };

/** Stores organizations `large-1`, … that nothing is fetched for. */
async function addOrganizations(pool: Pool): Promise<void> {
  await pool.query(
    `with owners as (
       insert into accounts (id, provider, external_id, handle, type, name, named_at, fetched_at, listed_at, pinned,
         created_at, updated_at)
       select gen_random_uuid(), 'github', 'large-' || n, 'large-' || n, 'organization', 'large-' || n, now(), now(),
         now(), true, now(), now()
       from generate_series(1, $1) n returning id, name)
     insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
       listed_at, collected_at, created_at, updated_at)
     select gen_random_uuid(), 'github', name, name, id, 'engine', false, false, now(), now(), now(), now(), now()
     from owners`,
    [organizations],
  );
}

/** Locks the items and the days, from which windows and calendars are counted, so that each statement on them waits until the lock is released. */
async function lockLargeTables(pool: Pool): Promise<AsyncDisposable> {
  const client = await pool.connect();
  await client.query('begin');
  await client.query('lock table contribution_days, contributions in access exclusive mode');
  return {
    [Symbol.asyncDispose]: async () => {
      await client.query('rollback');
      client.release();
    },
  };
}

/** Returns the number of statements that wait for the lock in the server. */
async function slowStatements(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows[0]?.count ?? Number.NaN;
}

const calendar = (n: number, theme = 'light'): string =>
  `large-${n}/contributions?card=calendar&format=svg&theme=${theme}`;
const numbers = Array.from({ length: organizations }, (_, index) => index + 1);

describe('slow reads of large organizations', () => {
  it('get 503 with Retry-After, end in the database, and let all other requests pass', async () => {
    await using service = await startStoredService({ holdsWorld: true, settings });
    const { pool } = service.database;
    await addOrganizations(pool);
    const cached = ['ada-lovelace', 'ada-lovelace/contributions', 'ada-lovelace/contributions?format=svg'];
    const before = await Promise.all(cached.map((path) => service.get(path)));
    await using lock = await lockLargeTables(pool);
    assert.ok(lock);

    const calendars = numbers.map((n) => service.get(calendar(n)));
    const contributors = numbers.map((n) => service.get(`large-${n}/contributors?period=2025`));
    const slow = Promise.all([...calendars, ...contributors]);
    await until(
      async () => ((await slowStatements(pool)) === expensiveStatements ? true : undefined),
      'the slow statements run',
    );
    await assertOthersPass(service, cached, before);

    await slow;
    for (const { status, headers, text } of await Promise.all(calendars)) {
      // Proxies show no image with another status.
      assert.deepEqual([status, headers.get('x-error-code')], [200, '0'], text);
      assert.ok(Number(headers.get('retry-after')) > 0);
    }
    for (const { status, headers, body } of await Promise.all(contributors)) {
      assert.deepEqual([status, body.error?.code, body.error?.type], [503, 0, 'overloaded']);
      assert.ok(Number(headers.get('retry-after')) > 0);
    }
    await until(async () => ((await slowStatements(pool)) === 0 ? true : undefined), 'the statements ended');
  });

  it('end in the database when their clients have disconnected', async () => {
    await using service = await startStoredService({ settings });
    const { pool } = service.database;
    await addOrganizations(pool);
    const client = new AbortController();
    {
      await using lock = await lockLargeTables(pool);
      assert.ok(lock);
      const abandoned = [1, 2].map((n) => service.get(calendar(n), { signal: client.signal }));
      await until(async () => ((await slowStatements(pool)) === 2 ? true : undefined), 'the statements run');
      client.abort();
      await Promise.allSettled(abandoned);
      await until(async () => ((await slowStatements(pool)) === 0 ? true : undefined), 'the statements ended');
    }
    const { status, headers } = await service.get(calendar(1));
    assert.deepEqual([status, headers.get('x-error-code')], [200, null]);
    assert.deepEqual(
      service.lines.filter((line) => line.includes('a request failed')),
      [],
    );
  });

  it('are read once for requests that need the same at the same time', async () => {
    await using service = await startStoredService({ settings });
    const { pool } = service.database;
    await addOrganizations(pool);
    let shared: Promise<ServiceResponse[]>;
    {
      await using lock = await lockLargeTables(pool);
      assert.ok(lock);
      const themes = ['light', 'dark', 'nord'];
      shared = Promise.all(themes.map((theme) => service.get(calendar(1, theme))));
      const otherOrganization = service.get(calendar(2));
      await until(async () => ((await slowStatements(pool)) === 2 ? true : undefined), 'the statements run');
      // The cheap statements of a request that needs nothing slow run after those of all requests before it.
      await service.get('large-3');
      assert.equal(await slowStatements(pool), 2);
      shared = shared.then(async (responses) => [...responses, await otherOrganization]);
    }
    for (const { status, headers } of await shared)
      assert.deepEqual([status, headers.get('x-error-code')], [200, null]);
  });
});

/** Requests cached and cheap responses. */
async function assertOthersPass(
  service: TestService,
  cached: readonly string[],
  before: readonly ServiceResponse[],
): Promise<void> {
  for (let round = 0; round < 10; round += 1) {
    const responses = await Promise.all(cached.map((path) => service.get(path)));
    assert.deepEqual(
      responses.map(({ status, text }) => [status, text]),
      before.map(({ text }) => [200, text]),
    );
    for (const path of ['/healthz', '/readyz', `ada-lovelace?not=cached-${round}`, service.service.metricsUrl ?? '']) {
      const url = path.startsWith('http') ? `${path}/metrics` : undefined;
      const { status } = url === undefined ? await service.get(path) : await fetch(url);
      assert.equal(status, 200, path);
    }
  }
}
