import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  markAddressesInParts,
  markNextUncounted,
  saveResolved,
} from '../../../src/contributions/items/identity-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inBatches, inTransaction } from '../../../src/database/connections/transaction.ts';
import { isOnCluster } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { watchChangedRows } from '../changed-rows.ts';
import { loseConnection, loseConnectionAtStatements } from '../lost-connection.ts';
import { addRepositories, addRepository } from './stored-repository.ts';

const now = new Date('2026-06-01T00:00:00Z');
const { signal } = new AbortController();
const limit = 7;

interface Filled {
  /** Addresses in all repositories, whose account is not known. */
  addresses: number[];
  accountId: string;
}

/** Stores repositories that name the same addresses. All but every fifth count them. */
async function fill({ connection, pool }: Database, repositories: number): Promise<Filled> {
  await addRepositories(connection, repositories);
  await pool.query(`
    insert into identities (provider, email) select 'github', n || '@x.org' from generate_series(1, 3) n;
    insert into repository_totals (repository_id, commits_counted) select id, true from repositories on conflict (repository_id)
      do update set commits_counted = true`);
  await pool.query(`
    insert into repository_identities (repository_id, identity_id, is_author, is_counted)
    select r.id, i.id, true, r.place % 5 <> 0
    from (select id, row_number() over (order by id) as place from repositories) r cross join identities i`);
  const { rows } = await pool.query<{ id: number; accountId: string }>(
    'select i.id, a.id as "accountId" from identities i cross join accounts a order by i.id',
  );
  return { addresses: rows.map(({ id }) => id), accountId: rows[0]?.accountId ?? '' };
}

/** Stores the account of the addresses, unless a former call did, and marks all repositories that count them. */
async function resolve(connection: Connection, { addresses, accountId }: Filled): Promise<void> {
  const resolved = addresses.map((id) => ({ id, accountId }));
  await inTransaction(connection, (transaction) => saveResolved(transaction, resolved, now, limit));
  await inBatches(() => markNextUncounted(connection, limit));
}

/** Returns for each repository in the order of ids whether its commits have to be counted again. */
async function findForgotten({ pool }: Database): Promise<boolean[]> {
  const { rows } = await pool.query<{ forgotten: boolean }>(
    'select not commits_counted as forgotten from repository_totals order by repository_id',
  );
  return rows.map(({ forgotten }) => forgotten);
}

const toExpected = (repositories: number): boolean[] =>
  Array.from({ length: repositories }, (_, index) => (index + 1) % 5 !== 0);

describe('another account of an address', () => {
  it('has repositories counted again, as many in each transaction with many repositories as with few', {
    skip: isOnCluster,
  }, async () => {
    for (const repositories of [4, 50]) {
      await using opened = await reuseTestDatabase();
      const { database } = opened;
      const filled = await fill(database, repositories);
      const changed = await watchChangedRows(database, ['repository_totals', 'identities']);
      await resolve(database.connection, filled);
      assert.deepEqual(await findForgotten(database), toExpected(repositories));
      const parts = await changed();
      // Each of the addresses is written by both statements at most.
      const most = limit + 2 * filled.addresses.length;
      assert.ok(
        parts.every((rows) => rows <= most),
        `${repositories}: ${JSON.stringify(parts)}`,
      );
      assert.ok(parts.length >= (repositories * filled.addresses.length) / limit / 2, JSON.stringify(parts));
    }
  });

  it('has the same repositories counted again when the connection is lost before any statement', async () => {
    for (let at = 1; ; at += isThorough ? 1 : 9) {
      await using opened = await reuseTestDatabase();
      const { database } = opened;
      const filled = await fill(database, 12);
      const isEnd = await loseConnection(database, at, (connection) => resolve(connection, filled));
      await resolve(database.connection, filled);
      assert.deepEqual(await findForgotten(database), toExpected(12), `lost before statement ${at}`);
      if (isEnd) break;
    }
  });

  it('has a repository counted again that counts an address after its account changed and before it is marked', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    const { addresses, accountId } = await fill(database, 12);
    const resolved = addresses.map((id) => ({ id, accountId }));
    await inTransaction(connection, (transaction) => saveResolved(transaction, resolved, now, limit));
    await pool.query('update repository_identities set is_counted = true');
    await inBatches(() => markNextUncounted(connection, limit));
    assert.deepEqual(new Set(await findForgotten(database)), new Set([true]));
  });
});

describe('addresses of a repository', () => {
  it('are marked as counted in parts, also after the connection is lost before any statement', {
    skip: isOnCluster,
  }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    const id = await addRepository(connection);
    await pool.query(`insert into identities (provider, email) select 'github', n::text from generate_series(1, 40) n`);
    await pool.query(
      `insert into repository_identities (repository_id, identity_id, is_author) select $1, id, true from identities`,
      [id],
    );
    const changed = await watchChangedRows(database, ['repository_identities']);
    const work = (lost: Connection): Promise<void> => markAddressesInParts(lost, id, { rows: limit, signal });
    const losses = await loseConnectionAtStatements(database, work);
    assert.ok(losses > 2);
    const { rows } = await pool.query('select from repository_identities where not is_counted');
    assert.deepEqual(rows, []);
    const parts = await changed();
    assert.ok(parts.length >= 40 / limit && parts.every((most) => most <= limit), JSON.stringify(parts));
  });
});
