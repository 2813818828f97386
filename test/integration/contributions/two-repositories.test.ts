import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findUncollected } from '../../../src/contributions/items/collection-store.ts';
import { saveAllCommits } from '../../../src/contributions/items/commit-store.ts';
import {
  findDueAddresses,
  markAddressesInParts,
  postponeAddresses,
  saveResolved,
} from '../../../src/contributions/items/identity-store.ts';
import { endRecount } from '../../../src/contributions/totals/recount-commits-store.ts';
import { areCommitsCounted, countNewCommits } from '../../../src/contributions/totals/total-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { recountCommits } from '../../../src/sync/histories/read-history.ts';
import { isOnCluster } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { until } from '../../time.ts';
import { interleave } from '../interleave.ts';
import { addRepositories } from './stored-repository.ts';

const now = new Date('2026-06-15T12:00:00Z');
const bee = 'bee@forge.test';
const eff = 'eff@forge.test';
const atOnce = { rows: 1, signal: new AbortController().signal };

/** Two repositories that are read side by side. Eff is only a co-author in the small one, and an author in the large one. */
interface World {
  database: Database;
  small: string;
  large: string;
  accountId: string;
}

async function makeWorld(database: Database): Promise<World> {
  await addRepositories(database.connection, 2);
  await database.pool.query(`
    update repositories set default_branch = 'main';
    insert into streams (repository_id, name, covers) select id, 'commits', '{commit}' from repositories`);
  const { rows } = await database.pool.query<{ id: string; owner: string }>(
    'select id, owner_id as owner from repositories order by id',
  );
  return { database, small: rows[0]?.id ?? '', large: rows[1]?.id ?? '', accountId: rows[0]?.owner ?? '' };
}

/** Stores a commit for each list of addresses. */
async function storeCommits(connection: Connection, repositoryId: string, commits: readonly string[][], first = 1) {
  const isCounted = await areCommitsCounted(connection, repositoryId);
  async function* batches() {
    yield commits.map((emails, index) => {
      const oid = String(first + index).padStart(40, '0');
      return { oid, authoredAt: now, committedAt: now, emails };
    });
  }
  await saveAllCommits(connection, batches(), { provider: 'github', repositoryId, scanNumber: 1, isCounted });
}

/** Looks up the addresses of a repository; the host shows the accounts of authors alone. */
async function lookUp(connection: Connection, repositoryId: string, owners: Readonly<Record<string, string>>) {
  const { addresses } = await findDueAddresses(connection, repositoryId, { now, maxRetries: 10 });
  const shown = addresses.flatMap(({ id, email }) => {
    const accountId = owners[email];
    return accountId === undefined ? [] : [{ id, accountId }];
  });
  await inTransaction(connection, (transaction) => saveResolved(transaction, shown, now));
  const unknown = addresses.filter(({ email }) => owners[email] === undefined).map(({ id }) => id);
  await postponeAddresses(connection, repositoryId, unknown, now);
}

/** Counts the commits of a repository, as the reading of its history does. */
async function count(connection: Connection, repositoryId: string): Promise<void> {
  await markAddressesInParts(connection, repositoryId, atOnce);
  await recountCommits(connection, { repositoryId, ...atOnce });
  await inTransaction(connection, async (transaction) => {
    if (await areCommitsCounted(transaction, repositoryId)) await countNewCommits(transaction, repositoryId);
    else await endRecount(transaction, repositoryId);
    await transaction
      .updateTable('streams')
      .set({ completed_at: now })
      .where('repository_id', '=', repositoryId)
      .execute();
  });
}

/** Reads the small repository, where the host shows no account. */
async function readSmall(connection: Connection, { small }: World): Promise<void> {
  await storeCommits(connection, small, [[bee, eff]]);
  await lookUp(connection, small, {});
  await count(connection, small);
}

/** Reads the large repository, where the host shows the account of Eff. */
async function readLarge(connection: Connection, { large, accountId }: World): Promise<void> {
  await storeCommits(connection, large, [[eff], [eff, bee]]);
  await lookUp(connection, large, { [eff]: accountId });
  await count(connection, large);
}

/** Returns when some work has ended, or waits for a lock. */
async function untilWaiting({ pool }: Database, work: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  const end = (): void => {
    hasEnded = true;
  };
  work.then(end, end);
  await until(async () => {
    if (hasEnded) return true;
    const { rows } = await pool.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length > 0 ? true : undefined;
  }, 'the work ends or waits');
}

/** Fails unless both repositories count each commit for Eff, or say that they do not, and have it done by a job. */
async function checkCounted({ database, small, large, accountId }: World, place: string): Promise<void> {
  const { connection, pool } = database;
  for (const [repositoryId, commits] of [
    [small, 1],
    [large, 2],
  ] as const) {
    const counted = async (): Promise<number> => {
      const { rows } = await pool.query<{ commits: number }>(
        'select commits from contributor_totals where repository_id = $1 and account_id = $2',
        [repositoryId, accountId],
      );
      return rows[0]?.commits ?? 0;
    };
    const isComplete = !(await findUncollected(connection, repositoryId)).includes('commit');
    if (isComplete) {
      assert.equal(await counted(), commits, `${place}: complete`);
      continue;
    }
    const { rows: jobs } = await pool.query(
      `select 1 from graphile_worker.jobs j join repositories r on j.key = 'collect_repository ' || r.owner_id || '/' || lower(r.name) || ' with private'
       where r.id = $1`,
      [repositoryId],
    );
    assert.equal(jobs.length, 1, `${place}: a job`);
    await count(connection, repositoryId);
    assert.deepEqual([await counted(), await areCommitsCounted(connection, repositoryId)], [commits, true], place);
  }
}

type Read = (connection: Connection, world: World) => Promise<void>;

/** Runs one reading, and before one of its statements begins the other one, which ends or waits, for each of its statements. */
async function runAllOrders(first: Read, second: Read, prepare?: Read): Promise<number> {
  for (let at = 1; ; at += prepare === undefined || isThorough ? 1 : 3) {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const world = await makeWorld(database);
    await prepare?.(database.connection, world);
    let other: Promise<void> | undefined;
    let place = '';
    await interleave(
      database,
      (connection) => first(connection, world),
      async ({ number, text }) => {
        if (number !== at) return;
        place = `${at} ${text}`;
        other = second(database.connection, world);
        await untilWaiting(database, other);
      },
    );
    if (other === undefined) return at - 1;
    await other;
    await checkCounted(world, place);
  }
}

// Waits between transactions are on the workers of a cluster.
describe('repositories that are read side by side', { skip: isOnCluster }, () => {
  it('count a co-author whose account another one finds at any step', async () => {
    assert.ok((await runAllOrders(readSmall, readLarge)) > 20);
  });

  it('count a co-author when they are read at any step of the one that finds the account', async () => {
    assert.ok((await runAllOrders(readLarge, readSmall)) > 20);
  });

  it('count a co-author of a new commit at any step, where the other commits are counted', async () => {
    const prepare: Read = async (connection, { small }) => {
      await storeCommits(connection, small, [[bee]], 5);
      await lookUp(connection, small, {});
      await count(connection, small);
    };
    assert.ok((await runAllOrders(readSmall, readLarge, prepare)) > 15);
    assert.ok((await runAllOrders(readLarge, readSmall, prepare)) > 15);
  });
});
