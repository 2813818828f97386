import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pool } from 'pg';
import { findDaysOfOwned } from '../../../src/contributions/day-store.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { analyzeTables, watchPlans } from '../../integration/plans.ts';

const repositories = 25;
const people = 300;

/** Stores an organization and its repositories. @returns the id of the organization. */
async function addOrganization(pool: Pool): Promise<string> {
  const account = `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)`;
  const times = 'now(), now(), now()';
  const { rows } = await pool.query<{ id: string }>(
    `${account} values (gen_random_uuid(), 'github', 'o', 'o', 'organization', 'large', ${times}) returning id`,
  );
  const id = rows[0]?.id ?? '';
  await pool.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
       listed_at, created_at, updated_at)
     select gen_random_uuid(), 'github', n::text, n::text, $1, n::text, n % 10 = 0, false, ${times}, now()
     from generate_series(1, $2) n`,
    [id, repositories],
  );
  await pool.query(
    `${account} select gen_random_uuid(), 'github', n::text, n::text, 'user', 'person-' || n, ${times}
     from generate_series(1, $1) n`,
    [people],
  );
  return id;
}

/** Stores days of contributions, most of them in few repositories and of few people. */
async function addDays(
  pool: Pool,
  { first, last, rows }: { first: string; last: string; rows: number },
): Promise<void> {
  await pool.query(
    `insert into contribution_days (repository_id, account_id, day, commits, issues)
     select r.id, a.id, $1::date + (n * 7919) % ($2::date - $1::date + 1), 2, 1
     from generate_series(1, $3) n
       join repositories r on r.external_id = (1 + ((n * 0.61803) % 1) ^ 3 * ($4 - 1))::integer::text
       join accounts a on a.external_id = (1 + ((n * 0.41421) % 1) ^ 2 * ($5 - 1))::integer::text
     on conflict do nothing`,
    [first, last, rows, repositories, people],
  );
  await analyzeTables({ pool });
}

describe('days of contributions to the repositories of an organization', () => {
  it('are read from an index of the days, however many earlier days are stored', { skip: isOnCluster }, async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const accountId = await addOrganization(database.pool);
    await database.pool.query('alter table contribution_days disable trigger user');
    const year = { from: '2025-01-01', to: '2025-12-31' };
    const read = async (): Promise<number> => {
      const ran = await watchPlans(database, (connection) =>
        findDaysOfOwned(connection, { accountId, ...year, withPrivate: false }),
      );
      const statement = ran.find(({ text }) => text.includes('contribution_days')) ?? assert.fail();
      return statement.blocks;
    };
    await addDays(database.pool, { first: year.from, last: year.to, rows: 3000 });
    await addDays(database.pool, { first: '2000-01-01', last: '2024-12-31', rows: 30_000 });
    // PostgreSQL may find that a table of this size is read whole at less cost; the index must suffice at any size.
    await database.pool.query(`do $$ begin
      execute format('alter database %I set enable_seqscan = off', current_database());
    end $$`);
    // The whole table has more than 300 blocks.
    const blocks = await read();
    assert.ok(blocks <= 7 * repositories, `${blocks} blocks for ${repositories} repositories`);
  });
});
