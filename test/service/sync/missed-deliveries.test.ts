import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Attempt } from '../../../simulators/github/app/deliverer.ts';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import type { Repository } from '../../../simulators/world/model.ts';
import { renameRepository } from '../../../simulators/world/mutations.ts';
import { emitEvent } from '../../../simulators/world/report-changes.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { engine, organization, runTask, secret, untilRepositoryIs } from '../../e2e/installations/installed.ts';
import type { TestService } from '../../e2e/service.ts';
import { clock } from '../../time.ts';
import { startSteppedApp } from './stepped-service.ts';

const smooth = { loss: 0, late: 0, repetition: 0, reordering: 0, delayMs: 0 };

function edit({ world }: Simulator, repository: Repository): void {
  emitEvent(world, repository, 'repository.edited', repository.ownerId);
}

async function missedCount({ service }: TestService): Promise<number> {
  const text = await (await fetch(`${service.metricsUrl}/metrics`)).text();
  return Number(/^plaudit_deliveries_missed_total\{provider="github"\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** Delays the scheduled search, which keeps the time of a job that waits, so that only a test begins one. */
async function delaySchedule({ database }: TestService): Promise<void> {
  await database.pool.query(
    `select graphile_worker.add_job('find_missed_deliveries', job_key => 'schedule:find_missed_deliveries',
       run_at => now() + interval '1 day')`,
  );
}

const listAttempts = ({ app }: Simulator, guid: string | undefined): Attempt[] =>
  app.deliverer.attempts.filter((attempt) => attempt.guid === guid);

describe('missed deliveries', () => {
  it('are requested again at growing intervals for three days when they were lost, but not when they arrived', async () => {
    const time = clock();
    await using simulator = await startSimulator({ now: time.now, repositories: 2 });
    await using service = await startSteppedApp(simulator, { now: time.now });
    await delaySchedule(service);
    const { app, world } = simulator;
    app.install(organization(simulator), [engine(simulator, 'engine-1'), engine(simulator, 'engine-2')]);
    await untilRepositoryIs(service, 'engine-1', /collected/);
    const lost = engine(simulator, 'engine-1');
    app.deliverer.policy = { ...smooth, loss: 1 };
    renameRepository(world, lost, 'lost-engine');
    await app.deliverer.idle();
    app.deliverer.policy = { ...smooth, late: 1 };
    edit(simulator, engine(simulator, 'engine-2'));
    await app.deliverer.idle();
    app.deliverer.policy = smooth;
    await untilIdle(service);
    assert.equal(await missedCount(service), 0);
    const [missed, late] = app.deliverer.attempts.slice(-2);
    await runTask(service, 'find_missed_deliveries');
    await untilRepositoryIs(service, 'lost-engine', /^public installed/);
    await app.deliverer.idle();
    assert.deepEqual(
      listAttempts(simulator, missed?.guid).map(({ isRedelivery, statusCode }) => [isRedelivery, statusCode]),
      [
        [false, 504],
        [true, 202],
      ],
    );
    // The delivery arrived, though GitHub recorded it as lost.
    assert.equal(listAttempts(simulator, late?.guid).length, 1);
    assert.equal(await missedCount(service), 1);
    await service.database.pool.query("update redeliveries set found_at = found_at - interval '1 day'");
    const before = app.deliverer.attempts.length;
    await runTask(service, 'find_missed_deliveries');
    await app.deliverer.idle();
    assert.equal(app.deliverer.attempts.length, before);
    assert.equal(await missedCount(service), 1);

    const keeper = world.accountByLogin(simulator.accounts.private_owner) ?? assert.fail();
    const diary = world.repository(keeper.login, 'diary') ?? assert.fail();
    // The first delivery arrives before the service knows the installation.
    const { target } = app.deliverer;
    app.deliverer.target = null;
    const unknown = app.install(keeper);
    app.deliverer.target = target;
    edit(simulator, diary);
    await app.deliverer.idle();
    const ignored = app.deliverer.attempts.at(-1);
    assert.deepEqual([ignored?.installationId, ignored?.statusCode], [unknown.id, 202]);
    assert.match(ignored?.responseBody ?? '', /"state":"ignored"/);
    await untilIdle(service);
    const { rows } = await service.database.pool.query(
      'select 1 from accounts where name = $1 and fetched_at is not null',
      [keeper.login],
    );
    assert.deepEqual(rows, []);
    const stored = await service.database.pool.query('select 1 from deliveries where id = $1', [ignored?.guid]);
    assert.deepEqual(stored.rows, []);

    app.deliverer.policy = { ...smooth, loss: 1 };
    edit(simulator, engine(simulator, 'engine-2'));
    await app.deliverer.idle();
    const guid = app.deliverer.attempts.at(-1)?.guid;
    const requestsAfter = async (rounds: number, seconds: number): Promise<number> => {
      for (let round = 0; round < rounds; round += 1) {
        time.advance(seconds);
        await runTask(service, 'find_missed_deliveries');
        await app.deliverer.idle();
      }
      return listAttempts(simulator, guid).length - 1;
    };
    assert.equal(await requestsAfter(6, 300), 3);
    assert.equal(await requestsAfter(18, 14_400), 11);
    assert.equal(await missedCount(service), 2);
    // The attempts at this delivery are older than the period that GitHub redelivers, so that it is not requested.
    await service.database.pool.query('delete from delivery_checks');
    await service.database.pool.query('delete from redeliveries');
    time.advance(4 * 86_400);
    await runTask(service, 'find_missed_deliveries');
    await app.deliverer.idle();
    assert.equal(listAttempts(simulator, guid).length, 12);
  });

  it('are requested page by page after a downtime, from the start of the list after an invalid cursor', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using first = await startSteppedApp(simulator);
    await delaySchedule(first);
    const { app, world } = simulator;
    const installation = app.install(organization(simulator));
    await untilRepositoryIs(first, 'engine-1', /collected/);
    await untilIdle(first);
    await first.service.close();
    const repository = engine(simulator, 'engine-1');
    renameRepository(world, repository, 'away-engine');
    for (let count = 0; count < 120; count += 1) edit(simulator, engine(simulator, 'engine-2'));
    await app.deliverer.idle();
    assert.ok(app.deliverer.attempts.slice(-121).every(({ statusCode }) => statusCode === 0));
    const { databaseUrl } = first;
    await using second = await startSteppedApp(simulator, { databaseUrl });
    app.deliverTo(second.url, secret);
    await second.database.pool.query(
      `insert into delivery_checks (provider, checked_until, cursor, newest_at)
     values ('github', now() - interval '1 hour', 'v1_1', now())
     on conflict (provider) do update set cursor = excluded.cursor`,
    );
    await runTask(second, 'find_missed_deliveries');
    await app.deliverer.idle();
    assert.equal(await missedCount(second), 0);
    await runTask(second, 'find_missed_deliveries');
    await app.deliverer.idle();
    assert.equal(await missedCount(second), 121);
    await untilRepositoryIs(second, 'away-engine', /installed/);
    assert.ok(app.installations.has(installation.id));
  });
});
