import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recountRepository } from '../../../bench/recount-repository.ts';
import {
  type Checked,
  checkSummed,
  checkSums,
  foldSums,
  sumOverOwned,
} from '../../../src/contributions/totals/owner-sum-store.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { isThorough } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { applyChange, changes, owners, people, repositories, startWorld } from './random-changes.ts';
import { makeContribution, storeContributions } from './stored-repository.ts';

const totals = [
  'commits',
  'issues',
  'issues_closed',
  'pull_requests',
  'pull_requests_merged',
  'reviews',
  'discussions',
  'discussions_answered',
];
const isUncollected = `not exists (
    select from streams s where s.repository_id = r.id and 'issue' = any(s.covers) and s.completed_at is not null)
  or exists (
    select from skipped_items k
    where k.repository_id = r.id and not k.is_counted and k.kind in ('issue', 'issue_or_pull_request'))`;

/** Sums over the present repositories of each account, from scratch. */
const expected = `
  select r.owner_id::text as owner, r.is_private,
    ${totals.map((name) => `sum(coalesce(t.${name}, 0))::integer as ${name}`).join(', ')},
    count(*) filter (where t.commits + t.issues + t.pull_requests + t.reviews > 0)::integer as contributed_to,
    coalesce(sum(r.stars) filter (where not r.is_fork), 0)::integer as stars,
    count(*) filter (where ${isUncollected})::integer as uncollected_issues,
    count(*) filter (where exists (
      select from streams s where s.repository_id = r.id and s.completed_at is null and s.failure is null))::integer
      as unfinished
  from repositories r left join repository_totals t on t.repository_id = r.id
  where r.deleted_at is null group by r.owner_id, r.is_private`;

const stored = `
  select owner_id::text as owner, is_private, ${[
    ...totals,
    'contributed_to',
    'stars',
    'uncollected_issues',
    'unfinished',
  ]
    .map((name) => `sum(${name})::integer as ${name}`)
    .join(', ')}
  from owner_sums group by owner_id, is_private`;

async function readSums({ pool }: Database, query: string): Promise<object[]> {
  const { rows } = await pool.query<object>(`select * from (${query}) s order by owner, is_private`);
  // An owner without repositories has rows that add up to zero, or none.
  return rows.filter((row) => Object.values(row).some((value) => typeof value === 'number' && value !== 0));
}

async function assertSummed(database: Database, change: string): Promise<void> {
  assert.deepEqual(await readSums(database, stored), await readSums(database, expected), change);
}

async function check({ connection }: Database): Promise<Omit<Checked, 'ids'>[]> {
  const everything = { after: undefined, limit: 100 };
  const checks = [checkSummed, checkSums];
  const ends: Omit<Checked, 'ids'>[] = [];
  for (const check of checks) {
    const { last, different } = await inTransaction(connection, (transaction) => check(transaction, everything));
    ends.push({ last, different });
  }
  return ends;
}

const noDifference = [
  { last: undefined, different: [] },
  { last: undefined, different: [] },
];

describe('the sums of an owner', () => {
  it('equal those over all of its repositories after every change, also after kills', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(changes, fc.boolean()), { minLength: 5, maxLength: 25 }), async (history) => {
        await startWorld(database.connection);
        for (const [change, isKilled] of history) {
          await applyChange(database.connection, change, isKilled);
          await assertSummed(database, change.name);
        }
        await inTransaction(database.connection, async (transaction) => {
          for (const id of owners) await foldSums(transaction, id);
        });
        await assertSummed(database, 'folding');
        assert.deepEqual(await check(database), noDifference);
      }),
      { numRuns: isThorough ? 60 : 3 },
    );
  });

  it('equal those over all of its repositories after changes at the same time', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection } = database;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(changes, { minLength: 4, maxLength: 8 }), { minLength: 6 }),
        async (rounds) => {
          await startWorld(connection);
          for (const round of rounds) {
            await Promise.all([
              ...round.map((change) => applyChange(connection, change, false)),
              ...owners.map((id) => inTransaction(connection, (transaction) => foldSums(transaction, id))),
            ]);
            await assertSummed(database, round.map(({ name }) => name).join(', '));
          }
        },
      ),
      // The order of changes at the same time differs in each run, so that smaller histories cannot be searched for.
      { numRuns: isThorough ? 15 : 1, endOnFailure: true },
    );
  });

  it('contain what the transaction that reads them has changed', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const [owner = '', otherOwner = ''] = owners;
    await startWorld(connection);
    await database.pool.query('update repositories set stars = 7 where id = $1', [repositories[0]]);
    const findStars = async (transaction: typeof connection, id: string): Promise<number | null> =>
      (await sumOverOwned(transaction, id, 'public')).counters.stars;
    await inTransaction(connection, async (transaction) => {
      await transaction
        .updateTable('repositories')
        .set({ stars: 9 })
        .where('id', '=', repositories[0] ?? '')
        .execute();
      assert.deepEqual([await findStars(transaction, owner), await findStars(connection, owner)], [9, 7]);
      await transaction
        .updateTable('repositories')
        .set({ owner_id: otherOwner })
        .where('id', '=', repositories[0] ?? '')
        .execute();
      assert.deepEqual([await findStars(transaction, owner), await findStars(transaction, otherOwner)], [0, 9]);
    });
    assert.deepEqual([await findStars(connection, owner), await findStars(connection, otherOwner)], [0, 9]);
  });

  it('are folded into few rows', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    await startWorld(database.connection);
    for (let stars = 1; stars <= 60; stars += 1) {
      await database.pool.query('update repositories set stars = $1 where id = $2', [stars, repositories[0]]);
    }
    await foldSums(database.connection, owners[0] ?? '');
    const { rows } = await database.pool.query('select from owner_sums where owner_id = $1', [owners[0]]);
    assert.equal(rows.length, 1);
    await assertSummed(database, 'folding');
  });

  it('are repaired by a check, which finds no other difference', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    await startWorld(connection);
    await storeContributions(connection, repositories[0] ?? '', [makeContribution({ author: people[0] ?? null })]);
    await pool.query('update repository_totals set issues = 7 where repository_id = $1', [repositories[0]]);
    await inTransaction(connection, (transaction) => recountRepository(transaction, repositories[0] ?? ''));
    await assertSummed(database, 'the recount of a repository');
    const found = { last: undefined, different: [owners[0]] };
    await pool.query('update owner_sums set issues = 5 where owner_id = $1', [owners[0]]);
    assert.deepEqual(await check(database), [noDifference[0], found]);
    await assertSummed(database, 'a check');
    await pool.query('update repository_totals set issues = 7 where repository_id = $1', [repositories[0]]);
    assert.deepEqual(await check(database), [found, noDifference[1]]);
    await assertSummed(database, 'another check');
    assert.deepEqual(await check(database), noDifference);
  });

  it('leave out private repositories of a withdrawn credential at once', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    await startWorld(connection);
    await pool.query("update repositories set is_private = true, credential_name = 'app', stars = 7 where id = $1", [
      repositories[0],
    ]);
    const [owner = ''] = owners;
    const before = await sumOverOwned(connection, owner, 'all');
    await pool.query("insert into withdrawn_credentials values ('github', 'app', now())");
    const after = await sumOverOwned(connection, owner, 'all');
    assert.deepEqual([before.counters.stars, after.counters.stars], [7, 0]);
  });
});
