import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Pool } from 'pg';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { createTestDatabase } from '../database.ts';
import { isThorough } from '../depth.ts';
import { awardingActions } from '../e2e/achievements/awarding/actions.ts';
import {
  awardingRepository,
  findAwards,
  untilAwardsMatchWorld,
  writeAchievementsFile,
} from '../e2e/achievements/awarding/awarding.ts';
import { achievementIn, earnedIn } from '../e2e/achievements/awarding/expected-awards.ts';
import { appSettings, organization, runTask, secret, startAppService } from '../e2e/installations/installed.ts';
import { startServiceProcess } from '../e2e/installed/service-process.ts';
import { everyFeature } from '../integration/achievements/awards/every-feature.ts';
import { until } from '../time.ts';

describe('interrupted awarding', () => {
  it('awards everything once, even when the service is killed repeatedly or runs as two nodes', async () => {
    let requests = 0;
    let kill: (() => void) | undefined;
    await using simulator = await startSimulator({
      repositories: 2,
      onRequest: () => {
        requests += 1;
        if (requests % 17 === 0) kill?.();
      },
    });
    await using database = await createTestDatabase();
    await using directory = await makeTemporaryDirectory();
    for (const happen of awardingActions(simulator)) happen();
    writeAchievementsFile(simulator, everyFeature);
    simulator.app.install(organization(simulator));
    const settings = {
      ...appSettings(simulator),
      GITHUB_TOKEN: simulator.tokens.organization_admin,
      DATABASE_URL: database.url,
      DATA_DIR: directory.path,
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
    };
    for (let round = 0; round < (isThorough ? 4 : 1); round += 1) {
      await using service = await startServiceProcess(settings);
      simulator.app.deliverTo(service.url, secret);
      const killed = new Promise<void>((resolve) => {
        kill = () => {
          kill = undefined;
          void service.kill().then(resolve);
        };
      });
      const pool = new Pool({ connectionString: database.url });
      await pool.query(
        "select graphile_worker.add_job('reconcile_installations'), graphile_worker.add_job('poll_due')",
      );
      await pool.query('delete from repository_polls');
      await pool.end();
      await killed;
    }
    await using first = await startAppService(simulator, { databaseUrl: database.url, tokens: ['organization_admin'] });
    await using second = await startAppService(simulator, {
      databaseUrl: database.url,
      tokens: ['organization_admin'],
    });
    await runTask(first, 'reconcile_installations');
    const earned = earnedIn(simulator.world, awardingRepository(simulator), everyFeature);
    const earnedNames = new Set(earned.map(achievementIn));
    assert.deepEqual(
      everyFeature.achievements.filter(({ name }) => !earnedNames.has(name)),
      [],
      'each achievement is earned by an account',
    );
    await until(async () => {
      await first.database.pool.query('delete from repository_polls');
      await runTask(second, 'poll_due');
      const awarded = await findAwards(first, simulator);
      return awarded.length >= earned.length ? true : undefined;
    }, 'everything is awarded').catch(() => {});
    await untilAwardsMatchWorld(first, simulator, everyFeature);
  });
});
