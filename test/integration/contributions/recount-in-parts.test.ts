import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { saveAllCommits } from '../../../src/contributions/commit-store.ts';
import { saveResolved } from '../../../src/contributions/identity-store.ts';
import { endRecount, recountNextDays } from '../../../src/contributions/recount-commits-store.ts';
import { areCommitsCounted } from '../../../src/contributions/total-store.ts';
import { currentRanking } from '../../../src/contributors/ranking.ts';
import type { Connection, Database } from '../../../src/database/connection.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { Computations } from '../../../src/http/computations.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { interleave } from '../interleave.ts';
import { loseConnection } from '../lost-connection.ts';
import { analyzeTables, watchPlans } from '../plans.ts';
import { addRepository } from './stored-repository.ts';

const now = new Date('2026-06-01T00:00:00Z');
const people = 4;

interface Filled {
  repositoryId: string;
  /** The address of which another account is found. */
  address: number;
  /** The account that is found. */
  found: string;
}

/** Stores commits of some people on as many days, all counted, and a list of the contributors. */
async function fill({ connection, pool }: Database, commits: number): Promise<Filled> {
  const repositoryId = await addRepository(connection);
  await pool.query(`
    insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
    select gen_random_uuid(), 'github', 'p' || n, '', 'user', 'person-' || n, now(), now(), now()
    from generate_series(1, ${people}) n;
    insert into identities (provider, email, account_id)
    select 'github', external_id || '@x.org', id from accounts where external_id like 'p%'`);
  await pool.query(
    `with used as (
       insert into repository_identities (repository_id, identity_id, is_author) select $1, id, true from identities)
     insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
     select $1, decode(md5(n::text), 'hex'), at, at, 1, array[i.id]
     from generate_series(1, ${commits}) n
     cross join lateral (select '2026-05-01T12:00:00Z'::timestamptz - n / 2 * interval '1 day' as at) t
     join identities i on i.email = 'p' || (n % ${people} + 1) || '@x.org'`,
    [repositoryId],
  );
  await inTransaction(connection, (transaction) => recountRepository(transaction, repositoryId));
  const { rows } = await pool.query<{ id: string; owner: string }>(
    'select r.id, owner_id as owner from repositories r',
  );
  const computations = new Computations({ versionOf: () => 0 }, () => false);
  const scope = { accountId: rows[0]?.owner ?? '', repositoryId: null, includesPrivate: false };
  await currentRanking({ connection, computations, now: () => now }, scope);
  const { rows: found } = await pool.query<{ address: number; found: string }>(
    `select i.id as address, a.id as found from identities i, accounts a where i.email = 'p1@x.org' and a.external_id = 'p2'`,
  );
  return { repositoryId, ...(found[0] ?? assert.fail()) };
}

/** Stores that an address belongs to another account. */
function findAccount(connection: Connection, { address, found }: Filled): Promise<void> {
  return inTransaction(connection, (to) => saveResolved(to, [{ id: address, accountId: found }], now));
}

async function storeCommit({ connection }: Database, { repositoryId }: Filled, at: Date): Promise<void> {
  async function* batches() {
    yield [{ oid: 'a'.repeat(40), authoredAt: at, committedAt: at, emails: ['p4@x.org'] }];
  }
  await saveAllCommits(connection, batches(), { provider: 'github', repositoryId, scanNumber: 1, isCounted: false });
}

/** Counts part after part to the end. @param onPart called after each of them. */
async function recount(
  connection: Connection,
  { repositoryId }: Filled,
  rows: number,
  onPart: () => Promise<void> = async () => {},
): Promise<void> {
  for (;;) {
    const end = await inTransaction(connection, (to) => recountNextDays(to, repositoryId, rows));
    await onPart();
    if (end === 'done') break;
  }
  await inTransaction(connection, (to) => endRecount(to, repositoryId));
}

/** All numbers, of which days, people, lists and sums of the owner must agree at any time. */
async function findNumbers({ pool }: Database) {
  const { rows } = await pool.query<{
    days: unknown;
    people: unknown;
    listed: unknown;
    summed: unknown;
    whole: unknown;
  }>(`
    with d as materialized (select account_id, sum(commits) as commits from contribution_days group by account_id),
      t as materialized (select account_id, commits from contributor_totals)
    select
      (select json_object_agg(external_id, commits order by external_id) from d join accounts a on a.id = d.account_id) as days,
      (select json_object_agg(external_id, commits order by external_id) from t join accounts a on a.id = t.account_id) as people,
      (select json_object_agg(external_id, contributions order by external_id)
        from ranks k join accounts a on a.id = k.account_id where until_version is null) as listed,
      (select sum(commits)::integer from owner_sums) as summed,
      (select commits from repository_totals) as whole`);
  return rows[0] ?? assert.fail();
}

async function assertAgree(database: Database): Promise<void> {
  const { days, people: each, listed, summed, whole: repositoryTotal } = await findNumbers(database);
  assert.deepEqual(each, days, 'the totals of people are the sums of their days');
  assert.deepEqual(listed, each, 'the list has the totals of people');
  assert.equal(summed, repositoryTotal);
}

/** Returns the numbers after a recount in one transaction. */
async function expectedOf(database: Database, filled: Filled): Promise<unknown> {
  await inTransaction(database.connection, (to) => recountRepository(to, filled.repositoryId));
  return findNumbers(database);
}

describe('recount of the commits of a repository in parts', () => {
  it('leaves numbers that agree after each part, and in the end those of a recount at once', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const filled = await fill(database, 200);
    const before = await findNumbers(database);
    await findAccount(database.connection, filled);
    let parts = 0;
    const seen = new Set<string>();
    await recount(database.connection, filled, 20, async () => {
      parts += 1;
      seen.add(JSON.stringify((await findNumbers(database)).people));
      await assertAgree(database);
    });
    assert.ok(parts >= 8 && seen.size >= 8, `${parts} parts`);
    const after = await findNumbers(database);
    assert.notDeepEqual(after, before);
    assert.deepEqual(await expectedOf(database, filled), after);
    assert.equal(await areCommitsCounted(database.connection, filled.repositoryId), true);
  });

  it('counts the same when the connection is lost before any statement', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const filled = await fill(database, 60);
    const work = (connection: Connection): Promise<void> => recount(connection, filled, 20);
    await findAccount(database.connection, filled);
    let losses = 0;
    for (let at = 1; !(await loseConnection(database, at, work)); at += isThorough ? 1 : 4) {
      losses += 1;
      await assertAgree(database);
    }
    assert.ok(losses > 2);
    const after = await findNumbers(database);
    assert.deepEqual(await expectedOf(database, filled), after);
  });

  it('continues after the last part when it was stopped', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const filled = await fill(opened.database, 100);
    await findAccount(connection, filled);
    const position = async (): Promise<string | null> => {
      const { rows } = await pool.query<{ at: string | null }>('select recounted_until as at from repository_totals');
      return rows[0]?.at ?? null;
    };
    const next = () => inTransaction(connection, (to) => recountNextDays(to, filled.repositoryId, 20));
    await next();
    const first = await position();
    await next();
    assert.ok(first !== null && ((await position()) ?? '') > first);
  });

  for (const [event, happen] of Object.entries({
    'another account of an address is found': async (database: Database, filled: Filled) => {
      const { rows } = await database.pool.query<{ id: string }>(`select id from accounts where external_id = 'p3'`);
      await findAccount(database.connection, { ...filled, found: rows[0]?.id ?? '' });
    },
    'commits of counted days are stored': (database: Database, filled: Filled) =>
      storeCommit(database, filled, new Date('2026-04-01T00:00:00Z')),
  })) {
    it(`begins again when ${event} meanwhile`, async () => {
      await using opened = await reuseTestDatabase();
      const { database } = opened;
      const filled = await fill(database, 100);
      await findAccount(database.connection, filled);
      let parts = 0;
      await recount(database.connection, filled, 20, async () => {
        parts += 1;
        if (parts === 4) await happen(database, filled);
      });
      assert.ok(parts > 8, `${parts} parts`);
      const after = await findNumbers(database);
      assert.deepEqual(await expectedOf(database, filled), after);
    });
  }

  it('counts a commit before the first day that is stored while the first part is taken', {
    skip: isOnCluster,
  }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const filled = await fill(database, 100);
    await findAccount(database.connection, filled);
    let isStored = false;
    await interleave(
      database,
      (connection) => recount(connection, filled, 20),
      async ({ text }) => {
        if (isStored || !text.includes('lock_totals')) return;
        isStored = true;
        await storeCommit(database, filled, new Date('2020-01-01T00:00:00Z'));
      },
    );
    assert.ok(isStored);
    const after = await findNumbers(database);
    assert.deepEqual(await expectedOf(database, filled), after);
  });

  it('does not end when it became necessary again after the last part', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const filled = await fill(opened.database, 40);
    await findAccount(connection, filled);
    const next = () => inTransaction(connection, (to) => recountNextDays(to, filled.repositoryId, 1000));
    assert.equal(await next(), 'done');
    const { rows } = await opened.database.pool.query<{ id: string }>(
      `select id from accounts where external_id = 'p3'`,
    );
    await findAccount(connection, { ...filled, found: rows[0]?.id ?? '' });
    assert.equal(await inTransaction(connection, (to) => endRecount(to, filled.repositoryId)), false);
    assert.equal(await areCommitsCounted(connection, filled.repositoryId), false);
  });

  it('reads as much in a part of a large history as in a part of a small one, and writes what differs', {
    skip: isOnCluster,
  }, async () => {
    const costs: number[] = [];
    for (const commits of isThorough ? [2000, 20_000] : [1000, 4000]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const filled = await fill(database, commits);
      await analyzeTables(database);
      await findAccount(database.connection, filled);
      const next = (connection: Connection) =>
        inTransaction(connection, (to) => recountNextDays(to, filled.repositoryId, 500));
      await watchPlans(database, next);
      const statements = await watchPlans(database, next);
      costs.push(statements.reduce((sum, { blocks }) => sum + blocks, 0));
    }
    const [small = 0, large = 0] = costs;
    assert.ok(large < small * 1.5, `${small} blocks, and ${large} with many more commits`);
  });
});
