import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { saveAllCommits } from '../../../src/contributions/items/commit-store.ts';
import { countStored } from '../../../src/contributions/totals/private-store.ts';
import { countNewCommits } from '../../../src/contributions/totals/total-store.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { backUp } from '../../../src/database/copy/backup.ts';
import { countPartitions } from '../../../src/database/migrations/apply-migrations.ts';
import { migrate } from '../../../src/database/migrations/migrate.ts';
import type { Migration } from '../../../src/database/migrations/migration.ts';
import { distribute } from '../../../src/database/schema/citus.ts';
import { partition, partitionedNames } from '../../../src/database/schema/partitions.ts';
import { dividedNames } from '../../../src/database/tables/divided-tables.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { sampled } from '../../depth.ts';
import { makeContribution, storeContributions } from '../contributions/stored-repository.ts';

const report = { log: () => {}, logEveryMs: 60_000 };
const now = new Date('2026-05-02T00:00:00Z');

/** Stores a person with repositories, who has contributed to all of them. @returns the ids, that of the person first. */
async function store({ connection, pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(`
    with person as (
      insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
      values (gen_random_uuid(), 'github', '1', '1', 'user', 'ada', now(), now(), now()) returning id
    ), address as (
      insert into identities (provider, email, account_id) select 'github', 'ada@x.org', id from person
    ), engines as (
      insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
        created_at, updated_at)
      select gen_random_uuid(), 'github', n::text, '1', id, 'engine-' || n, false, false, now(), now(), now(), now()
      from person cross join generate_series(1, 9) n returning id
    )
    select id, 0 as place from person union all select id, 1 from engines order by place`);
  const ids = rows.map(({ id }) => id);
  for (const id of ids.slice(1)) await contribute(connection, ids[0] ?? '', id, 1);
  return ids;
}

async function contribute(
  connection: Database['connection'],
  author: string,
  repositoryId: string,
  from: number,
): Promise<void> {
  const facts = [from, from + 1].map((number) => ({ externalId: String(number), author }));
  await storeContributions(connection, repositoryId, facts.map(makeContribution));
  async function* batches() {
    yield facts.map(({ externalId }) => ({
      oid: externalId.padStart(40, '0'),
      authoredAt: now,
      committedAt: now,
      emails: ['ada@x.org'],
    }));
  }
  const options = { provider: 'github', repositoryId, scanNumber: from, isCounted: true };
  await saveAllCommits(connection, batches(), options);
  await inTransaction(connection, (transaction) => countNewCommits(transaction, repositoryId));
}

/** Returns all rows of the divided tables, by table. */
async function readAll({ pool }: Database): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const table of dividedNames) {
    const { rows } = await pool.query<{ row: string }>(`select t::text as row from ${table} t order by 1`);
    found.set(
      table,
      rows.map(({ row }) => row),
    );
  }
  return found;
}

/** Returns the number of commits in a backup. */
async function backedUp(database: Database): Promise<unknown> {
  const parts: Buffer[] = [];
  const options = { release: '1.0.0', signal: new AbortController().signal };
  for await (const part of backUp(database, options)) parts.push(part);
  const [, count] = /"commits":(\d+)/.exec(Buffer.concat(parts).toString('latin1')) ?? [];
  return Number(count);
}

/** Returns the definitions of columns, keys and indexes of the divided tables. */
async function readShape({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ shape: string }>(
    `select indexname || ' ' || replace(indexdef, ' ON ONLY ', ' ON ') as shape from pg_indexes where tablename = any($1)
     union all
     select conname || ' ' || pg_get_constraintdef(oid) from pg_constraint
     where conrelid::regclass::text = any($1) and contype <> 'n'
     union all
     select concat_ws(' ', table_name, column_name, ordinal_position, data_type, is_nullable, column_default)
     from information_schema.columns where table_name = any($1)
     order by 1`,
    [dividedNames],
  );
  return rows.map(({ shape }) => shape);
}

describe('partitioning by repository', { skip: isOnCluster }, () => {
  it('keeps all rows, keys and indexes, and changes no result of reads and writes, also after it is undone', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const [person = '', ...repositories] = await store(database);
    const [rows, shape] = [await readAll(database), await readShape(database)];
    const counted = await countStored(connection, person, 'public');
    for (const count of sampled([4, 3], 2)) {
      assert.deepEqual(await partition(database, count, report), partitionedNames);
      assert.equal(await countPartitions(connection, 'contributions'), count);
      assert.deepEqual(await readAll(database), rows);
      assert.deepEqual(await readShape(database), shape);
      assert.deepEqual(await countStored(connection, person, 'public'), counted);
      assert.deepEqual(await partition(database, count, report), [], 'another run does nothing');
      assert.deepEqual(await backedUp(database), rows.get('commits')?.length);
    }
    for (const id of repositories) await contribute(connection, person, id, 2);
    for (const id of repositories) {
      assert.equal(await inTransaction(connection, (transaction) => recountRepository(transaction, id)), 0);
    }
    const added = await countStored(connection, person, 'public');
    assert.equal(added.counters.issues, (counted.counters.issues / 2) * 3);
    assert.equal(added.counters.commits, (counted.counters.commits / 2) * 3);
    const later = await readAll(database);
    await partition(database, 1, report);
    assert.deepEqual(await readAll(database), later);
    assert.deepEqual(await readShape(database), shape);
  });

  it('leaves a table as it was when it fails, and permits the indexes of later releases', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await store(database);
    const rows = await readAll(database);
    await sql`create view blocking as select * from commits`.execute(database.connection);
    await assert.rejects(partition(database, 4, report));
    assert.deepEqual(await readAll(database), rows);
    assert.equal(await countPartitions(database.connection, 'commits'), 1);
    await sql`drop view blocking`.execute(database.connection);
    assert.deepEqual(
      await partition(database, 4, report),
      ['commits', 'language_days'],
      'goes on with the tables left',
    );
    const later: Migration = {
      parts: [{ concurrently: { name: 'commits_later', on: sql`commits (repository_id, committed_at)` } }],
    };
    await migrate(database, { migrations: { '9999-later': later } });
    const { rows: built } = await database.pool.query(
      "select from pg_index where indexrelid = 'commits_later'::regclass and indisvalid",
    );
    assert.equal(built.length, 1);
    await assert.rejects(partition(database, 0, report), { code: 'invalid_input' });
  });
});

/** Functions and tables of the extension Citus, which note their calls; `TEST_CITUS=1` runs the tests on a cluster. */
const citusStandIn = `
  create table pg_dist_partition (logicalrelid regclass primary key);
  create table pg_dist_node (groupid integer);
  insert into pg_dist_node values (0), (1);
  create table calls (place integer generated always as identity, call text);
  create function create_distributed_table(table_name regclass, distribution_column text,
    distribution_type text default 'hash', colocate_with text default 'default', shard_count integer default null)
  returns void language sql as $$
    insert into pg_dist_partition values (table_name);
    insert into calls (call) values (concat_ws(' ', table_name, distribution_column, colocate_with));
  $$;
  create function citus_add_local_table_to_metadata(table_name regclass, cascade_via_foreign_keys boolean default false)
  returns void language sql as ''`;

describe('distribution over a Citus cluster', { skip: isOnCluster }, () => {
  it('distributes all divided tables together, and goes on after an interruption', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await database.pool.query(citusStandIn);
    await database.pool.query("insert into pg_dist_partition values ('contributor_totals')");
    const expected = dividedNames.filter((name) => name !== 'contributor_totals');
    assert.deepEqual(await distribute(database, report), expected);
    assert.deepEqual(await distribute(database, report), []);
    const { rows } = await database.pool.query<{ call: string }>('select call from calls order by place');
    assert.deepEqual(
      rows.map(({ call }) => call),
      expected.map((name) => `${name} repository_id ${name === 'repository_totals' ? 'default' : 'repository_totals'}`),
    );
  });

  it('lets functions plan their statements with values, also those that a later release defines again', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await database.pool.query(citusStandIn);
    const forced = async (): Promise<number> => {
      const { rows } = await database.pool.query(
        "select from pg_proc where 'plan_cache_mode=force_generic_plan' = any(proconfig)",
      );
      return rows.length;
    };
    assert.ok((await forced()) > 0);
    await distribute(database, report);
    assert.equal(await forced(), 0);
    await database.pool.query('delete from applied_definitions');
    await migrate(database);
    assert.equal(await forced(), 0);
  });

  it('has transactions that change a repository change a table that the cluster knows, for a commit in two phases', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await database.pool.query(citusStandIn);
    await distribute(database, report);
    for (const locking of ['lock_totals(gen_random_uuid())', "mark_commits_uncounted('{}')"]) {
      await database.pool.query('insert into two_phase_commits values (1)');
      await database.pool.query(`select ${locking}`);
      assert.deepEqual((await database.pool.query('select from two_phase_commits')).rows, [], locking);
    }
  });

  it('refuses a database without the extension or its coordinator, and tables that Citus would refuse', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await assert.rejects(distribute(database, report), { code: 'misconfigured', message: /no extension citus/ });
    await database.pool.query(citusStandIn);
    await database.pool.query('delete from pg_dist_node where groupid = 0');
    await assert.rejects(distribute(database, report), {
      code: 'misconfigured',
      message: /citus_set_coordinator_host/,
    });
    await database.pool.query('insert into pg_dist_node values (0)');
    await database.pool.query(`
      alter table pending_details add constraint to_repositories foreign key (repository_id) references repositories;
      create unique index of_all on uncounted_commits (oid)`);
    await partition(database, 2, report);
    await assert.rejects(distribute(database, report), {
      code: 'misconfigured',
      message: /foreign key to_repositories; partitions of commits; .*unique index of_all/,
    });
    const { rows } = await database.pool.query('select from calls');
    assert.deepEqual(rows, []);
  });
});
