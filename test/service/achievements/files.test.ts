import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { personCalled } from '../../e2e/achievements/awarding/actions.ts';
import {
  awardingRepository,
  findAwards,
  install,
  untilAwarded,
  writeAchievementsFile,
} from '../../e2e/achievements/awarding/awarding.ts';
import { achievementIn, earnedIn } from '../../e2e/achievements/awarding/expected-awards.ts';
import type { TestService } from '../../e2e/service.ts';
import { type FileText, simple, toYaml } from '../../integration/achievements/awards/every-feature.ts';
import { until } from '../../time.ts';
import { startSteppedApp } from '../sync/stepped-service.ts';

const issues = simple('Issues', 'author issue: count() >= 1');
const changes = simple('Changes', 'author pull_request: count() >= 1');
const file = (...achievements: FileText['achievements']): FileText => ({ pointActions: [], achievements });

async function untilNames(service: TestService, simulator: Simulator, names: string[]): Promise<void> {
  let seen: string[] = [];
  await until(async () => {
    await service.work?.();
    seen = [...new Set((await findAwards(service, simulator)).map(achievementIn))].toSorted();
    return JSON.stringify(seen) === JSON.stringify(names.toSorted()) ? true : undefined;
  }, 'these are awarded').catch(() => assert.deepEqual(seen, names));
}

/** Waits until the present file was read and every change evaluated. */
async function untilRead(service: TestService, text: string | null): Promise<void> {
  await until(async () => {
    await service.work?.();
    const { rows } = await service.database.pool.query<{ path: string | null; text: string }>(
      "select path, text from achievement_files f join repositories r on r.id = f.repository_id where r.name = 'engine-1'",
    );
    return (rows[0]?.path ? rows[0].text : null) === text ? true : undefined;
  }, 'the file is read');
  await untilIdle(service);
}

describe('the achievements file of a repository', () => {
  it('follows a file that is added, changed, broken, repaired, moved and removed', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startSteppedApp(simulator);
    writeAchievementsFile(simulator, null);
    await install(service, simulator);
    const { pool } = service.database;
    writeAchievementsFile(simulator, file(issues), '.vaunt/config.yml');
    await untilNames(service, simulator, ['Issues']);
    const first = await findAwards(service, simulator);
    assert.deepEqual(first, earnedIn(simulator.world, awardingRepository(simulator), file(issues)));

    // The file with the other name comes first. Awards stay, also when an achievement is harder now or has another name.
    const renamed = {
      ...issues,
      name: 'Issues renamed',
      groups: [[{ ...changes.groups[0]?.[0], condition: 'count() >= 1' }]],
    };
    const second = file(
      { ...simple('Issues', 'author issue: count() >= 1000'), icon: 'new.png' },
      renamed as typeof issues,
    );
    writeAchievementsFile(simulator, second);
    await untilNames(service, simulator, ['Issues', 'Issues renamed']);
    const { rows } = await pool.query<{ icon: string }>("select icon from achievements where name = 'Issues'");
    assert.deepEqual(rows, [{ icon: 'new.png' }]);

    // A faulty achievement does not affect the others.
    const broken = toYaml(file(simple('Broken', 'author issue: cuont() >= 1'), changes));
    writeAchievementsFile(simulator, broken);
    await untilNames(service, simulator, ['Issues', 'Issues renamed', 'Changes']);
    const { rows: reports } = await pool.query<{ faults: number }>(
      "select jsonb_array_length(reports)::integer as faults from achievement_files where path is not null and text like '%cuont%'",
    );
    assert.equal(reports[0]?.faults, 1);
    writeAchievementsFile(simulator, broken.replace('cuont', 'count'));
    await untilNames(service, simulator, ['Issues', 'Issues renamed', 'Changes', 'Broken']);

    writeAchievementsFile(simulator, 'achievements: [');
    await untilRead(service, 'achievements: [');
    writeAchievementsFile(simulator, null);
    await untilNames(service, simulator, ['Issues', 'Issues renamed', 'Changes', 'Broken']);
    writeAchievementsFile(simulator, null, '.vaunt/config.yml');
    await untilRead(service, null);
    const before = await findAwards(service, simulator);
    addIssue(simulator.world, awardingRepository(simulator), { author: personCalled(simulator, 'quiet-quill') });
    await until(async () => {
      await service.work?.();
      const found = await pool.query(
        "select 1 from contributions c join accounts a on a.id = c.account_id where a.name = 'quiet-quill'",
      );
      return found.rows.length > 0 ? true : undefined;
    }, 'the issue is stored');
    await untilIdle(service);
    assert.deepEqual(await findAwards(service, simulator), before);

    writeAchievementsFile(simulator, file(issues));
    await untilAwarded(
      service,
      simulator,
      [
        ...before,
        ...earnedIn(simulator.world, awardingRepository(simulator), file(issues)).filter((line) =>
          line.startsWith('quiet-quill'),
        ),
      ].toSorted(),
    );
  });
});
