import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import type { ConnectionPool } from '../../../src/database/connections/connection.ts';
import { isDatabaseUnavailable } from '../../../src/database/connections/unavailable.ts';
import { pointRead } from '../../../src/database/reads/point-reads.ts';
import { openRequestPool } from '../../../src/database/reads/request-pool.ts';
import { withinScope } from '../../../src/database/reads/statement-scope.ts';
import { AppError } from '../../../src/model/errors.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { until } from '../../time.ts';

interface Opened extends AsyncDisposable {
  requests: ConnectionPool;
  /** Returns the numbers of the statements that sleep in the server. */
  sleeping: () => Promise<number>;
}

async function open(limits: { statementTimeoutMs?: number; maxConnections?: number } = {}): Promise<Opened> {
  const { database, ...opened } = await reuseTestDatabase();
  const { statementTimeoutMs = 60_000, maxConnections = 2 } = limits;
  const requests = openRequestPool(database.clientConfig, { maxConnections, statementTimeoutMs });
  return {
    requests,
    sleeping: async () => {
      const { rows } = await database.pool.query<{ count: number }>(
        `select count(*) from pg_stat_activity where datname = current_database() and state = 'active'
           and query like '%pg_sleep%' and pid <> pg_backend_pid()`,
      );
      return rows[0]?.count ?? Number.NaN;
    },
    [Symbol.asyncDispose]: async () => {
      await requests.close();
      await opened[Symbol.asyncDispose]();
    },
  };
}

const sleep = ({ connection }: ConnectionPool): Promise<unknown> => sql`select pg_sleep(60)`.execute(connection);
const isCode = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

describe('statements of requests', () => {
  it('fail like those on a database that cannot be reached, once their connections are closed', async () => {
    await using opened = await reuseTestDatabase();
    const limits = { maxConnections: 1, statementTimeoutMs: 60_000 };
    const requests = openRequestPool(opened.database.clientConfig, limits);
    await requests.close();
    await assert.rejects(sql`select 1`.execute(requests.connection), isDatabaseUnavailable);
    await assert.rejects(requests.pool.query('select 1'), isDatabaseUnavailable);
  });

  it('end in the server when no caller waits for them any more', async () => {
    await using opened = await open();
    const { requests, sleeping } = opened;
    const ending = new AbortController();
    const work = withinScope({ signal: ending.signal, isExpensive: false }, () => sleep(requests));
    await until(async () => ((await sleeping()) === 1 ? true : undefined), 'the statement runs');
    ending.abort();
    await assert.rejects(work, isCode('too_slow'));
    // The server reports the end to the client shortly before its table of activities shows it.
    await until(async () => ((await sleeping()) === 0 ? true : undefined), 'the statement has ended');
  });

  it('roll their transaction back when no caller waits for them any more, and leave the connection usable', async () => {
    await using opened = await open({ maxConnections: 1 });
    const { requests, sleeping } = opened;
    const { connection } = requests;
    const backend = async (): Promise<number | undefined> =>
      (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection)).rows[0]?.pid;
    const before = await backend();
    const ending = new AbortController();
    const work = withinScope({ signal: ending.signal, isExpensive: false }, () =>
      connection.transaction().execute(async (transaction) => {
        await sql`create table made (id integer)`.execute(transaction);
        await sql`select pg_sleep(60)`.execute(transaction);
      }),
    );
    await until(async () => ((await sleeping()) === 1 ? true : undefined), 'the statement runs');
    ending.abort();
    await assert.rejects(work);
    const { rows } = await sql<{ made: string | null }>`select to_regclass('made')::text as made`.execute(connection);
    assert.equal(rows[0]?.made, null);
    assert.equal(await backend(), before);
  });

  it('are never canceled in the place of another one that the connection runs next', async () => {
    await using opened = await open({ maxConnections: 1 });
    const { connection } = opened.requests;
    for (let round = 0; round < 100; round += 1) {
      const ending = new AbortController();
      const ended = withinScope({ signal: ending.signal, isExpensive: false }, async () =>
        sql`select pg_sleep(0.002)`.execute(connection),
      ).catch(() => {});
      const next = sql<{ round: number }>`select ${round}::integer as round from pg_sleep(0.005)`.execute(connection);
      setTimeout(() => ending.abort(), round % 5);
      assert.equal((await next).rows[0]?.round, round);
      await ended;
    }
  });

  it('do not run when no caller waits for them any more', async () => {
    await using opened = await open();
    const { connection } = opened.requests;
    const ending = new AbortController();
    const work = withinScope({ signal: ending.signal, isExpensive: false }, async () => {
      ending.abort();
      await sql`create table made (id integer)`.execute(connection);
    });
    await assert.rejects(work, isCode('too_slow'));
    const { rows } = await sql<{ made: string | null }>`select to_regclass('made')::text as made`.execute(connection);
    assert.equal(rows[0]?.made, null);
  });

  it('fail as overload when they take too long', async () => {
    await using opened = await open({ statementTimeoutMs: 50 });
    await assert.rejects(sleep(opened.requests), isCode('overloaded'));
    // PostgreSQL sends the error before it reports that the statement has ended.
    await until(async () => ((await opened.sleeping()) === 0 ? true : undefined), 'the statement has ended');
  });
});

describe('point reads of requests', () => {
  const prepared = async ({ connection }: ConnectionPool): Promise<readonly string[]> => {
    const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(connection);
    return rows.map(({ statement }) => statement);
  };

  it('are prepared once by a connection, and other statements and those in transactions are not', async () => {
    await using opened = await open({ maxConnections: 1 });
    const { requests } = opened;
    const { connection } = requests;
    const read = (reader: typeof connection, value: number) =>
      sql<{ found: number }>`select ${pointRead} ${value}::integer as found`.execute(reader);
    await connection.transaction().execute((transaction) => read(transaction, 1));
    assert.deepEqual(await prepared(requests), []);
    for (const value of [1, 2]) assert.deepEqual((await read(connection, value)).rows, [{ found: value }]);
    const [statement, ...others] = await prepared(requests);
    assert.match(statement ?? '', /point read/);
    assert.deepEqual(others, []);
  });

  const scoped = <Result>(work: () => Promise<Result>, signal = new AbortController().signal): Promise<Result> =>
    withinScope({ signal, isExpensive: false }, work);
  const backend = async ({ connection }: ConnectionPool, isPointRead: boolean): Promise<number | undefined> => {
    const mark = isPointRead ? pointRead : sql``;
    const { rows } = await sql<{ pid: number }>`select ${mark} pg_backend_pid() as pid`.execute(connection);
    return rows[0]?.pid;
  };

  it('take one connection together where they run for one caller at once, and others one each', async () => {
    await using opened = await open({ maxConnections: 3 });
    const { requests } = opened;
    const findPids = async (kinds: readonly boolean[]): Promise<Set<number | undefined>> =>
      new Set(await Promise.all(kinds.map((isPointRead) => backend(requests, isPointRead))));
    assert.equal((await scoped(() => findPids([true, true, true, true, true]))).size, 1);
    assert.equal((await scoped(() => findPids([false, true, false, true]))).size, 3);
    const inTransaction = await scoped(() =>
      requests.connection.transaction().execute(async (transaction) => {
        const own = await backend({ ...requests, connection: transaction }, true);
        return { own, beside: await backend(requests, true) };
      }),
    );
    assert.notEqual(inTransaction.own, inTransaction.beside);
  });

  it('do not fail with one beside them, and give their connection back', async () => {
    await using opened = await open({ maxConnections: 1 });
    const { requests } = opened;
    const { connection } = requests;
    for (let round = 0; round < 3; round += 1) {
      const results = await scoped(() =>
        Promise.allSettled([
          backend(requests, true),
          sql`select ${pointRead} 1 / (${round}::integer - ${round}::integer)`.execute(connection),
          backend(requests, true),
        ]),
      );
      assert.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
    }
    assert.notEqual(await scoped(() => backend(requests, false)), undefined);
  });

  it('give the same rows alone as together with others', async () => {
    await using opened = await open({ maxConnections: 1 });
    const { connection } = opened.requests;
    const readAll = () =>
      scoped(() =>
        Promise.all([
          sql`select ${pointRead} ${'a\0b'}::text as text, null::text as nothing, 7::bigint as large, 1.5::float8 as part`.execute(
            connection,
          ),
          sql`select ${pointRead} n, array[n, 2] as list, '2026-03-04 05:06:07Z'::timestamptz as time, n = 1 as is_first
            from generate_series(1, ${3}::integer) n`.execute(connection),
          sql`select ${pointRead} 1 as never where ${false}::boolean`.execute(connection),
        ]),
      );
    const alone = await readAll();
    assert.equal(alone[1]?.rows.length, 3);
    for (const expected of [alone, alone]) {
      assert.deepEqual(
        (await readAll()).map(({ rows }) => rows),
        expected.map(({ rows }) => rows),
      );
    }
  });

  it('are each reported with their time where they are sent together', async () => {
    await using opened = await reuseTestDatabase();
    let reported = 0;
    const observer = { onOpen: () => {}, onWait: () => {}, onStatement: () => void (reported += 1) };
    const requests = openRequestPool(opened.database.clientConfig, {
      maxConnections: 1,
      statementTimeoutMs: 60_000,
      observer,
    });
    const readBoth = () =>
      scoped(() => Promise.all([backend(requests, true), sql`select ${pointRead} 1`.execute(requests.connection)]));
    await readBoth();
    reported = 0;
    await readBoth();
    assert.equal(reported, 2);
    await requests.close();
  });

  it('all end when no caller waits for them any more', async () => {
    await using opened = await open({ maxConnections: 1 });
    const { requests, sleeping } = opened;
    const { connection } = requests;
    const ending = new AbortController();
    const work = scoped(
      () => Promise.allSettled([1, 2, 3].map((n) => sql`select ${pointRead} pg_sleep(60 + ${n})`.execute(connection))),
      ending.signal,
    );
    await until(async () => ((await sleeping()) === 1 ? true : undefined), 'the first statement runs');
    ending.abort();
    for (const result of await work) {
      assert.ok(result.status === 'rejected' && isCode('too_slow')(result.reason), JSON.stringify(result));
    }
    assert.notEqual(await backend(requests, false), undefined);
  });

  it('read again when the columns of their tables changed since', async () => {
    await using opened = await open({ maxConnections: 1 });
    const { requests } = opened;
    const { connection } = requests;
    await sql`create table changing as select 1 as first`.execute(connection);
    const read = async () => (await sql`select ${pointRead} * from changing`.execute(connection)).rows;
    assert.deepEqual(await read(), [{ first: 1 }]);
    await sql`alter table changing add column second integer default 2`.execute(connection);
    assert.deepEqual(await read(), [{ first: 1, second: 2 }]);
    assert.deepEqual(await read(), [{ first: 1, second: 2 }]);
    assert.equal((await prepared(requests)).length, 1, 'by a connection that has prepared it again');
  });

  it('are not prepared behind a pooler', async () => {
    await using opened = await reuseTestDatabase();
    const clientConfig = { ...opened.database.clientConfig, statement_timeout: false as const };
    const requests = openRequestPool(clientConfig, { maxConnections: 1, statementTimeoutMs: 60_000 });
    await sql`select ${pointRead} 1 as found`.execute(requests.connection);
    assert.deepEqual(await prepared(requests), []);
    await requests.close();
  });
});
