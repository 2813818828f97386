import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { listContributors } from '../../simulators/world/expected-totals.ts';
import { changeProfile, setVisibility } from '../../simulators/world/mutations.ts';
import { checkLocks } from '../../src/app/doctor/checks/database.ts';
import type { Database } from '../../src/database/connections/connection.ts';
import { openDatabase } from '../../src/database/connections/open.ts';
import { openPool } from '../../src/database/connections/pool.ts';
import { inOneTransaction } from '../../src/database/connections/transaction.ts';
import { openRequestPool } from '../../src/database/reads/request-pool.ts';
import { withinScope } from '../../src/database/reads/statement-scope.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { linkTo } from '../database-link.ts';
import { toDatabaseUrl } from '../database-server.ts';
import { untilIdle } from '../e2e/access/state.ts';
import { organization, startAppService, untilRepositoryIs } from '../e2e/installations/installed.ts';
import { startServiceProcess } from '../e2e/installed/service-process.ts';
import { startTestService } from '../e2e/service.ts';
import { type Pooler, type PoolerOptions, poolerIsMissing, startPooler } from '../servers/pooler.ts';
import { clock, until } from '../time.ts';

interface Pooled extends AsyncDisposable {
  created: TestDatabase;
  pooler: Pooler;
  /** The address through the pooler. */
  url: string;
  /** The settings of a node behind the pooler. */
  settings: { DATABASE_DIRECT_URL: string };
}

async function createPooled(options?: PoolerOptions): Promise<Pooled> {
  await using stack = new AsyncDisposableStack();
  const created = stack.use(await createTestDatabase());
  const pooler = stack.use(await startPooler(created.url, options));
  const opened = stack.move();
  return {
    created,
    pooler,
    url: pooler.toUrl(created.url),
    settings: { DATABASE_DIRECT_URL: created.url },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const open = (databaseUrl: string, databaseDirectUrl?: string): ReturnType<typeof openDatabase> =>
  openDatabase({ databaseUrl, databaseDirectUrl, dataDir: '/nonexistent', log: () => {} });

const skip = poolerIsMissing;

describe('detection of a pooler behind an address', { skip }, () => {
  const refusal = { message: /^DATABASE_URL leads to a pooler, such as PgBouncer: set DATABASE_DIRECT_URL / };

  it('refuses a pooler without the address of the database itself', async () => {
    await using pooled = await createPooled();
    await assert.rejects(open(pooled.url), refusal);
  });

  it('finds the pooler, however many sessions it has in use', async () => {
    await using pooled = await createPooled({ size: 6, ignoredParameters: 'statement_timeout' });
    const clients = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const client = new Client({ connectionString: pooled.url });
        await client.connect();
        await client.query('begin');
        return client;
      }),
    );
    for (const client of clients) {
      await assert.rejects(open(pooled.url), refusal);
      await client.query('rollback');
    }
    await assert.rejects(open(pooled.url), refusal);
    await Promise.all(clients.map((client) => client.end()));
  });

  it('needs no other address when each connection keeps its session', async () => {
    await using pooled = await createPooled({ mode: 'session', size: 10, ignoredParameters: 'statement_timeout' });
    const database = await open(pooled.url);
    await database.close();
  });

  it('refuses a pooler as the address of the database itself', async () => {
    await using pooled = await createPooled();
    await assert.rejects(open(pooled.url, pooled.url), { message: /^DATABASE_DIRECT_URL leads to a pooler/ });
  });

  it('refuses two addresses that lead to different databases', async () => {
    await using pooled = await createPooled();
    await using otherDatabase = await createTestDatabase();
    await assert.rejects(open(pooled.url, otherDatabase.url), { message: /must lead to the same database/ });
    await assert.rejects(open(pooled.url, toDatabaseUrl(otherDatabase.url, 'absent')), {
      message: /^The database does not respond: .*Check DATABASE_DIRECT_URL$/,
    });
  });
});

const isSleeping = async ({ pool }: Pick<Database, 'pool'>): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `select from pg_stat_activity where state = 'active' and query like '%pg_sleep%' and pid <> pg_backend_pid()
       and datname = current_database()`,
  );
  return rowCount !== null && rowCount > 0;
};

describe('statements behind a pooler', { skip }, () => {
  const sleeping = async (direct: Client): Promise<number> => {
    const { rowCount } = await direct.query(
      `select from pg_stat_activity where state = 'active' and query like '%pg_sleep%' and pid <> pg_backend_pid()
         and datname = current_database()`,
    );
    return rowCount ?? 0;
  };

  it('end in the server with their request, and after their time limit', async () => {
    await using pooled = await createPooled({ size: 2 });
    const database = await open(pooled.url, pooled.created.url);
    const requests = openRequestPool(database.clientConfig, { maxConnections: 2, statementTimeoutMs: 500 });
    const patient = openRequestPool(database.clientConfig, { maxConnections: 2, statementTimeoutMs: 60_000 });
    const direct = new Client(database.sessionConfig);
    await direct.connect();
    try {
      await assert.rejects(sql`select pg_sleep(60)`.execute(requests.connection), /Query read timeout/);
      await until(async () => ((await sleeping(direct)) === 0 ? true : undefined), 'the server runs it no more');
      for (let round = 0; round < 5; round += 1) {
        const ending = new AbortController();
        const work = withinScope({ signal: ending.signal, isExpensive: false }, () =>
          sql`select pg_sleep(60)`.execute(patient.connection),
        );
        await until(async () => ((await sleeping(direct)) === 1 ? true : undefined), 'the statement runs');
        ending.abort();
        await assert.rejects(work, { code: 'too_slow' });
        // The process of the server has the signal by then, and ends the statement when it runs next: long before its end.
        const hasEnded = async (): Promise<true | undefined> => ((await sleeping(direct)) === 0 ? true : undefined);
        await until(hasEnded, 'the server runs it no more', 20_000);
      }
    } finally {
      await direct.end();
      await requests.close();
      await patient.close();
      await database.close();
    }
  });
});

describe('transactions of a client that vanished behind a pooler', { skip }, () => {
  const lock = sql`lock table announcements in exclusive mode`;
  // The node would give up a statement after its limit and half a second: later than the server in both cases.
  for (const [kind, statement, statementTimeoutMs] of [
    ['between two statements', sql`select 1`, 600_000],
    ['while a statement runs', sql`select pg_sleep(600)`, 15_000],
  ] as const) {
    it(`are named, and lose their locks, when it fell silent ${kind}`, async () => {
      await using pooled = await createPooled({ size: 2 });
      await using link = await linkTo(pooled.url);
      const muted = await open(link.url, pooled.created.url);
      const direct = await open(pooled.created.url);
      const few = openPool(muted.clientConfig, { maxConnections: 1, statementTimeoutMs });
      try {
        const locked = Promise.withResolvers<void>();
        const holding = inOneTransaction(few.connection, async (transaction) => {
          await lock.execute(transaction);
          const sent = statement.execute(transaction);
          if (kind === 'between two statements') await sent;
          else await until(async () => (await isSleeping(direct)) || undefined, 'the statement runs');
          link.silence('all');
          locked.resolve();
          await sent;
          await statement.execute(transaction);
        });
        const ended = assert.rejects(holding);
        await locked.promise;
        const waiting = inOneTransaction(direct.connection, (transaction) => lock.execute(transaction));
        const [finding] = await until(async () => {
          const found = await checkLocks(direct.connection, new Date());
          return found.length > 0 ? found : undefined;
        }, 'a session waits for five seconds');
        assert.match(
          finding?.message ?? '',
          /a lock \(announcements\) of the transaction in session \d+ of plaudit.*: lock table/,
        );
        await waiting;
        await few.close();
        await ended;
      } finally {
        await few.close();
        await muted.close();
        await direct.close();
      }
    });
  }
});

describe('nodes behind a pooler in transaction mode', { skip }, () => {
  it('wait for lookups only until their outcome, and see the changes of each other', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now });
    await using pooled = await createPooled({ size: 3 });
    // Lookups end, and jobs begin, by notifications alone: neither time passes within a test.
    const settings = { ...pooled.settings, LOOKUP_BUDGET_MS: '60000' };
    const options = { simulator, now, jobPollMs: 3_600_000, databaseUrl: pooled.url, settings };
    await using first = await startTestService(options);
    await using second = await startTestService(options);
    await using unpooled = await startTestService({ ...options, databaseUrl: pooled.created.url, settings: {} });
    const nodes = [first, second, unpooled];
    for (const [index, node] of nodes.entries()) assert.equal((await node.get(`person-${index + 1}`)).status, 200);
    await Promise.all(nodes.map((node) => node.get('ada-lovelace')));
    for (const [index, node] of nodes.entries()) {
      const account = simulator.world.accountByLogin('ada-lovelace') ?? assert.fail();
      changeProfile(simulator.world, account, { bio: `Changed ${index}.` });
      advance(3700);
      await node.get('ada-lovelace');
      for (const reader of nodes) {
        await until(
          async () => ((await reader.get('ada-lovelace')).text.includes(`Changed ${index}.`) ? true : undefined),
          'the node knows of the change',
        );
      }
    }
  });

  it('collect, receive deliveries and hide what becomes private', async () => {
    await using simulator = await startSimulator({ repositories: 3 });
    await using pooled = await createPooled({ size: 3 });
    const options = { databaseUrl: pooled.url, settings: pooled.settings };
    await using first = await startAppService(simulator, options);
    await using second = await startAppService(simulator, { ...options, hasNoDeliveries: true });
    const owner = organization(simulator);
    simulator.app.install(owner);
    await untilRepositoryIs(first, 'engine-1', /^public installed collected/);
    await untilIdle(first);
    const assertCurrent = async (): Promise<void> => {
      for (const node of [first, second]) {
        const { body } = await node.getComplete(`${owner.login}/contributors?limit=100`);
        const stored = body.data.map(({ name, contributions }) => ({ login: name, contributions }));
        assert.deepEqual(stored, listContributors(simulator.world, owner.login));
      }
    };
    await assertCurrent();
    const repository = simulator.world.repository(owner.login, 'engine-1') ?? assert.fail();
    setVisibility(simulator.world, repository, 'private');
    await untilRepositoryIs(first, 'engine-1', /^private/);
    await assertCurrent();
  });

  it('leave no lock behind when they are killed, also while they migrate', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using pooled = await createPooled({ size: 3 });
    await using directory = await makeTemporaryDirectory();
    const direct = new Client({ connectionString: pooled.created.url });
    await direct.connect();
    const environment = {
      ...pooled.settings,
      DATABASE_URL: pooled.url,
      DATA_DIR: directory.path,
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
    };
    for (let round = 0; round < 2; round += 1) {
      await using service = await startServiceProcess(environment);
      await service.kill();
    }
    await until(async () => {
      const { rows } = await direct.query(
        `select from pg_locks where locktype = 'advisory'
           and database = (select oid from pg_database where datname = current_database())`,
      );
      return rows.length === 0 ? true : undefined;
    }, 'no lock is left');
    await direct.end();
  });
});
