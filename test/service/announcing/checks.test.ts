import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPermissions } from '../../../simulators/github/app/installation.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { awardingRepository, poll, writeAchievementsFile } from '../../e2e/achievements/awarding/awarding.ts';
import { fileText, install, writing } from '../../e2e/announcing/announcements.ts';
import { organization } from '../../e2e/installations/installed.ts';
import { until } from '../../time.ts';
import { startSteppedApp } from '../sync/stepped-service.ts';

describe('checks of achievements files on GitHub', () => {
  it('shows over a hundred faults of a file once in a check of the commit', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    const { app } = simulator;
    const good = fileText([`${organization(simulator).login}/engine-1`, 'Achievements']);
    const faulty = Array.from(
      { length: 120 },
      (_, index) =>
        `  - achievement:\n      name: Faulty ${index}\n      triggers: [ { trigger: { actor: nobody, action: issue, condition: closed } } ]\n`,
    );
    writeAchievementsFile(simulator, good.replace('webhooks:', `${faulty.join('')}webhooks:`));
    simulator.faults.add({ kind: 'drop_after', on: 'POST /repos/analytical-engines/engine-1' });
    await using service = await startSteppedApp(simulator);
    await install(service, simulator, writing);
    const runs = () => app.checkRuns.filter(({ repository }) => repository === awardingRepository(simulator));
    const ended = (count: number) =>
      until(async () => {
        await service.work?.();
        return runs().filter(({ status }) => status === 'completed').length === count ? true : undefined;
      }, 'it is checked');
    await ended(1);
    const [run] = runs();
    const { rows } = await service.database.pool.query<{ reports: unknown[]; revision: string }>(
      `select f.reports, f.revision from achievement_files f join repositories r on r.id = f.repository_id
     where r.name = 'engine-1'`,
    );
    assert.deepEqual([runs().length, run?.conclusion, run?.headSha], [1, 'failure', rows[0]?.revision]);
    assert.ok((run?.annotations.length ?? 0) > 100);
    assert.equal(run?.annotations.length, rows[0]?.reports.length);
    assert.equal(
      new Set(run?.annotations.map((annotation) => JSON.stringify(annotation))).size,
      run?.annotations.length,
    );
    const [first] = run?.annotations ?? [];
    assert.deepEqual([first?.path, first?.annotation_level], ['.plaudit/config.yaml', 'failure']);
    assert.match(first?.message ?? '', /nobody.*expected/);
    writeAchievementsFile(simulator, good);
    await poll(service);
    await ended(2);
    assert.deepEqual([runs()[1]?.conclusion, runs()[1]?.annotations], ['success', []]);
    await poll(service);
    assert.equal(runs().length, 2);
  });

  it('creates no check of a commit without the permission, and logs that once', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    writeAchievementsFile(simulator, fileText(['x/y', 'Achievements']));
    await using service = await startSteppedApp(simulator);
    await install(service, simulator, readPermissions);
    writeAchievementsFile(simulator, fileText(['x/z', 'Achievements']));
    await poll(service);
    await untilIdle(service);
    assert.deepEqual(simulator.app.checkRuns, []);
    assert.equal(service.lines.filter((line) => line.includes('authors do not receive reports')).length, 1);
  });
});
