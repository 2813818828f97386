import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import {
  awardedNow,
  install,
  stage,
  untilAwarded,
  untilTrue,
  write,
} from '../../e2e/achievements/awarding/awarding.ts';
import { earnedIn } from '../../e2e/achievements/awarding/expected-awards.ts';
import { scene } from '../../e2e/achievements/awarding/scene.ts';
import { everyFeature } from '../../integration/achievements/awards/every-feature.ts';
import { startSteppedApp } from '../sync/stepped-service.ts';

describe('awarding after changes of data and files', () => {
  it('awards achievements at once after installation, and keeps them when the condition no longer holds', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startSteppedApp(simulator, { tokens: ['organization_admin'] });
    write(simulator, everyFeature);
    await install(service, simulator);
    await untilTrue(service, simulator, everyFeature);
    const standing = new Map<string, string>();
    const keep = (awards: string[]): string[] => {
      for (const award of awards) {
        const [key = ''] = award.split(', ');
        if (!standing.has(key)) standing.set(key, award);
      }
      return [...standing.values()].toSorted();
    };
    keep(earnedIn(simulator.world, stage(simulator), everyFeature));
    for (const happen of scene(simulator)) {
      happen();
      await untilAwarded(service, simulator, keep(earnedIn(simulator.world, stage(simulator), everyFeature)));
      await untilIdle(service);
    }
    assert.deepEqual(await awardedNow(service, simulator), [...standing.values()].toSorted());
  });
});
