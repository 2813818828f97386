import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Database } from '../../../src/database/connections/connection.ts';
import type { Change } from '../../../src/hosts/interface/provider.ts';
import { applyDeliveries } from '../../../src/sync/deliveries/apply-deliveries.ts';
import { isOnCluster } from '../../database.ts';
import { isThorough } from '../../depth.ts';
import { until } from '../../time.ts';
import {
  contributionsChanged,
  holdRepositories,
  openAppliers,
  repositoriesChanged,
  repositoryHidden,
  star,
} from './appliers.ts';

const numbered = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

/** Lets changes of the first repository fail as where its worker of a Citus cluster is away, while `away` has its id. */
async function loseFirstRepository({ pool }: Database, moment: 'change' | 'commit'): Promise<void> {
  await pool.query(`
    create table away (external_id text);
    create function be_away() returns trigger language plpgsql as $$ begin
      if new.external_id in (select external_id from away) then
        raise 'connection to the remote node failed' using errcode = '08006';
      end if;
      return new;
    end $$;
    create ${moment === 'commit' ? 'constraint trigger be_away after' : 'trigger be_away before'} update on repositories
      ${moment === 'commit' ? 'deferrable initially deferred' : ''} for each row execute function be_away();
    insert into away values ('1')`);
}

describe('parallel application of deliveries', () => {
  it('applies those of all other repositories while the rows of many repositories are locked', async () => {
    await using fixture = await openAppliers({ nodes: 1, repositories: 40 });
    // The locked repositories outnumber the transactions that apply deliveries, and their deliveries are the oldest.
    const lockedRepositories = numbered(1, 20);
    {
      await using stack = new AsyncDisposableStack();
      stack.use(await holdRepositories(fixture.database, lockedRepositories));
      await fixture.receive(...lockedRepositories.map((id) => [repositoryHidden(id), repositoriesChanged(id)]));
      await fixture.receive(...lockedRepositories.map((id) => [contributionsChanged(id)]));
      await fixture.receive(...numbered(21, 40).map((id) => [repositoryHidden(id), repositoriesChanged(id)]));
      await fixture.applyUntil(40);
      const { rows } = await fixture.database.pool.query(
        'select external_id as id from repositories where deleted_at is not null order by external_id::integer',
      );
      assert.deepEqual(
        rows.map(({ id }) => id),
        numbered(21, 40),
      );
    }
    await fixture.applyUntil(0);
    assert.deepEqual(fixture.failures, [], 'a wait is no failure');
    const { rows } = await fixture.database.pool.query(
      'select count(*) as hidden from repositories where deleted_at is not null',
    );
    assert.deepEqual(rows, [{ hidden: 40 }]);
  });

  it('isolates a delivery that cannot be applied, counts it, and tries it again later', async () => {
    await using fixture = await openAppliers({ nodes: 1, repositories: 2 });
    const { pool } = fixture.database;
    const broken: Change = { ...star('1', '2', 1, false), type: 'star', at: 'never' } as Change;
    await fixture.receive([contributionsChanged('1')], [broken], [repositoryHidden('1')], [contributionsChanged('2')]);
    await fixture.applyUntil(1);
    const attempts = async (): Promise<unknown> =>
      (await pool.query('select id, attempts from deliveries where applied_at is null')).rows;
    assert.deepEqual(await attempts(), [{ id: '000002', attempts: 1 }]);
    const { rows } = await pool.query('select external_id from repositories where deleted_at is not null');
    assert.deepEqual(rows, [{ external_id: '1' }], 'a later delivery of the same repository is applied');
    assert.deepEqual(
      fixture.failures.map(({ work }) => work),
      ['applying deliveries together', 'applying a delivery'],
    );
    await fixture.receive([contributionsChanged('1')]);
    await fixture.applyUntil(1);
    assert.deepEqual(await attempts(), [{ id: '000002', attempts: 1 }], 'other deliveries do not repeat it');
    for (let attempt = 2; attempt <= 20; attempt += 1) {
      await pool.query(`update deliveries set retry_at = now() where applied_at is null`);
      await applyDeliveries(fixture.nodes[0] ?? assert.fail());
      assert.deepEqual(await attempts(), [{ id: '000002', attempts: attempt }]);
    }
    const { length } = fixture.failures;
    await pool.query(`update deliveries set retry_at = now() where applied_at is null`);
    await applyDeliveries(fixture.nodes[0] ?? assert.fail());
    assert.equal(fixture.failures.length, length, 'it is given up');
  });

  // On a cluster, the others take longer than a first try may as well.
  const slow = { skip: isOnCluster };
  it('gives a delivery more time that is too slow for the first try, while others are applied', slow, async () => {
    await using fixture = await openAppliers({ nodes: 1, repositories: 4 });
    const { pool } = fixture.database;
    // The first two statements about the repository take longer than a first try may.
    await pool.query(`
      create sequence tries;
      create function be_slow() returns trigger language plpgsql as $$ begin
        if new.external_id = '1' and nextval('tries') <= 1 then perform pg_sleep(5); end if;
        return new;
      end $$;
      create trigger be_slow before update of deleted_at on repositories for each row execute function be_slow()`);
    await fixture.receive(
      [repositoryHidden('1')],
      [contributionsChanged('1')],
      [repositoryHidden('2')],
      [repositoryHidden('3')],
    );
    const slow = fixture.applyUntil(0);
    await until(async () => ((await fixture.pending()) === 2 ? true : undefined), 'the others are applied');
    await slow;
    assert.deepEqual(fixture.failures, []);
  });

  for (const moment of ['change', 'commit'] as const) {
    it(`delays those of a repository whose worker of a Citus cluster is away at the ${moment}, and applies others`, async () => {
      await using fixture = await openAppliers({ nodes: 1, repositories: 3 });
      const { pool } = fixture.database;
      await loseFirstRepository(fixture.database, moment);
      await fixture.receive([repositoryHidden('1')], [contributionsChanged('1')], [repositoryHidden('2')]);
      // The second one of the repository is about its streams alone, and waits for the first one.
      await fixture.applyUntil(2);
      const waiting = await pool.query(
        'select attempts, waiting_since is not null as waits from deliveries where id = $1',
        ['000001'],
      );
      assert.deepEqual(waiting.rows, [{ attempts: 0, waits: true }]);
      await pool.query('delete from away');
      await fixture.applyUntil(0);
      assert.deepEqual(fixture.failures, [], 'a wait is no failure');
    });
  }

  it('applies no later delivery of a repository while the delay of a failed commit is being stored', async () => {
    await using fixture = await openAppliers({ nodes: 1, repositories: 2 });
    const { pool } = fixture.database;
    await loseFirstRepository(fixture.database, 'commit');
    // The row of the delayed delivery stays locked while another transaction looks for deliveries.
    await pool.query(`
      create function be_slow() returns trigger language plpgsql as $$ begin
        if new.waiting_since is not null then perform pg_sleep(0.5); end if;
        return new;
      end $$;
      create trigger be_slow before update on deliveries for each row execute function be_slow()`);
    await fixture.receive([repositoryHidden('1')], [contributionsChanged('1')], [repositoryHidden('2')]);
    const node = fixture.nodes[0] ?? assert.fail();
    const applying = applyDeliveries(node);
    await until(async () => {
      const { rows } = await pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
      );
      return rows.length > 0 ? true : undefined;
    }, 'the delay is being stored');
    await Promise.all([applying, applyDeliveries(node)]);
    const { rows } = await pool.query('select id from deliveries where applied_at is null order by id');
    assert.deepEqual(rows, [{ id: '000001' }, { id: '000002' }]);
    await pool.query('delete from away');
    await fixture.applyUntil(0);
    assert.deepEqual(fixture.failures, [], 'a wait is no failure');
  });

  it('waits for another transaction that adds the job for keys that wait, longer than for other locks', async () => {
    await using fixture = await openAppliers({ nodes: 1, repositories: 1 });
    const { pool } = fixture.database;
    // The first job of a task stores the task as well.
    await fixture.receive([repositoriesChanged('1')]);
    await fixture.applyUntil(0);
    const otherClient = await pool.connect();
    let applying: Promise<'done' | 'more'>;
    try {
      await otherClient.query('begin');
      await otherClient.query(
        `select graphile_worker.add_job('apply_deliveries', job_key => 'apply_deliveries again')`,
      );
      await using stack = new AsyncDisposableStack();
      stack.use(await holdRepositories(fixture.database, ['1']));
      await fixture.receive([repositoryHidden('1')]);
      applying = applyDeliveries(fixture.nodes[0] ?? assert.fail());
      const waited = until(async () => {
        const { rows } = await pool.query(
          `select from pg_stat_activity where datname = current_database() and query like '%add_job%'
           and wait_event_type = 'Lock' and now() - query_start > interval '1 second'`,
        );
        return rows.length > 0 ? true : undefined;
      }, 'it has waited longer than the limits of a first and of a later try');
      await Promise.race([waited, applying]);
    } finally {
      await otherClient.query('rollback');
      otherClient.release();
    }
    await applying;
    assert.equal(await fixture.pending(), 1);
    await fixture.applyUntil(0);
    assert.deepEqual(fixture.failures, []);
  });

  it('loses and doubles nothing when the connection breaks at any step', { skip: isOnCluster }, async () => {
    await using fixture = await openAppliers({ nodes: 1, repositories: 3 });
    const { pool } = fixture.database;
    const context = fixture.nodes[0] ?? assert.fail();
    await pool.query(`
      create sequence steps;
      create table breaks (step bigint);
      create function step() returns trigger language plpgsql as $$ begin
        if nextval('steps') = (select step from breaks) then perform pg_terminate_backend(pg_backend_pid()); end if;
        return null;
      end $$`);
    const tables = 'deliveries streams repositories accounts star_events contributions owner_deliveries'.split(' ');
    for (const table of [...tables, 'graphile_worker._private_jobs']) {
      await pool.query(
        `create trigger step after insert or update or delete on ${table} for each statement execute function step()`,
      );
    }
    const stride = isThorough ? 1 : 5;
    let breaks = 0;
    let rounds = 0;
    for (let isBroken = true; isBroken; rounds += 1) {
      await pool.query('delete from breaks');
      const number = rounds + 1;
      const step = 1 + rounds * stride;
      await fixture.receive(
        [star('1', '2', 2 * number, false), contributionsChanged('1'), repositoriesChanged('2')],
        [star('1', '2', 2 * number + 1, true), { type: 'account', account: '2', name: 'owner-2' }],
        [repositoryHidden('3'), repositoriesChanged('3')],
      );
      await pool.query(`select setval('steps', 1, false)`);
      await pool.query('insert into breaks values ($1)', [step]);
      isBroken = await applyDeliveries(context).then(
        () => false,
        () => true,
      );
      if (isBroken) breaks += 1;
      await pool.query('delete from breaks');
      await fixture.applyUntil(0);
    }
    assert.ok(breaks > 10 / stride, `${breaks} breaks`);
    const { rows } = await pool.query(
      `select count(*) as seconds, sum(abs(balance)) as sum from star_events where at <> '-infinity'`,
    );
    assert.deepEqual(rows, [{ seconds: 2 * rounds, sum: 2 * rounds }], 'each delivery counts once');
    const { rows: stars } = await pool.query('select from contributions');
    assert.equal(stars.length, 0);
  });
});
