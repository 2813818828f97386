import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { Value } from 'typebox/value';
import type { Ranking, Scope } from '../../../src/contributions/contributors/contributor.ts';
import { ListOfAccount } from '../../../src/contributions/contributors/prepare-store.ts';
import { currentRanking, makeList } from '../../../src/contributions/contributors/ranking.ts';
import {
  endDifferentRankings,
  endOldRankings,
  findRanking,
  hasVersion,
  removeEnded,
  removeReplaced,
} from '../../../src/contributions/contributors/ranking-store.ts';
import { countAll, countContributors } from '../../../src/contributions/contributors/store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { openRequestPool } from '../../../src/database/reads/request-pool.ts';
import { advisoryLocks } from '../../../src/database/schema/advisory-locks.ts';
import { Computations } from '../../../src/http/pipeline/computations.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { applyChange, changes, owners, people, repositories, startWorld } from '../contributions/random-changes.ts';
import { makeContribution, storeContributions } from '../contributions/stored-repository.ts';
import { watchPlans } from '../plans.ts';
import { isStored, type Row, readPages, scopes, start, sumContributors, withoutBots } from './contributor-lists.ts';

const day = 86_400_000;

function current(connection: Connection, scope: Scope, now = start): Promise<Ranking> {
  const computations = new Computations({ findVersion: () => 0 }, () => false);
  return currentRanking({ connection, computations, now: () => now }, scope);
}

/** Opens a database with the world of random changes, and the first of the scopes that are listed. */
async function openWorld(): Promise<Pick<Database, 'connection' | 'pool'> & { scope: Scope } & AsyncDisposable> {
  const opened = await reuseTestDatabase();
  const { connection, pool } = opened.database;
  await startWorld(connection);
  const [scope] = scopes;
  assert.ok(scope);
  return { connection, pool, scope, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

describe('listing contributors', () => {
  it('equals the sum over all repositories after every change, and its earlier versions stay as they were', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const history = fc.array(fc.tuple(changes, fc.boolean(), fc.boolean()), { minLength: 5, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        await startWorld(connection);
        const versions: { scope: Scope; ranking: Ranking; rows: Row[] }[] = [];
        for (const [change, isKilled, isRead] of steps) {
          await applyChange(connection, change, isKilled);
          for (const scope of isRead ? scopes : []) {
            if (!(await isStored(connection, scope))) continue;
            const ranking = await current(connection, scope);
            const rows = await readPages(connection, ranking);
            assert.deepEqual(rows, await sumContributors(connection, scope), change.name);
            const counts = [
              await countAll(connection, ranking, withoutBots),
              await countContributors(connection, ranking, withoutBots),
            ];
            assert.deepEqual(counts, [rows.length, rows.length]);
            versions.push({ scope, ranking, rows });
          }
          for (const { scope, ranking, rows } of versions) {
            // Lists that showed a repository of another visibility end, so that cursors into them are stale.
            if (!(await hasVersion(connection, ranking, scope))) continue;
            const { rows: living } = await sql<{ name: string }>`select name from accounts`.execute(connection);
            const names = new Set(living.map(({ name }) => name));
            const kept = rows.filter(({ name }) => names.has(name));
            assert.deepEqual(await readPages(connection, ranking), kept, `${scope.accountId} after ${change.name}`);
          }
        }
        assert.deepEqual(await endDifferentRankings(connection, owners, start), []);
      }),
      { numRuns: isThorough ? 20 : 1 },
    );
  });

  it('equals the sum over all repositories after changes and reads at the same time', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(changes, { minLength: 3, maxLength: 6 }), { minLength: 3, maxLength: 6 }),
        async (rounds) => {
          await startWorld(connection);
          for (const round of rounds) {
            const ends = await Promise.allSettled([
              ...round.map((change) => applyChange(connection, change, false)),
              ...scopes.map((scope) => current(connection, scope).catch(() => {})),
            ]);
            for (const end of ends) if (end.status === 'rejected') throw end.reason;
            for (const scope of scopes) {
              const { rows } = await sql`select from accounts where id = ${scope.accountId}`.execute(connection);
              if (rows.length === 0) continue;
              const found = await readPages(connection, await current(connection, scope));
              assert.deepEqual(
                found,
                await sumContributors(connection, scope),
                round.map(({ name }) => name).join(', '),
              );
            }
          }
        },
      ),
      { numRuns: isThorough ? 10 : 1 },
    );
  });

  it('follows a new name', async () => {
    await using world = await openWorld();
    const { connection, pool, scope } = world;
    for (const person of people) await addIssues(connection, person, 1);
    const before = await current(connection, scope);
    const names = (await readPages(connection, before)).map(({ name }) => name);
    await pool.query("update accounts set name = 'zoe' where id = $1", [people[0]]);
    const after = await readPages(connection, await current(connection, scope));
    assert.deepEqual(
      after.map(({ name }) => name),
      [...names.slice(1), 'zoe'],
    );
    assert.equal((await readPages(connection, before))[0]?.name, 'zoe');
  });

  it('lets cursors into a replaced version end after a time, and others go on', async () => {
    await using world = await openWorld();
    const { connection, scope } = world;
    const [ada = '', bob = ''] = people;
    await addIssues(connection, ada, 2);
    const old = await current(connection, scope);
    await addIssues(connection, bob, 3);
    const newer = await current(connection, scope);
    assert.deepEqual([newer.id, newer.version > old.version], [old.id, true]);
    await addIssues(connection, ada, 5);
    assert.equal(await hasVersion(connection, old, scope), true);
    const later = new Date(Date.now() + day);
    assert.equal(await removeReplaced(connection, later, 100), 1);
    assert.equal(await hasVersion(connection, old, scope), false);
    const newest = await current(connection, scope);
    assert.equal(await hasVersion(connection, newest, scope), true);
    assert.equal(await hasVersion(connection, newest, { ...scope, includesPrivate: true }), false);
    assert.deepEqual(await readPages(connection, newest), await sumContributors(connection, scope));
  });

  it('is made by a job when it takes longer than a request may', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool, clientConfig } = opened.database;
    await startWorld(connection);
    const [scope] = scopes;
    assert.ok(scope);
    await addIssues(connection, people[0] ?? '', 2);
    const requests = openRequestPool(clientConfig, { maxConnections: 2, statementTimeoutMs: 100 });
    try {
      await inTransaction(connection, async (transaction) => {
        await sql`
          select pg_advisory_xact_lock(${advisoryLocks.listing}, hashtext(${scope.accountId}))`.execute(transaction);
        await assert.rejects(current(requests.connection, scope), { code: 'overloaded' });
      });
    } finally {
      await requests.close();
    }
    const { rows } = await pool.query<{ payload: unknown }>(
      `select payload from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
       where t.identifier = 'make_list'`,
    );
    assert.equal(rows.length, 1);
    await makeList({ connection, now: () => start }, Value.Parse(ListOfAccount, rows[0]?.payload));
    const ranking = await findRanking(connection, scope);
    assert.ok(ranking);
    assert.deepEqual(await readPages(connection, ranking), await sumContributors(connection, scope));
  });

  it('follows a contribution without reading its other people', { skip: isOnCluster }, async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    await startWorld(connection);
    const [scope] = scopes;
    assert.ok(scope);
    await pool.query(
      `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
       select gen_random_uuid(), 'github', 'p' || n, '', 'user', 'p' || n, now(), now(), now() from generate_series(1, 2000) n`,
    );
    await pool.query(
      `insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
       select $1, id, 1, 0, 0, 0, 0 from accounts where external_id like 'p%'`,
      [repositories[0]],
    );
    await current(connection, scope);
    await pool.query('analyze ranks, rankings, accounts');
    const statements = await watchPlans(database, (watched) => addIssues(watched, people[0] ?? '', 1));
    const fullScans = statements.filter(({ scannedTables }) => scannedTables.includes('ranks'));
    assert.deepEqual(
      fullScans.map(({ text }) => text),
      [],
    );
  });

  it('ends after a time, loses its rows, and is made again by the next request', async () => {
    await using world = await openWorld();
    const { connection, pool, scope } = world;
    await addIssues(connection, people[0] ?? '', 2);
    const old = await current(connection, scope);
    const end = (before: Date): Promise<number> => endOldRankings(connection, { before, now: start, limit: 10 });
    assert.deepEqual([await end(start), await end(new Date(start.getTime() + 1))], [0, 1]);
    const ranking = await current(connection, scope);
    assert.notEqual(ranking.id, old.id);
    assert.equal((await readPages(connection, ranking)).length, 1);
    while ((await removeEnded(connection, 1)) > 0);
    const { rows } = await pool.query('select distinct ranking_id from ranks union select id from rankings');
    assert.deepEqual(rows, [{ ranking_id: ranking.id }]);
  });

  it('is made again when a check finds a difference', async () => {
    await using world = await openWorld();
    const { connection, pool, scope } = world;
    await addIssues(connection, people[0] ?? '', 2);
    await current(connection, scope);
    await pool.query('update ranks set contributions = 7');
    assert.deepEqual(await endDifferentRankings(connection, owners, start), [scope.accountId]);
    assert.deepEqual(
      await readPages(connection, await current(connection, scope)),
      await sumContributors(connection, scope),
    );
  });

  it('leaves the number of people on cards right when one of them becomes a bot, hides or is erased', async () => {
    await using world = await openWorld();
    const { connection, pool, scope } = world;
    for (const person of people) await addIssues(connection, person, 1);
    const counts = async (): Promise<number[]> => {
      const ranking = await current(connection, scope);
      return [
        await countAll(connection, ranking, withoutBots),
        await countContributors(connection, ranking, withoutBots),
      ];
    };
    await current(connection, scope);
    await pool.query("update accounts set type = 'bot' where id = $1", [people[0]]);
    assert.deepEqual(await counts(), [3, 3]);
    await pool.query('update accounts set hidden = true where id = $1', [people[1]]);
    assert.deepEqual(await counts(), [2, 2]);
    await pool.query('delete from accounts where id = $1', [people[2]]);
    assert.deepEqual(await counts(), [1, 1]);
    await pool.query('update accounts set hidden = false where id = $1', [people[1]]);
    assert.deepEqual(await counts(), [2, 2]);
  });
});

async function addIssues(connection: Connection, person: string, count: number): Promise<void> {
  const issues = Array.from({ length: count }, () => makeContribution({ externalId: randomUUID(), author: person }));
  await storeContributions(connection, repositories[0] ?? '', issues);
}
