import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { findById, findByName } from '../../../src/accounts/store.ts';
import { emptyAccount } from '../../../src/accounts/visibility/erase-store.ts';
import { type ErasedAtOnce, eraseNext } from '../../../src/app/owners/erasure/erase.ts';
import { beginErasure } from '../../../src/app/owners/erasure/store.ts';
import { removeErasedRows } from '../../../src/contributions/items/erase-store.ts';
import { releaseAddresses } from '../../../src/contributions/items/identity-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { openUnchanged } from '../../../src/database/connections/open.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { keptAwards, takeErasureLock } from '../../../src/database/schema/erasure.ts';
import type { Account } from '../../../src/model/account.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { watchChangedRows } from '../../integration/changed-rows.ts';
import { begin } from '../../integration/contributions/erasure-fixture.ts';
import { findOrphans } from '../../integration/contributions/orphans.ts';
import { loseConnection } from '../../integration/lost-connection.ts';
import { type RanStatement, watchPlans } from '../../integration/plans.ts';
import { fill } from './person-of-everything.ts';

const now = new Date('2026-06-01T00:00:00Z');
const few: ErasedAtOnce = { hidden: 2, erased: 1, found: 30, changed: 7, listed: 3, seasons: 2, others: 4 };

/** More former names than the transaction opts out that begins the erasure. */
const manyNames = 110;

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
      (select json_agg(s order by position) from credential_statuses s) as statuses,
      (select json_agg(key order by key) from lookups) as lookups,
      (select json_agg(i.account_name order by i.id) from installations i) as installed,
      (select count(*) from covered_repositories) as covered, (select count(*) from pending_evaluations) as evaluations,
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
       + (select count(*) from awards where account_id = $1) + (select count(*) from notifications where account_id = $1)
       + (select count(*) from pending_evaluations where account_id = $1)
       + (select count(*) from former_names where account_id = $1)
       + (select count(*) from lookups where key like '%' || $1::text || '%')
       + (select count(*) from installations where account_external_id like '%' || $1::text)
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
    const person = await fill(database, 300, manyNames);
    await inTransaction(connection, (to) => beginErasure(to, person, now));
    assert.equal(await findById(connection, person.id), undefined);
    assert.equal(await findByName(connection, 'github', 'grace'), undefined);
    assert.equal(await findByName(connection, 'github', 'grace-before'), undefined);
    const { rows: kept } = await sql`select from ${keptAwards('w')}`.execute(connection);
    assert.deepEqual(kept, []);
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
    const person = await fill(source, 60, manyNames);
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
