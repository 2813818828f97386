import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { checkSummed, checkSums } from '../../../src/contributions/totals/owner-sum-store.ts';
import { findRepair, moveRepair } from '../../../src/contributions/totals/repair-store.ts';
import { findChecked } from '../../../src/contributions/totals/running-check-store.ts';
import { countNewCommits } from '../../../src/contributions/totals/total-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import type { Repair } from '../../../src/database/tables/contribution-tables.ts';
import { isOnCluster } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { interleave } from '../interleave.ts';
import { loseConnectionAtStatements } from '../lost-connection.ts';
import { check, checkOnce, corruptTotals, findSums, storeRepository } from './counted-repository.ts';
import { storeLanguages } from './store-languages.ts';
import { makeContribution, removeContributions, storeContributions } from './stored-repository.ts';

/** The limits of one job, so low that a repair takes several of them. */
const limits = { rows: 40, parts: 3 };
const begin: Repair = { part: 'days', from: null };

async function store(database: Database, items = 300, people = 20): Promise<string> {
  const id = await storeRepository(database, items, people);
  await storeLanguages(database.connection);
  return id;
}

async function findLanguages({ pool }: Database): Promise<unknown> {
  const { rows } = await pool.query(`
    select (select json_agg(d order by identity_id, day, language) from language_days d) as days,
      (select json_agg(s order by identity_id, language) from language_sums s) as sums`);
  return rows;
}

async function findTotals(database: Database): Promise<unknown> {
  return [await findSums(database), await findLanguages(database)];
}

/** Makes totals of all tables wrong, and lets the sums of the owner follow. @returns how many rows. */
async function corrupt(database: Database, id: string): Promise<number> {
  const { pool } = database;
  const wrong = await corruptTotals(database, id);
  await pool.query(
    `delete from contributor_totals where account_id in (select id from accounts where external_id in ('p7', 'p8'))`,
  );
  await pool.query(
    `insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
     select $1, owner_id, 1, 2, 3, 4, 5 from repositories`,
    [id],
  );
  await pool.query(`
    update contributor_totals set discussions_answered = discussions_answered + 1
    where account_id = (select id from accounts where external_id = 'p9')`);
  await pool.query('update repository_totals set commits = commits + 1');
  await pool.query(`
    update language_sums set files = files + 1
    where (identity_id, language) = (select identity_id, language from language_sums order by 1, 2 limit 1)`);
  await pool.query(`
    delete from language_sums
    where (identity_id, language) = (select identity_id, language from language_sums order by 1 desc, 2 desc limit 1)`);
  await pool.query(
    `insert into language_sums (repository_id, identity_id, language, files) select $1, max(id), 'Fortran', 1 from identities`,
    [id],
  );
  await pool.query('select mark_unsummed(array[$1::uuid])', [id]);
  return wrong + 7;
}

/** Runs jobs until the check has begun again and no repair is left. @returns how many totals differed, in how many jobs. */
async function checkToEnd(connection: Connection, id: string): Promise<{ differences: number; jobs: number }> {
  let differences = 0;
  let jobs = 0;
  for (let isLeft = true; isLeft; jobs += 1) {
    const result = await checkOnce(connection, id, limits);
    differences += result.differences;
    assert.equal(result.isRepairing, (await findRepair(connection, id)) !== null);
    isLeft = result.isRepairing || (await findChecked(connection, id)) !== null;
  }
  return { differences, jobs };
}

async function repairToEnd(connection: Connection, id: string): Promise<void> {
  while ((await findRepair(connection, id)) !== null) await checkOnce(connection, id, limits);
}

/** Asserts that the sums of the owner are those of its repository. */
async function assertOwnerSums(connection: Connection): Promise<void> {
  for (const compare of [checkSummed, checkSums]) {
    const checked = await inTransaction(connection, (to) => compare(to, { after: undefined, limit: 100 }));
    assert.deepEqual(checked.different, []);
  }
}

describe('repair of totals', () => {
  it('corrects all that differ in several jobs, and the sums of the owner with them', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const id = await store(database);
    const expected = await findTotals(database);
    const wrong = await corrupt(database, id);
    const { differences, jobs } = await checkToEnd(connection, id);
    assert.equal(differences, wrong);
    // The days of 300 items take four jobs.
    assert.ok(jobs > 8, `${jobs} jobs`);
    assert.deepEqual(await findTotals(database), expected);
    await assertOwnerSums(connection);
    assert.equal((await checkToEnd(connection, id)).differences, 0);
  });

  it('writes only what differs, and its place', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    const id = await store(database);
    await pool.query(`update contributor_totals set issues = issues + 1
      where account_id = (select id from accounts where external_id = 'p5')`);
    await pool.query(`update language_sums set files = files + 1
      where (identity_id, language) = (select identity_id, language from language_sums order by 1, 2 limit 1)`);
    await moveRepair(connection, id, { from: null, to: begin });
    const versions = async (table: string): Promise<Set<string>> => {
      const { rows } = await pool.query<{ version: string }>(`select ctid || ' ' || xmin as version from ${table}`);
      return new Set(rows.map(({ version }) => version));
    };
    const tables = ['contribution_days', 'language_days', 'contributor_totals', 'language_sums'];
    const before = await Promise.all(tables.map(versions));
    await repairToEnd(connection, id);
    const after = await Promise.all(tables.map(versions));
    const written = after.map((found, index) => [...found].filter((version) => !before[index]?.has(version)).length);
    assert.deepEqual(written, [0, 0, 1, 1]);
  });

  it('repairs the same when the connection is lost before any statement', { skip: isOnCluster }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const id = await store(database);
    const expected = await findTotals(database);
    await corrupt(database, id);
    const work = async (connection: Connection): Promise<void> => {
      await checkToEnd(connection, id);
    };
    // Each loss is one statement later, so that all places of some jobs are stops.
    const losses = await loseConnectionAtStatements(database, work, isThorough ? 1 : 13);
    assert.ok(losses > 4, `${losses} losses`);
    assert.deepEqual(await findTotals(database), expected);
    await assertOwnerSums(database.connection);
  });

  it('goes on where it stopped', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const id = await store(database);
    await moveRepair(connection, id, { from: null, to: begin });
    const places: string[] = [];
    const once = { ...limits, parts: 1 };
    for (;;) {
      const { isRepairing } = await checkOnce(connection, id, once);
      if (!isRepairing) break;
      places.push(JSON.stringify(await findRepair(connection, id)));
    }
    assert.equal(new Set(places).size, places.length, places.join());
    for (const part of ['days', 'people', 'languages']) {
      const ofPart = places.filter((place) => place.includes(part));
      assert.ok(ofPart.length > 2, `${ofPart.length} of ${part}`);
      if (part !== 'languages') assert.deepEqual(ofPart.slice(0, -1), ofPart.slice(0, -1).toSorted());
    }
  });

  it('corrects the totals while contributions and commits change between its statements', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    const id = await store(database);
    await corrupt(database, id);
    const { rows: people } = await pool.query<{ id: string; external: string }>(
      `select id, external_id as external from accounts where external_id like 'p%' order by id`,
    );
    const { rows: first } = await pool.query<{ at: Date }>('select min(created_at) as at from contributions');
    const start = first[0]?.at.getTime() ?? Number.NaN;
    let changes = 0;
    const change = async (): Promise<void> => {
      changes += 1;
      const { id: author, external } = people[(changes * 7) % people.length] ?? assert.fail();
      const at = new Date(start + ((changes * 11) % 60) * 86_400_000);
      const closedAt = changes % 2 === 0 ? at : null;
      const added = { externalId: `new ${changes}`, author, createdAt: at, updatedAt: at, closedAt };
      await storeContributions(connection, id, [makeContribution(added)]);
      const isOther = sql<boolean>`c.kind = ${changes % 2 === 0 ? 'discussion' : 'pull_request'}
        and c.external_id = (select min(external_id) from contributions where kind = c.kind and repository_id = ${id})`;
      await removeContributions(connection, id, isOther);
      await pool.query(
        `with added as (
           insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
           select $1, decode(md5($2), 'hex'), $3, $3, 1, array[id] from identities where email = $4 returning repository_id, oid)
         insert into uncounted_commits (repository_id, oid) select * from added`,
        [id, `new ${changes}`, at, `${external}@x.org`],
      );
      if (changes % 3 === 0) await inTransaction(connection, (to) => countNewCommits(to, id));
    };
    let places = 0;
    await interleave(
      database,
      async (working) => {
        await checkToEnd(working, id);
      },
      async ({ isInTransaction }) => {
        if (isInTransaction) return;
        places += 1;
        if (isThorough || places % 12 === 1) await change();
      },
    );
    assert.ok(places > 50, `${places} places`);
    await check(connection, id, { rows: 10_000, parts: 1 });
    assert.equal(await inTransaction(connection, (to) => recountRepository(to, id)), 0);
    await assertOwnerSums(connection);
  });
});
