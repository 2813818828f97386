import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { differ, findEndOfDays } from '../../../src/contributions/compare-totals-store.ts';
import type { Days } from '../../../src/contributions/counted-store.ts';
import { lockTotals } from '../../../src/contributions/write-store.ts';
import type { Connection, Database } from '../../../src/database/connection.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import type { Provider } from '../../../src/providers/provider.ts';
import { checkTotals } from '../../../src/sync/check-totals.ts';
import { isOnCluster } from '../../database.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { addRepository } from './stored-repository.ts';

/** Stores contributions and commits of some people to a new repository, all counted. @returns its id. */
async function storeRepository({ connection, pool }: Database): Promise<string> {
  const id = await addRepository(connection);
  await pool.query(`
    insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
    select gen_random_uuid(), 'github', 'p' || n, '', 'user', 'person-' || n, now(), now(), now()
    from generate_series(1, 20) n`);
  await pool.query(
    `insert into contributions (repository_id, kind, external_id, account_id, answered_by, answered, created_at, updated_at,
       closed_at, merged_at, seen_at)
     select $1, (array['issue', 'pull_request', 'review', 'discussion', 'issue_comment', 'star'])[n % 6 + 1], n::text, a.id,
       a.id, n % 6 = 3, at, at, case when n % 2 = 0 then at end, case when n % 3 = 0 then at end, at
     from generate_series(1, 600) n cross join lateral (select now() - n * interval '5 hours' as at) t
     join accounts a on a.external_id = 'p' || (n % 20 + 1)`,
    [id],
  );
  await pool.query(`
    insert into identities (provider, email, account_id)
    select 'github', external_id || '@x.org', id from accounts where external_id like 'p%'`);
  await pool.query(
    `insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
     select $1, decode(md5(n::text), 'hex'), at, at, 1, array[i.id]
     from generate_series(1, 300) n cross join lateral (select now() - n * interval '7 hours' as at) t
     join identities i on i.email = 'p' || (n % 20 + 1) || '@x.org'`,
    [id],
  );
  await inTransaction(connection, (transaction) => recountRepository(transaction, id));
  return id;
}

const always: Days = { from: null, until: null };

interface RecountWork {
  differences: number;
  /** The number of rows that the transaction wrote, by table. */
  written: Record<string, number>;
  /** The number of rows of totals of days and people that the transaction locked or wrote. */
  touched: number;
}

/** Returns the number of rows that this session wrote and has not reported yet, by table. */
async function findWritten(transaction: Connection): Promise<Map<string, number>> {
  const { rows } = await sql<{ table: string; written: number }>`
    select relname as table, n_tup_ins + n_tup_upd + n_tup_del as written from pg_stat_xact_user_tables`.execute(
    transaction,
  );
  return new Map(rows.map(({ table, written }) => [table, written]));
}

async function recount(connection: Connection, id: string): Promise<RecountWork> {
  return inTransaction(connection, async (transaction) => {
    const before = await findWritten(transaction);
    const differences = await recountRepository(transaction, id);
    const written = [...(await findWritten(transaction))].flatMap(([table, rows]) => {
      const own = rows - (before.get(table) ?? 0);
      return own === 0 ? [] : [[table, own] as const];
    });
    const own = sql`pg_current_xact_id()::xid`;
    const { rows: touched } = await sql<{ count: number }>`
      select (select count(*) from contribution_days where ${own} in (xmin, xmax))
        + (select count(*) from contributor_totals where ${own} in (xmin, xmax)) as count`.execute(transaction);
    return { differences, written: Object.fromEntries(written), touched: touched[0]?.count ?? Number.NaN };
  });
}

/** Totals that no transaction has marked as changed since. */
async function findSums({ pool }: Database): Promise<unknown> {
  const { rows } = await pool.query(
    `select (select json_agg(d order by account_id, day) from contribution_days d) as days,
       (select json_agg(t order by account_id) from contributor_totals t) as people,
       (select json_agg(to_jsonb(w) - 'is_changed') from repository_totals w) as whole`,
  );
  return rows;
}

/** Makes some totals of days, a person and the repository wrong: changed, lost and invented ones. @returns how many. */
async function corruptTotals({ pool }: Database, id: string): Promise<number> {
  await pool.query(`
    with wrong as (select ctid from contribution_days order by account_id, day limit 2)
    update contribution_days d set issues = issues + 1 from wrong where d.ctid = wrong.ctid`);
  await pool.query(`
    delete from contribution_days where ctid in (select ctid from contribution_days order by account_id desc, day limit 1)`);
  await pool.query(
    `insert into contribution_days (account_id, repository_id, day, reviews)
     select id, $1, '1999-01-01', 1 from accounts where external_id = 'p1'`,
    [id],
  );
  await pool.query(`update contributor_totals set reviews = reviews + 1
    where account_id = (select id from accounts where external_id = 'p3')`);
  await pool.query('update repository_totals set stars = stars + 1');
  return 6;
}

describe('recountRepository', () => {
  it('writes and locks no row when nothing differs', async () => {
    await using opened = await reuseTestDatabase();
    const id = await storeRepository(opened.database);
    assert.deepEqual(await recount(opened.database.connection, id), { differences: 0, written: {}, touched: 0 });
  });

  it('writes only the rows that differ: changed, lost and invented ones', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const id = await storeRepository(opened.database);
    const expected = await findSums(opened.database);
    const wrong = await corruptTotals(opened.database, id);
    const { differences, written } = await recount(connection, id);
    assert.equal(differences, wrong);
    const { contribution_days: days, contributor_totals: people, repository_totals: totals } = written;
    assert.deepEqual([days, people], [4, 1]);
    // The second time marks the totals as changed.
    assert.equal(totals, 2);
    assert.deepEqual(await findSums(opened.database), expected);
  });
});

describe('checkTotals', () => {
  /** The number of rows in a part, so low that the days are compared in several parts. */
  const rowsAtOnce = 40;

  async function check(connection: Connection, id: string): Promise<number> {
    const owner = await connection.selectFrom('repositories').select('owner_id').executeTakeFirstOrThrow();
    const context = { connection, now: () => new Date(), providers: new Map<string, Provider>() };
    const options = { repositoryId: id, ownerId: owner.owner_id };
    return checkTotals(context, options, new AbortController().signal, rowsAtOnce);
  }

  it('compares all days once, in parts with a bounded number of rows', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const id = await storeRepository(opened.database);
    const parts: Days[] = [];
    let from: string | null = null;
    do {
      const until: string | null = await findEndOfDays(connection, id, from, rowsAtOnce);
      parts.push({ from, until });
      from = until;
    } while (from !== null);
    assert.ok(parts.length > 5);
    for (const part of parts) {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*) from contribution_days
         where ($1::date is null or day >= $1) and ($2::date is null or day < $2)`,
        [part.from, part.until],
      );
      // The rows of the last day belong to the part as a whole; a day has ten at most.
      assert.ok(Number(rows[0]?.count) <= rowsAtOnce + 10);
    }
  });

  it('compares totals while another transaction holds them', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const id = await storeRepository(opened.database);
    await inTransaction(connection, async (transaction) => {
      await lockTotals(transaction, id);
      for (const part of [always, 'people', 'whole', { languages: always }] as const)
        assert.equal(await differ(connection, id, part), false);
    });
    assert.equal(await check(connection, id), 0);
  });

  it('finds and repairs changed, lost and invented totals', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const id = await storeRepository(opened.database);
    const expected = await findSums(opened.database);
    assert.equal(await corruptTotals(opened.database, id), await check(connection, id));
    assert.deepEqual(await findSums(opened.database), expected);
    assert.equal(await check(connection, id), 0);
  });

  it('counts commits that were stored and not counted', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const id = await storeRepository(opened.database);
    const expected = await findSums(opened.database);
    await pool.query(
      'insert into uncounted_commits (repository_id, oid) select repository_id, oid from commits order by authored_at limit 1',
    );
    await pool.query(`
      update contribution_days d set commits = d.commits - 1
      from (select i.account_id, (c.authored_at at time zone 'UTC')::date as day
        from commits c join uncounted_commits u using (repository_id, oid) join identities i on i.id = c.identity_ids[1]) w
      where d.account_id = w.account_id and d.day = w.day`);
    await pool.query(`
      update contributor_totals t set commits = t.commits - 1
      from commits c join uncounted_commits u using (repository_id, oid) join identities i on i.id = c.identity_ids[1]
      where t.account_id = i.account_id`);
    await pool.query('update repository_totals set commits = commits - 1');
    assert.equal(await check(connection, id), 0);
    assert.deepEqual(await findSums(opened.database), expected);
  });
});
