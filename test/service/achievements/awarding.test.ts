import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { awardingActions } from '../../e2e/achievements/awarding/actions.ts';
import {
  awardingRepository,
  findAwards,
  install,
  untilAwarded,
  untilAwardsMatchWorld,
  writeAchievementsFile,
} from '../../e2e/achievements/awarding/awarding.ts';
import { earnedIn } from '../../e2e/achievements/awarding/expected-awards.ts';
import { everyFeature } from '../../integration/achievements/awards/every-feature.ts';
import { startSteppedApp } from '../sync/stepped-service.ts';

describe('awarding after changes of data and files', () => {
  it('awards achievements at once after installation, and keeps them when the condition no longer holds', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startSteppedApp(simulator, { tokens: ['organization_admin'] });
    writeAchievementsFile(simulator, everyFeature);
    await install(service, simulator);
    await untilAwardsMatchWorld(service, simulator, everyFeature);
    const standing = new Map<string, string>();
    const keep = (awards: string[]): string[] => {
      for (const award of awards) {
        const [key = ''] = award.split(', ');
        if (!standing.has(key)) standing.set(key, award);
      }
      return [...standing.values()].toSorted();
    };
    keep(earnedIn(simulator.world, awardingRepository(simulator), everyFeature));
    for (const happen of awardingActions(simulator)) {
      happen();
      await untilAwarded(
        service,
        simulator,
        keep(earnedIn(simulator.world, awardingRepository(simulator), everyFeature)),
      );
      await untilIdle(service);
    }
    assert.deepEqual(await findAwards(service, simulator), [...standing.values()].toSorted());
  });
});
