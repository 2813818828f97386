import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { type ErasedAtOnce, eraseNext } from '../../../src/access/erasure/erase.ts';
import { beginErasure } from '../../../src/access/erasure/store.ts';
import { emptyAccount } from '../../../src/accounts/erase-store.ts';
import { type Account, findById, findByName } from '../../../src/accounts/store.ts';
import { removeErasedRows } from '../../../src/contributions/erased-repository-store.ts';
import { releaseAddresses } from '../../../src/contributions/identity-store.ts';
import { currentRanking } from '../../../src/contributors/ranking.ts';
import type { Connection, Database } from '../../../src/database/connection.ts';
import { takeErasureLock } from '../../../src/database/erasure-lock.ts';
import { openUnchanged } from '../../../src/database/open.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { Computations } from '../../../src/http/computations.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { watchChangedRows } from '../../integration/changed-rows.ts';
import { begin } from '../../integration/contributions/erasure-fixture.ts';
import { findOrphans } from '../../integration/contributions/orphans.ts';
import { loseConnection } from '../../integration/lost-connection.ts';
import { type RanStatement, watchPlans } from '../../integration/plans.ts';

const now = new Date('2026-06-01T00:00:00Z');
const few: ErasedAtOnce = { hidden: 2, erased: 1, found: 30, changed: 7, listed: 3, seasons: 2, others: 4 };

/** Stores a person who owns repositories and contributed to those of others, in every way. @returns the person. */
async function fill(database: Database, items: number): Promise<Account> {
  const { connection, pool } = database;
  await pool.query(`
    insert into accounts (id, provider, external_id, handle, type, name, avatar_url, named_at, fetched_at, created_at, updated_at)
    select gen_random_uuid(), 'github', name, name, 'user', name, '', now(), now(), now(), now()
    from unnest(array['grace', 'ada', 'joan']) name;
    insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
      created_at, updated_at)
    select gen_random_uuid(), 'github', a.name || n, '', a.id, a.name || '-' || n, false, false, now(), now(), now(), now()
    from accounts a cross join generate_series(1, 5) n;
    insert into streams (repository_id, name, covers, completed_at) select id, 'issues', '{issue}', now() from repositories;
    insert into contributions (repository_id, kind, external_id, account_id, answered_by, resolved_by, merged_by, assignees,
      reviewers, reactors, emojis, created_at, updated_at, seen_at)
    select r.id, 'pull_request', n::text, a.id, case when n % 3 = 0 then a.id end, case when n % 4 = 0 then a.id end,
      case when n % 5 = 0 then a.id end, case when n % 6 = 0 then array[a.id] end, array[a.id],
      case when n % 7 = 0 then array[a.id] end, case when n % 7 = 0 then array['heart'] end,
      '2026-01-01'::timestamptz + n * interval '1 hour', now(), now()
    from generate_series(1, ${items}) n join lateral (select * from repositories order by external_id offset n % 15 limit 1) r on true
    join accounts a on a.name = case when n % 4 = 1 then 'joan' else 'grace' end;
    insert into identities (provider, email, account_id) select 'github', name || '@x.org', id from accounts;
    insert into repository_identities (repository_id, identity_id, is_author)
    select r.id, i.id, true from repositories r cross join identities i;
    insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
    select r.id, decode(md5(r.external_id || n), 'hex'), now(), now(), 1, array[i.id]
    from repositories r cross join generate_series(1, 3) n join identities i on i.email = 'grace@x.org';
    insert into counters (account_id, day, updated_at) select id, date '2026-01-01' + n, now() from accounts, generate_series(1, 10) n;
    insert into achievements (id, repository_id, name, icon, description, is_current)
    select gen_random_uuid(), id, 'first', '', '', true from repositories;
    insert into awards (id, achievement_id, account_id, repository_name, awarded_at, created_at)
    select gen_random_uuid(), h.id, a.id, '', now(), now() from achievements h, accounts a where a.name = 'grace';
    insert into former_names (provider, name_key, account_id, left_at, check_after)
    select 'github', 'grace-before', id, now(), now() from accounts where name = 'grace'`);
  const { rows } = await pool.query<{ id: string; owner_id: string; name: string }>(
    'select id, owner_id, name from repositories',
  );
  for (const { id } of rows) await inTransaction(connection, (to) => recountRepository(to, id));
  const computations = new Computations({ versionOf: () => 0 }, () => false);
  for (const accountId of new Set(rows.map((row) => row.owner_id))) {
    const scope = { accountId, repositoryId: null, includesPrivate: false };
    await currentRanking({ connection, computations, now: () => now }, scope);
  }
  await pool.query('vacuum analyze');
  const holder = await findByName(connection, 'github', 'grace');
  return holder?.state === 'present' ? holder.account : assert.fail();
}

/** Everything that is stored about the people who stay, without what differs from run to run. */
async function findStored({ pool }: Database): Promise<unknown> {
  const { rows } = await pool.query(`
    select (select json_agg(name order by name) from accounts) as accounts,
      (select json_agg(name order by name) from repositories) as repositories,
      (select json_agg(s order by repository_id, external_id) from (
        select repository_id, external_id, account_id, answered_by, resolved_by, merged_by, assignees, reviewers, reactors, emojis
        from contributions) s) as contributions,
      (select json_agg(d order by account_id, repository_id, day) from contribution_days d) as days,
      (select json_agg(t order by account_id, repository_id) from contributor_totals t) as people,
      (select json_agg(to_jsonb(t) - 'is_changed' order by repository_id) from repository_totals t) as whole,
      (select json_agg(k order by name_key) from (
        select ranking_id, name_key, contributions from ranks where until_version is null) k) as listed,
      (select sum(pull_requests) from owner_sums) as summed,
      (select count(*) from opt_outs) as "optOuts", (select count(*) from counters) as counters`);
  return rows;
}

/** Erases a person to the end. */
async function erase(connection: Connection, person: Account): Promise<void> {
  await inTransaction(connection, async (transaction) => {
    // A former call may have begun.
    if ((await findById(transaction, person.id)) !== undefined) await beginErasure(transaction, person, now);
  });
  while ((await eraseNext(connection, now, few)) > 0);
  await removeErasedRows(connection, 100_000);
}

async function open({ url }: TestDatabase): Promise<Database> {
  return openUnchanged({ databaseUrl: url, dataDir: '/nonexistent', log: () => {} });
}

/** Returns the number of rows that name an account in tables of contributions, and of its repositories. */
async function countTraces({ pool }: Database, { id }: Account): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select (select count(*) from contributions where $1 = any(array[account_id, answered_by, resolved_by, merged_by]
         || assignees || reviewers || reactors))
       + (select count(*) from contribution_days where account_id = $1)
       + (select count(*) from contributor_totals where account_id = $1)
       + (select count(*) from repositories where owner_id = $1) + (select count(*) from accounts where id = $1) as count`,
    [id],
  );
  return rows[0]?.count ?? Number.NaN;
}

describe('erasure in parts', () => {
  it('hides the account at once, and removes its rows in transactions of their own', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const person = await fill(database, 300);
    await inTransaction(connection, (to) => beginErasure(to, person, now));
    assert.equal(await findById(connection, person.id), undefined);
    assert.equal(await findByName(connection, 'github', 'grace'), undefined);
    assert.equal(await findByName(connection, 'github', 'grace-before'), undefined);
    assert.deepEqual((await database.pool.query('select from awards')).rows, []);
    const { rows } = await database.pool.query(
      `select people, (select count(*) from ranks s join accounts a on a.id = s.account_id
         where s.ranking_id = k.id and s.until_version is null and is_counted(a)) as counted
       from rankings k where ended_at is null`,
    );
    assert.deepEqual(
      rows,
      rows.map(() => ({ people: 1, counted: 1 })),
    );
    const left: number[] = [await countTraces(database, person)];
    while ((await eraseNext(connection, now, few)) > 0) left.push(await countTraces(database, person));
    assert.ok(left.length > 20, `${left.length} steps`);
    assert.deepEqual(
      left,
      left.toSorted((one, other) => other - one),
    );
    assert.equal(left.at(-1), 0);
    assert.deepEqual(await findOrphans(connection), []);
  });

  it('goes on while others store, and lets them store', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    const person = await fill(database, 60);
    await inTransaction(connection, (to) => beginErasure(to, person, now));
    const { rows } = await pool.query<{ id: string }>(`select id from repositories where name = 'ada-1'`);
    // It holds the shared erasure lock and a repository, as a page of a stream does.
    const storing = await begin(connection, async (transaction) => {
      await recountRepository(transaction, rows[0]?.id ?? '');
    });
    const { rows: before } = await pool.query(`select count(*) from repositories where owner_id = $1`, [person.id]);
    assert.deepEqual(before, [{ count: 5 }]);
    let left = 5;
    for (let step = 0; step < 500 && left > 0; step += 1) {
      await eraseNext(connection, now, few);
      const { rows: after } = await pool.query<{ count: number }>(
        `select count(*)::integer as count from repositories where owner_id = $1`,
        [person.id],
      );
      left = after[0]?.count ?? 0;
    }
    await storing.commit();
    assert.equal(left, 0);
    await erase(connection, person);
    assert.deepEqual(await findOrphans(connection), []);
  });

  it('releases the addresses of an account that its host deleted in parts, while others count commits by them', async () => {
    await using filled = await createTestDatabase();
    const source = await open(filled);
    const person = await fill(source, 60);
    await source.pool.query(
      `insert into identities (provider, email, account_id) select 'github', n || '@x.org', $1 from generate_series(1, 12) n`,
      [person.id],
    );
    await source.pool.query(`
      insert into repository_identities (repository_id, identity_id, is_author)
      select r.id, i.id, true from repositories r cross join identities i on conflict do nothing;
      insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
      select r.id, decode(md5(r.external_id || i.email), 'hex'), now(), now(), 1, array[i.id]
      from repositories r cross join identities i`);
    await source.pool.query(`update accounts set deleted_at = $1 where id = $2`, [new Date('2026-01-01'), person.id]);
    await source.close();
    const work = async (connection: Connection): Promise<void> => {
      if ((await findById(connection, person.id)) !== undefined) {
        await inTransaction(connection, async (transaction) => {
          await takeErasureLock(transaction);
          await emptyAccount(transaction, person.id, now);
          await releaseAddresses(transaction, person.id, few.others);
        });
      }
      while ((await eraseNext(connection, now, few)) > 0);
    };
    for (let at = 1; ; at += isThorough ? 1 : 4) {
      await using copy = await createTestDatabase({ copyOf: filled });
      const database = await open(copy);
      const changed = await watchChangedRows(database, ['identities']);
      const isOver = at > 40 || (await loseConnection(database, at, work));
      const { rows } = await database.pool.query<{ id: string }>(
        `select id from repositories where name = 'ada-1' and erased_at is null`,
      );
      const [{ id: repositoryId } = assert.fail()] = rows;
      await inTransaction(database.connection, (to) => recountRepository(to, repositoryId));
      await work(database.connection);
      assert.equal(await countTraces(database, person), 0);
      const { rows: kept } = await database.pool.query(
        `select count(*)::integer as addresses, count(account_id)::integer as known from identities`,
      );
      assert.deepEqual(kept, [{ addresses: 15, known: 2 }]);
      const parts = await changed();
      assert.ok(parts.length >= 4 && parts.every((most) => most <= few.others), JSON.stringify(parts));
      await database.close();
      if (isOver) break;
    }
  });

  it('leaves the same when the connection is lost before any statement', async () => {
    await using filled = await createTestDatabase();
    const source = await open(filled);
    const person = await fill(source, 60);
    await source.close();
    const run = async (work: (database: Database) => Promise<void>): Promise<unknown> => {
      await using copy = await createTestDatabase({ copyOf: filled });
      const database = await open(copy);
      try {
        await work(database);
        assert.equal(await countTraces(database, person), 0);
        assert.deepEqual(await findOrphans(database.connection), []);
        return await findStored(database);
      } finally {
        await database.close();
      }
    };
    const expected = await run(({ connection }) => erase(connection, person));
    // Steps repeat the same statements, and each start goes through all of them, so that some positions stand for all.
    for (let at = 1; ; at += isThorough ? 7 : 197) {
      const ends: boolean[] = [];
      const actual = await run(async (database) => {
        ends.push(await loseConnection(database, at, (connection) => erase(connection, person)));
        await erase(database.connection, person);
      });
      assert.deepEqual(actual, expected, `lost before statement ${at}`);
      if (ends.includes(true)) break;
    }
  });

  it('reads and changes as much in each step of a large account as of a small one', async () => {
    const costs: number[] = [];
    for (const items of [1500, 15_000]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const person = await fill(database, items);
      await inTransaction(database.connection, (to) => beginErasure(to, person, now));
      const most = { ...few, found: 100, changed: 50 };
      let largest = 0;
      const statements: RanStatement[] = await watchPlans(database, async (connection) => {
        for (let step = 0; step < 60; step += 1) await eraseNext(connection, now, most);
      });
      for (const { blocks, text, scannedTables } of statements) {
        assert.ok(!scannedTables.includes('contributions'), text);
        largest = Math.max(largest, blocks);
      }
      costs.push(largest);
    }
    const [small = 0, large = 0] = costs;
    assert.ok(large < small * 2, `at most ${small} blocks, and ${large} with ten times as many contributions`);
  });
});
