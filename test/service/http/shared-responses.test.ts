import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pool } from 'pg';
import { announce } from '../../../src/database/queue/announcements.ts';
import type { ServiceResponse } from '../../e2e/service.ts';
import { ada, bearer, keeper, serviceToken } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { shareStoredService, startStoredService } from './stored-service.ts';

const requests = 8;
/** Responses come from the primary, whose waiting statements the tests see. */
const settings = { REQUEST_CONNECTIONS: '12', DATABASE_REPLICA_URL: '' };
/** A pooler has statements wait where the tests do not see them. */
const skip = process.env['TEST_POOLER_URL'] !== undefined;
const user = '/v1/github/entities/ada-lovelace';
/** The statement that finds the account of a request. */
const toResolve = 1;

/** Counts the statements of requests that have ended. */
function countStatements() {
  const counted = { ended: 0 };
  const onStatement = (): void => void (counted.ended += 1);
  const nothing = (): void => {};
  return {
    counted,
    observePool: (name: string) => ({
      onOpen: nothing,
      onWait: nothing,
      onStatement: name === 'requests' ? onStatement : nothing,
    }),
  };
}

/** Locks a table, so that each statement on it waits until the lock is released. */
async function lock(pool: Pool, table: string): Promise<AsyncDisposable> {
  const client = await pool.connect();
  await client.query('begin');
  await client.query(`lock table ${table} in access exclusive mode`);
  return {
    [Symbol.asyncDispose]: async () => {
      await client.query('rollback');
      client.release();
    },
  };
}

/** Returns the processes of the server whose statements wait for the lock. */
async function waitingProcesses(pool: Pool): Promise<number[]> {
  const { rows } = await pool.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.map(({ pid }) => pid);
}

async function untilWaiting(pool: Pool, count: number): Promise<void> {
  await until(
    async () => ((await waitingProcesses(pool)).length === count ? true : undefined),
    `${count} statements wait for the lock`,
  );
}

/** Makes the address of a response that no other test has requested. */
let addresses = 0;
const unlike = (path: string): string => {
  addresses += 1;
  return `${path}${path.includes('?') ? '&' : '?'}v=${addresses}`;
};
/** Makes the address of a card that no other test has requested; further parameters do not change a card. */
const otherCard = (): string => {
  addresses += 1;
  return `${user}/contributions?format=svg&width=${400 + addresses}`;
};

const responses: [title: string, make: () => string][] = [
  ['responses in JSON', () => unlike(`${user}/contributions`)],
  ['cards', otherCard],
  ['pages', () => unlike('/github/ada-lovelace')],
];

describe('requests for the same response at the same time', { skip }, () => {
  const { counted, observePool } = countStatements();
  const shared = shareStoredService({ service: { settings, observePool } });
  const get = (path: string, init?: RequestInit): Promise<ServiceResponse> => shared.service.get(path, init);
  const pool = (): Pool => shared.service.database.pool;

  /** Sends one request, and others once its statement waits; ends when all others have found their account. */
  async function sendTogether(first: string, others: readonly string[]): Promise<{ all: Promise<ServiceResponse[]> }> {
    const one = get(first);
    await untilWaiting(pool(), 1);
    const before = counted.ended;
    const rest = others.map((path) => get(path));
    await until(
      async () => (counted.ended >= before + toResolve * others.length ? true : undefined),
      'the accounts of all requests are found',
    );
    return { all: Promise.all([one, ...rest]) };
  }

  for (const [title, make] of responses) {
    it(`read the data of ${title} once`, async () => {
      await get(make());
      const begun = counted.ended;
      const alone = await get(make());
      const statements = counted.ended - begun;
      assert.equal(alone.status, 200);

      const path = make();
      let all: Promise<ServiceResponse[]> | undefined;
      const before = counted.ended;
      {
        await using locked = await lock(pool(), 'counters');
        assert.ok(locked);
        ({ all } = await sendTogether(
          path,
          Array.from({ length: requests - 1 }, () => path),
        ));
        assert.equal((await waitingProcesses(pool())).length, 1);
      }
      const [first, ...others] = (await all) ?? [];
      assert.equal(first?.status, 200);
      for (const { status, text, headers } of others) {
        assert.deepEqual([status, text, headers.get('etag')], [200, first.text, first.headers.get('etag')]);
      }
      assert.equal(others.length, requests - 1);
      assert.equal(counted.ended - before, statements + toResolve * (requests - 1));
      const sent = counted.ended;
      assert.equal((await get(path)).text, first.text);
      assert.equal(counted.ended, sent);
    });
  }

  it('share a card between equivalent addresses, each of which is cached', async () => {
    const path = otherCard();
    const [same, other] = [`${path}&v=1`, `${path}&v=2`];
    let all: Promise<ServiceResponse[]> | undefined;
    {
      await using locked = await lock(pool(), 'counters');
      assert.ok(locked);
      ({ all } = await sendTogether(path, [same, other]));
      assert.equal((await waitingProcesses(pool())).length, 1);
    }
    const texts = ((await all) ?? []).map(({ text }) => text);
    assert.deepEqual(new Set(texts).size, 1);
    const sent = counted.ended;
    for (const address of [path, same, other]) assert.equal((await get(address)).text, texts[0]);
    assert.equal(counted.ended, sent);
  });

  it('go on when the first of them disconnects, and end with the last', async () => {
    const path = otherCard();
    const clients = [new AbortController(), new AbortController()];
    {
      await using locked = await lock(pool(), 'counters');
      assert.ok(locked);
      const first = get(path, { signal: clients[0]?.signal ?? assert.fail() });
      await untilWaiting(pool(), 1);
      const [running] = await waitingProcesses(pool());
      const before = counted.ended;
      const second = get(path, { signal: clients[1]?.signal ?? assert.fail() });
      await until(async () => (counted.ended > before ? true : undefined), 'the second account is found');
      clients[0]?.abort();
      await assert.rejects(first);
      // The service reads the end of the first connection before this request.
      assert.equal((await get('/healthz')).status, 200);
      assert.deepEqual(await waitingProcesses(pool()), [running]);
      clients[1]?.abort();
      await assert.rejects(second);
      await untilWaiting(pool(), 0);
    }
    const before = counted.ended;
    assert.equal((await get(path)).status, 200);
    assert.ok(counted.ended > before);
  });

  it('all get the error of the shared work, which is not kept', async () => {
    const path = unlike(`${user}/contributions`);
    let all: Promise<ServiceResponse[]> | undefined;
    {
      await using locked = await lock(pool(), 'counters');
      assert.ok(locked);
      ({ all } = await sendTogether(path, [path, path]));
      for (const pid of await waitingProcesses(pool()))
        await pool().query('select pg_terminate_backend($1::integer)', [pid]);
      assert.deepEqual(
        ((await all) ?? []).map(({ status }) => status),
        [503, 503, 503],
      );
    }
    // The pool may lend the connection once more before its end arrives.
    await until(async () => ((await get(path)).status === 200 ? true : undefined), 'the response is made again');
  });

  it('do not share data that was read before a change, and the former state is not cached', async () => {
    const path = unlike('/github/ada-lovelace');
    const { connection } = shared.service.database;
    const { rows } = await pool().query<{ id: string }>('select id from accounts where name = $1', ['ada-lovelace']);
    const id = rows[0]?.id ?? assert.fail();
    let [first, second]: Promise<ServiceResponse>[] = [];
    {
      // The page reads awards after the account.
      await using locked = await lock(pool(), 'awards');
      assert.ok(locked);
      first = get(path);
      await untilWaiting(pool(), 1);
      await pool().query("update accounts set display_name = 'Ada Changed' where id = $1", [id]);
      await announce(connection, { kind: 'account', key: id });
      second = get(path);
      await untilWaiting(pool(), 2);
    }
    assert.doesNotMatch((await first)?.text ?? '', /Ada Changed/);
    assert.match((await second)?.text ?? '', /Ada Changed/);
    assert.match((await get(path)).text, /Ada Changed/);
  });

  it('share nothing with those of an owner, which share nothing with each other', async () => {
    const { service, simulator } = shared;
    const token = await serviceToken(service, simulator, keeper);
    const path = unlike(`${keeper.name}/contributions?private=true`);
    let all: Promise<ServiceResponse>[] = [];
    {
      await using locked = await lock(pool(), 'counters');
      assert.ok(locked);
      all = [get(path), get(path, bearer(token)), get(path, bearer(token))];
      await untilWaiting(pool(), 3);
    }
    const included = (await Promise.all(all)).map(({ body }) => body.meta_data.includes_private === true);
    assert.deepEqual(included, [false, true, true]);
  });

  it('each read items in repositories of others, whose changes are not known', async () => {
    const make = (): string => unlike(`${ada.name}/contributions/issues`);
    await get(make());
    const begun = counted.ended;
    assert.equal((await get(make())).status, 200);
    const statements = counted.ended - begun;
    const path = make();
    let all: Promise<ServiceResponse[]> | undefined;
    const before = counted.ended;
    {
      await using locked = await lock(pool(), 'contributions');
      assert.ok(locked);
      ({ all } = await sendTogether(path, [path]));
    }
    assert.deepEqual(
      ((await all) ?? []).map(({ status }) => status),
      [200, 200],
    );
    assert.equal(counted.ended - before, 2 * statements);
  });

  it('each get the lookups that their own address may start', async () => {
    await using service = await startStoredService({
      settings: { ...settings, TRUST_PROXY: 'loopback', LOOKUPS_PER_HOUR: '1' },
    });
    const from = (address: string, path: string): Promise<ServiceResponse> =>
      service.get(path, { headers: { 'x-forwarded-for': address } });
    await service.database.pool.query(
      `insert into accounts (id, provider, external_id, handle, type, name, named_at, fetched_at, created_at, updated_at)
       values (gen_random_uuid(), 'github', 'unlisted', 'unlisted', 'organization', 'unlisted', now(), now(), now(), now())`,
    );
    await from('192.0.2.1', 'unknown-name');
    let all: Promise<ServiceResponse>[] = [];
    {
      await using locked = await lock(service.database.pool, 'owner_sums');
      assert.ok(locked);
      all = [from('192.0.2.1', 'unlisted/contributors')];
      await untilWaiting(service.database.pool, 1);
      all.push(from('198.51.100.1', 'unlisted/contributors'));
      await service.get('/healthz');
    }
    const [late, soon] = (await Promise.all(all)).map(({ status, headers }) => [
      status,
      Number(headers.get('retry-after')),
    ]);
    assert.deepEqual(soon, [202, 3]);
    assert.equal(late?.[0], 202);
    assert.ok((late?.[1] ?? 0) > 60);
    const { rows } = await service.database.pool.query("select state from lookups where key like 'collect %'");
    assert.deepEqual(rows, [{ state: 'running' }]);
  });
});
