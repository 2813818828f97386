import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { removeCommits, saveAllCommits } from '../../../src/contributions/items/commit-store.ts';
import { findUncounted } from '../../../src/contributions/items/commits-again-store.ts';
import {
  findDueAddresses,
  findNamingCommits,
  postponeAddresses,
  saveResolved,
} from '../../../src/contributions/items/identity-store.ts';
import { countNewCommits } from '../../../src/contributions/totals/total-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { isOnCluster } from '../../database.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { until } from '../../time.ts';
import { addRepository } from './stored-repository.ts';

const now = new Date('2026-06-15T12:00:00Z');
const later = (days: number): Date => new Date(now.getTime() + days * 86_400_000);
const toOid = (number: number): string => number.toString(16).padStart(40, '0');

interface Fixture {
  database: Database;
  connection: Connection;
  repositoryId: string;
  /** Stores one commit for each pair of a day and the e-mail addresses of its people, author first. */
  store: (commits: readonly [number, ...string[]][], isCounted?: boolean) => Promise<void>;
  due: (at?: Date, maxRetries?: number) => Promise<string[]>;
  idOf: (email: string) => Promise<number>;
  accountOf: (email: string) => Promise<string | null>;
}

async function withFixture(check: (fixture: Fixture) => Promise<void>): Promise<void> {
  await using opened = await reuseTestDatabase();
  const { connection, pool } = opened.database;
  const repositoryId = await addRepository(connection);
  await pool.query("update repositories set default_branch = 'main'");
  let scanNumber = 0;
  await check({
    database: opened.database,
    connection,
    repositoryId,
    store: async (commits, isCounted = false) => {
      scanNumber += 1;
      async function* batches() {
        yield commits.map(([day, ...emails]) => {
          return { oid: toOid(day), authoredAt: later(day), committedAt: later(day), emails };
        });
      }
      await saveAllCommits(connection, batches(), { provider: 'github', repositoryId, scanNumber, isCounted });
    },
    due: async (at = now, maxRetries = 100) => {
      const { addresses } = await findDueAddresses(connection, repositoryId, { now: at, maxRetries });
      return addresses.map(({ email }) => email);
    },
    idOf: async (email) => {
      const { rows } = await pool.query<{ id: number }>('select id from identities where email = $1', [email]);
      return rows[0]?.id ?? assert.fail(email);
    },
    accountOf: async (email) => {
      const { rows } = await pool.query<{ name: string | null }>(
        'select a.name from identities i left join accounts a on a.id = i.account_id where email = $1',
        [email],
      );
      return rows[0]?.name ?? null;
    },
  });
}

async function addAccount({ pool }: Database, name: string): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
     values (gen_random_uuid(), 'github', $1, $1, 'user', $1, now(), now(), now()) returning id`,
    [name],
  );
  return rows[0]?.id ?? '';
}

/** Begins one transaction, begins the other, and ends the first when the second waits for it or has ended. */
async function overlap(
  { connection, pool }: Database,
  first: (transaction: Connection) => Promise<unknown>,
  second: (transaction: Connection) => Promise<unknown>,
): Promise<void> {
  let running: Promise<unknown> = Promise.resolve();
  await connection.transaction().execute(async (transaction) => {
    await first(transaction);
    let hasEnded = false;
    running = inTransaction(connection, second).finally(() => {
      hasEnded = true;
    });
    running.catch(() => {});
    await until(async () => {
      const { rows } = await pool.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return hasEnded || rows.length > 0 ? true : undefined;
    }, 'the second transaction waits');
  });
  await running;
}

describe('e-mail addresses of authors', () => {
  it('mark commits of agents, and those that they co-authored, as assisted', async () => {
    await withFixture(async ({ database, store }) => {
      const agent = 'noreply@anthropic.com';
      await store([
        [1, 'yan@x'],
        [2, 'yan@x', agent],
        [3, agent],
      ]);
      const { rows } = await database.pool.query<{ assisted: boolean }>(
        'select assisted from commits order by authored_at',
      );
      assert.deepEqual(
        rows.map(({ assisted }) => assisted),
        [false, true, true],
      );
    });
  });

  it('looks up an address by commits that it authored, newest first, then by those that it co-authored', async () => {
    await withFixture(async ({ connection, repositoryId, store, idOf }) => {
      await store([
        [6, 'ada@x', 'yan@x'],
        [5, 'yan@x'],
        [4, 'yan@x', 'ada@x'],
        [3, 'bob@x', 'ada@x', 'yan@x'],
        [2, 'yan@x'],
        [1, 'ada@x', 'yan@x'],
      ]);
      const id = await idOf('yan@x');
      const find = async (limit: number) => (await findNamingCommits(connection, repositoryId, [id], limit)).get(id);
      assert.deepEqual(await find(5), [
        { oid: toOid(5), isCoAuthor: false },
        { oid: toOid(4), isCoAuthor: false },
        { oid: toOid(2), isCoAuthor: false },
        { oid: toOid(6), isCoAuthor: true },
        { oid: toOid(3), isCoAuthor: true },
      ]);
      await inTransaction(connection, (transaction) => removeCommits(transaction, repositoryId, [toOid(5), toOid(4)]));
      assert.deepEqual(await find(2), [
        { oid: toOid(2), isCoAuthor: false },
        { oid: toOid(6), isCoAuthor: true },
      ]);
    });
  });

  it('makes an address due at once, and while it is unknown again after 0, 1, 2, 4, 8, 16 and 30 days', async () => {
    await withFixture(async ({ connection, repositoryId, store, idOf, due }) => {
      await store([[1, 'ada@x', 'yan@x']]);
      assert.deepEqual(await due(), ['ada@x', 'yan@x']);
      const id = await idOf('yan@x');
      await saveResolved(connection, [{ id: await idOf('ada@x'), accountId: null }], now);
      let day = 0;
      for (const days of [0, 1, 2, 4, 8, 16, 30, 30]) {
        await postponeAddresses(connection, repositoryId, [id], later(day));
        if (days > 0)
          assert.deepEqual(
            (await due(later(day + days - 0.001))).filter((email) => email !== 'ada@x'),
            [],
          );
        day += days;
        assert.ok((await due(later(day))).includes('yan@x'));
      }
    });
  });

  it('makes an unknown address due at once when it authors its first commit', async () => {
    await withFixture(async ({ connection, repositoryId, store, idOf, due }) => {
      await store([[1, 'ada@x', 'yan@x']]);
      const ids = [await idOf('ada@x'), await idOf('yan@x')];
      for (let attempt = 0; attempt < 4; attempt += 1) await postponeAddresses(connection, repositoryId, ids, now);
      await store([[2, 'ada@x', 'yan@x']]);
      assert.deepEqual(await due(), []);
      await store([[3, 'yan@x']]);
      assert.deepEqual(await due(), ['yan@x']);
    });
  });

  it('makes an address without an account due after 30 days, and one with an account never', async () => {
    await withFixture(async ({ database, connection, store, idOf, due }) => {
      await store([[1, 'ada@x', 'yan@x']]);
      const accountId = await addAccount(database, 'yan');
      const resolved = [
        { id: await idOf('ada@x'), accountId: null },
        { id: await idOf('yan@x'), accountId },
      ];
      await saveResolved(connection, resolved, now);
      assert.deepEqual(await due(later(30)), []);
      assert.deepEqual(await due(later(30.001)), ['ada@x']);
    });
  });

  it('limits retries, and returns the ones that wait longest first', async () => {
    await withFixture(async ({ connection, repositoryId, store, idOf, due }) => {
      const emails = Array.from({ length: 9 }, (_, index) => `n${index}@x`);
      await store([[1, 'ada@x', ...emails]]);
      for (const [index, email] of emails.toReversed().entries()) {
        const id = await idOf(email);
        for (let attempt = 0; attempt < 2; attempt += 1) {
          await postponeAddresses(connection, repositoryId, [id], later(index));
        }
      }
      assert.deepEqual(await due(later(20), 3), ['ada@x', 'n8@x', 'n7@x', 'n6@x']);
      const found = await findDueAddresses(connection, repositoryId, { now: later(20), maxRetries: 9 });
      assert.deepEqual([found.addresses.length, found.isMore], [10, false]);
    });
  });

  it('keeps the account of an address when an overlapping response shows none, in either order', async () => {
    await withFixture(async ({ database, store, idOf, accountOf }) => {
      const accountId = await addAccount(database, 'yan');
      for (const [email, order] of [
        ['first@x', [accountId, null]],
        ['second@x', [null, accountId]],
      ] as const) {
        await store([[1, email]]);
        const id = await idOf(email);
        const save = (account: string | null) => (transaction: Connection) =>
          saveResolved(transaction, [{ id, accountId: account }], now);
        await overlap(database, save(order[0]), save(order[1]));
        assert.equal(await accountOf(email), 'yan', email);
      }
    });
  });

  it('replaces an account when the address belongs to another one', async () => {
    await withFixture(async ({ database, connection, store, idOf, accountOf }) => {
      await store([[1, 'yan@x']]);
      const id = await idOf('yan@x');
      for (const name of ['yan', 'yara']) {
        await saveResolved(connection, [{ id, accountId: await addAccount(database, name) }], now);
        assert.equal(await accountOf('yan@x'), name);
      }
    });
  });

  // Waits between transactions are on the workers of a cluster.
  it('counts a repository again when an account is found while its commits are counted, in either order', {
    skip: isOnCluster,
  }, async () => {
    for (const order of ['count first', 'account first'] as const) {
      for (const counting of ['all', 'new'] as const) {
        await withFixture(async ({ database, connection, repositoryId, store, idOf }) => {
          await database.pool.query(
            `insert into streams (repository_id, name, covers, completed_at) values ($1, 'commits', '{commit}', now())`,
            [repositoryId],
          );
          if (counting === 'new')
            await inTransaction(connection, (transaction) => recountRepository(transaction, repositoryId));
          await store([[1, 'yan@x']], counting === 'new');
          const id = await idOf('yan@x');
          const accountId = await addAccount(database, 'yan');
          const count = (transaction: Connection): Promise<unknown> =>
            counting === 'all'
              ? recountRepository(transaction, repositoryId)
              : countNewCommits(transaction, repositoryId);
          const resolve = (transaction: Connection): Promise<unknown> =>
            saveResolved(transaction, [{ id, accountId }], now);
          if (order === 'count first') await overlap(database, count, resolve);
          else await overlap(database, resolve, count);
          const { rows } = await database.pool.query<{ commits: number }>(
            'select commits from contributor_totals where account_id = $1',
            [accountId],
          );
          const isToBeCounted = (await findUncounted(connection, 10)).length > 0;
          assert.deepEqual(
            [rows[0]?.commits === 1, isToBeCounted],
            [order === 'account first', order === 'count first'],
          );
        });
      }
    }
  });
});
