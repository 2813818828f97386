import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { createTestDatabase } from '../../database.ts';
import { engines } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { organization, startAppService, untilShown } from '../installations/installed.ts';
import { startTestService, type TestService } from '../service.ts';

/** A wait that a host once sent: 3,170 years. */
const retryAfterS = 99_999_999_999;

const untilFound = (service: TestService, name: string): Promise<true> =>
  until(async () => ((await service.get(name)).status === 200 ? true : undefined), `${name} is found`);
/** Requests a name until its lookup is delayed. @returns the seconds in `Retry-After`. */
const untilDelayed = (service: TestService, name: string): Promise<number> =>
  until(async () => {
    const { status, headers } = await service.get(name);
    const waitS = Number(headers.get('retry-after'));
    return status === 202 && waitS > 30 ? waitS : undefined;
  }, `the lookup of ${name} is delayed`);

describe('limit of waiting times', () => {
  it('calls a host again within an hour, and at once after a start, when it names a wait of millennia', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using database = await createTestDatabase();
    const { user } = simulator.accounts;
    {
      await using service = await startTestService({ simulator, databaseUrl: database.url });
      simulator.faults.add({ kind: 'primary_limit_429', retryAfterS, times: 1 });
      const waitS = await untilDelayed(service, user);
      assert.ok(waitS > 3000 && waitS <= 3600, `${waitS} s`);
    }
    await using service = await startTestService({ simulator, databaseUrl: database.url });
    await untilFound(service, user);
  });

  it('ends stored waits when it starts', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using database = await createTestDatabase();
    const { user, organization: owner } = simulator.accounts;
    {
      await using service = await startTestService({ simulator, databaseUrl: database.url });
      await untilFound(service, owner);
      const { pool } = service.database;
      await pool.query(
        `insert into lookups (key, state, error_code, error_message, retry_at)
       values ($1, 'delayed_by_quota', null, null, '5138-11-16')`,
        [`look_up github/${user}`],
      );
      await pool.query('update accounts set listed_at = null');
      await pool.query(
        `select graphile_worker.add_job('collect', json_build_object('accountId', id), job_key => 'collect ' || id,
         run_at => '5138-11-16') from accounts where name = $1`,
        [owner],
      );
      await untilDelayed(service, user);
    }
    await using service = await startTestService({ simulator, databaseUrl: database.url });
    await untilFound(service, user);
    await until(async () => {
      const { rows } = await service.database.pool.query(
        `select 1 from accounts where name = $1 and listed_at is not null`,
        [owner],
      );
      return rows.length > 0 ? true : undefined;
    }, 'the job has run');
  });

  it('polls at the latest after its interval, even when a later time is stored', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using database = await createTestDatabase();
    {
      await using service = await startAppService(simulator, { databaseUrl: database.url });
      simulator.app.install(organization(simulator));
      await untilShown(service, 'engine-1', /installed collected/);
      await service.database.pool.query(
        `insert into repository_polls (repository_id, next_at, interval_s, digest)
       select id, '5138-11-16', 900, '' from repositories
       on conflict (repository_id) do update set next_at = excluded.next_at, interval_s = 900`,
      );
    }
    await using service = await startAppService(simulator, { databaseUrl: database.url });
    await until(async () => {
      const { rows } = await service.database.pool.query<{ far: boolean }>(
        `select distinct next_at > now() + interval '900 seconds' as far from repository_polls`,
      );
      return rows.length === 1 && rows[0]?.far === false ? true : undefined;
    }, 'the next polls are soon');
  });

  it('repeats a lookup that was refused for lack of quota when another account installs the App', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    const { world, app, accounts } = simulator;
    await using service = await startAppService(simulator);
    const first = world.accountByLogin(accounts.private_owner) ?? assert.fail();
    const installation = app.install(first);
    await until(async () => {
      const { rows } = await service.database.pool.query('select 1 from installations');
      return rows.length > 0 ? true : undefined;
    }, 'the installation is known');
    await untilFound(service, accounts.empty);
    const token = `installation:${installation.id}`;
    simulator.faults.add({ kind: 'primary_limit_429', retryAfterS, token, times: 1_000_000 });
    await untilDelayed(service, accounts.user);
    app.install(organization(simulator));
    await untilFound(service, accounts.user);
    await untilFound(service, engines.name);
  });
});
