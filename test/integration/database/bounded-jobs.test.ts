import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deleteAdministrators } from '../../../src/accounts/access/administrators/store.ts';
import { deleteInstallations } from '../../../src/accounts/installations/store.ts';
import { boundPolls } from '../../../src/accounts/repositories/poll-store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { removeOldVersions } from '../../../src/recognition/boards/ranking/ranking-version-store.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { addRepository } from '../contributions/stored-repository.ts';
import { loseConnectionAtStatements } from '../lost-connection.ts';

const now = new Date('2026-06-01T00:00:00Z');
/** The most rows that one statement changes. */
const limit = 7;

/** A job that works in parts. */
interface BoundedJob {
  /** Stores rows that the job changes, and others. */
  fill: (database: Database) => Promise<void>;
  /** Does one part. @returns whether another part may follow. */
  part: (connection: Connection) => Promise<boolean>;
  /** The statement that counts the rows that are left to change, and those that stay as they are. */
  count: string;
  kept: number;
}

const rows = 40;
const old = "timestamptz '2026-01-01' - n * interval '1 second'";
/** The position of the job that has one. */
let after: string | null = null;

const jobs: Record<string, BoundedJob> = {
  'removal of administrators without keys and links': {
    fill: async ({ connection, pool }) => {
      await addRepository(connection);
      await pool.query(`
        insert into administrators (account_id, person, name, confirmed_at, check_after)
        select id, n::text, '', ${old}, now() from accounts, generate_series(1, ${rows}) n
        union all select id, 'new' || n, '', '2026-06-01', now() from accounts, generate_series(1, 5) n;
        insert into administrators (account_id, person, name, confirmed_at, check_after)
        select id, 'holder', '', '2020-01-01', now() from accounts;
        insert into owner_keys (account_id, id, kind, spki, created_at, holder, holder_name, ends_at)
        select id, 'key', 'Ed25519', '', now(), 'holder', '', now() from accounts`);
    },
    part: async (connection) => (await deleteAdministrators(connection, new Date('2026-02-01'), limit)) > 0,
    count: `select count(*) filter (where confirmed_at < '2026-02-01' and person <> 'holder')::integer as due,
      count(*) filter (where confirmed_at >= '2026-02-01' or person = 'holder')::integer as kept from administrators`,
    kept: 6,
  },
  'removal of installations and the repositories that they covered': {
    fill: async ({ pool }) => {
      await pool.query(`
        insert into installations (provider, id, source, account_external_id, account_name, covers, missing_permissions, created_at, seen_at, removed_at)
        select 'github', n, 'app', n, '', 'selected', '{}', now(), now(), case when n <= 8 then ${old} end from generate_series(1, 10) n;
        insert into covered_repositories (provider, installation_id, repository_external_id)
        select 'github', n, r from generate_series(1, 10) n, generate_series(1, 4) r`);
    },
    part: async (connection) => (await deleteInstallations(connection, new Date('2026-02-01'), limit)) > 0,
    count: `select (select count(*) from covered_repositories where installation_id::integer <= 8)::integer
        + (select count(*) from installations where removed_at is not null)::integer as due,
      (select count(*) from covered_repositories where installation_id::integer > 8)::integer
        + (select count(*) from installations where removed_at is null)::integer as kept`,
    kept: 10,
  },
  'limit of the waits of polls': {
    fill: async ({ connection, pool }) => {
      await addRepository(connection);
      await pool.query(`
        insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
          created_at, updated_at)
        select gen_random_uuid(), 'github', 'r' || n, '', id, 'r' || n, false, false, now(), now(), now(), now()
        from accounts, generate_series(1, ${rows + 5}) n;
        insert into repository_polls (repository_id, interval_s, digest, next_at)
        select id, 900, '', case when substr(name, 2)::integer <= ${rows} then timestamptz '5138-11-16' else '2026-06-01' end
        from repositories where name ~ '^r[0-9]'`);
    },
    part: async (connection) => {
      after = await boundPolls(connection, now, { after, limit });
      return after !== null;
    },
    count: `select count(*) filter (where next_at > '5000-01-01')::integer as due,
      count(*) filter (where next_at = '2026-06-01')::integer as kept from repository_polls`,
    kept: 5,
  },
  'removal of former versions of a board': {
    fill: async ({ connection, pool }) => {
      await addRepository(connection);
      await pool.query(`
        insert into boards (id, owner_id, slug, place, definition, is_current, is_private, owners, created_at)
        select gen_random_uuid(), id, 'board', 1, '{}', true, false, '{}', now() from accounts;
        insert into board_rankings (board_id, version, oldest_version, basis, members, is_of_team, people, coverage, built_at,
          whole_at, whole_cost_ms)
        select id, ${rows + 1}, 1, '', 1, false, 1, '{}', now(), now(), 1 from boards;
        insert into board_ranks (board_id, account_id, since_version, until_version, ended_at, is_ranked, points, name,
          granted, by_rule, is_newcomer, is_returning, teams, member_teams)
        select b.id, a.id, n, case when n <= ${rows} then n + 1 end, case when n <= ${rows} then ${old} + n * interval '2 seconds' end,
          true, 1, '', 0, '{}', false, false, '{}', '{}'
        from boards b, accounts a, generate_series(1, ${rows + 1}) n`);
    },
    part: (connection) =>
      inTransaction(connection, async (to) => {
        const board = await to.selectFrom('boards').select('id').executeTakeFirstOrThrow();
        return (await removeOldVersions(to, board.id, { now, limit })) > 0;
      }),
    // A version can be read when its rows and all later ones are stored.
    count: `select count(until_version)::integer as due,
        count(*) filter (where until_version is null)::integer
          + (select count(*) from board_rankings k where oldest_version = (
              select min(since_version) from board_ranks))::integer as kept
      from board_ranks`,
    kept: 2,
  },
};

async function countRows({ pool }: Database, { count }: BoundedJob): Promise<{ due: number; kept: number }> {
  const { rows: counted } = await pool.query<{ due: number; kept: number }>(count);
  return counted[0] ?? assert.fail();
}

describe('jobs whose rows grow with the service', () => {
  for (const [name, job] of Object.entries(jobs)) {
    it(`change a bounded number of rows in each part: ${name}`, async () => {
      await using opened = await reuseTestDatabase();
      const { database } = opened;
      await job.fill(database);
      assert.deepEqual(await countRows(database, job), { due: rows, kept: job.kept });
      let left = rows;
      for (let isMore = true; isMore; ) {
        isMore = await job.part(database.connection);
        const { due, kept } = await countRows(database, job);
        assert.equal(kept, job.kept);
        assert.ok(left - due <= limit, `${left - due} rows`);
        left = due;
      }
      assert.equal(left, 0);
    });

    it(`end the same when the connection is lost before any statement: ${name}`, async () => {
      await using opened = await reuseTestDatabase();
      const { database } = opened;
      await job.fill(database);
      const work = async (connection: Connection): Promise<void> => {
        after = null;
        while (await job.part(connection));
      };
      const losses = await loseConnectionAtStatements(database, work);
      assert.ok(losses > 2);
      assert.deepEqual(await countRows(database, job), { due: 0, kept: job.kept });
    });
  }
});
