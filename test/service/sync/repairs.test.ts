import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { forcePush } from '../../../simulators/world/mutations.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { engine, organization, runTask, untilRepositoryIs } from '../../e2e/installations/installed.ts';
import { shareService } from '../../e2e/shared-service.ts';
import { removeContributions } from '../../integration/contributions/stored-repository.ts';
import { until } from '../../time.ts';
import { startSteppedApp } from './stepped-service.ts';

interface StoredDrift {
  part: string;
  missing: number;
  is_repaired: boolean;
}

describe('the data of a repository', () => {
  const shared = shareService({
    simulator: { repositories: 1 },
    start: async (simulator) => {
      const service = await startSteppedApp(simulator);
      simulator.app.install(organization(simulator));
      await untilRepositoryIs(service, 'engine-1', /collected/);
      await untilIdle(service);
      return service;
    },
  });

  it('keeps a record of its last drift at the nightly comparison, which repairs it', async () => {
    const { service } = shared;
    const { pool } = service.database;
    const { rows: stored } = await pool.query<{ id: string }>("select id from repositories where name = 'engine-1'");
    const repositoryId = stored[0]?.id ?? '';
    const compare = async (): Promise<StoredDrift[]> => {
      await runTask(service, 'reconcile_repository', { repositoryId });
      const { rows } = await pool.query<StoredDrift>(
        `select part, expected - found as missing, is_repaired from drifts where repository_id = $1 and part <> 'sums'`,
        [repositoryId],
      );
      return rows;
    };
    assert.deepEqual(await compare(), []);

    // The database loses an issue, and refuses to store it again.
    const { rows: issues } = await pool.query<{ id: string }>(
      `select min(external_id) as id from contributions where repository_id = $1 and kind = 'issue'`,
      [repositoryId],
    );
    await pool.query(`create function skip_issue() returns trigger language plpgsql as $$ begin return null; end $$`);
    await pool.query(`create trigger skip_issue before insert on contributions for each row
      when (new.kind = 'issue' and new.external_id = '${issues[0]?.id ?? ''}') execute function skip_issue()`);
    const isLost = sql<boolean>`c.kind = 'issue' and c.external_id = ${issues[0]?.id}`;
    await removeContributions(service.database.connection, repositoryId, isLost);
    assert.deepEqual(await compare(), [{ part: 'issues', missing: 1, is_repaired: false }]);

    await pool.query('drop trigger skip_issue on contributions');
    assert.deepEqual(await compare(), [{ part: 'issues', missing: 1, is_repaired: true }]);

    // The next comparison settles a drift that disappeared by itself.
    await pool.query('update drifts set is_repaired = false');
    assert.deepEqual(await compare(), [{ part: 'issues', missing: 1, is_repaired: true }]);
  });

  it('has the totals of many people repaired by several jobs', async () => {
    const { service } = shared;
    const { pool } = service.database;
    const { rows: stored } = await pool.query<{ id: string }>("select id from repositories where name = 'engine-1'");
    const repositoryId = stored[0]?.id ?? '';
    const countPeople = async (): Promise<number> => {
      const { rows } = await pool.query<{ people: number }>(
        'select count(*)::integer as people from contributor_totals where repository_id = $1',
        [repositoryId],
      );
      return rows[0]?.people ?? 0;
    };
    const people = await countPeople();
    // One job compares 2,500 people at most.
    await pool.query(
      `with invented as (
         insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
         select gen_random_uuid(), 'github', 'invented ' || n, '', 'user', 'invented-' || n, now(), now(), now()
         from generate_series(1, 2600) n returning id)
       insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions)
       select $1, id, 0, 1, 0, 0, 0 from invented`,
      [repositoryId],
    );
    await runTask(service, 'reconcile_repository', { repositoryId });
    await untilIdle(service);
    assert.equal(await countPeople(), people);
    const { rows: drifts } = await pool.query(
      `select is_repaired from drifts where repository_id = $1 and part = 'sums'`,
      [repositoryId],
    );
    assert.deepEqual(drifts, [{ is_repaired: true }]);
  });

  it('loses no commit by a force push that is read in part and then reverted', async () => {
    const { simulator, service } = shared;
    const { pool } = service.database;
    const repository = engine(simulator, 'engine-1');
    const { rows: stored } = await pool.query<{ id: string }>("select id from repositories where name = 'engine-1'");
    const repositoryId = stored[0]?.id ?? '';
    const counted = async (): Promise<[number, number]> => {
      const { rows } = await pool.query<{ stored: number; counted: number }>(
        `select (select count(*)::integer from commits where repository_id = $1) as stored, commits as counted
       from repository_totals where repository_id = $1`,
        [repositoryId],
      );
      return [rows[0]?.stored ?? 0, rows[0]?.counted ?? 0];
    };
    const before = [...repository.commits];
    assert.deepEqual(await counted(), [before.length, before.length]);
    // The database fails just when the cursor is stored.
    await pool.query(`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'killed here' using errcode = '57P01'; end $$`);
    await pool.query(`create trigger fail before update of cursor on streams for each row
    when (new.name = 'commits' and old.cursor is distinct from new.cursor) execute function fail()`);
    forcePush(simulator.world, repository, 3, ['oops@mail.example']);
    await pool.query(
      "select graphile_worker.add_job('poll_repository', json_build_object('repositoryId', $1::text), max_attempts => 1)",
      [repositoryId],
    );
    await until(async () => {
      await service.work?.();
      return (await counted())[0] === before.length - 2 ? true : undefined;
    }, 'what the branch lost is removed');
    await until(async () => {
      const { rows } = await pool.query("select 1 from graphile_worker.jobs where last_error like '%killed here%'");
      return rows.length > 0 ? true : undefined;
    }, 'the read has failed');
    repository.commits.splice(0, repository.commits.length, ...before);
    simulator.world.markChanged();
    await pool.query('drop trigger fail on streams');
    // The push was delivered too, and a job skips a repository that another job is reading.
    await untilIdle(service);
    await runTask(service, 'poll_repository', { repositoryId });
    assert.deepEqual(await counted(), [before.length, before.length]);
    // A nightly comparison repairs any other fault too: one night the sums, the next night the stored commits.
    await pool.query(
      'delete from commits where repository_id = $1 and oid = (select oid from commits where repository_id = $1 order by oid limit 1)',
      [repositoryId],
    );
    // A nightly comparison skips a repository that another job is reading.
    await until(async () => {
      await runTask(service, 'reconcile_repository', { repositoryId });
      const [stored] = await counted();
      return stored === before.length ? true : undefined;
    }, 'the nightly comparison has repaired the stored commits');
    assert.deepEqual(await counted(), [before.length, before.length]);
  });
});
