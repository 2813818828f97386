import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { Random } from '../../../simulators/world/random.ts';
import { isThorough, sampled } from '../../depth.ts';
import { ada, engines, keeper } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { putBoards } from '../pages/stored-board.ts';
import {
  boardOfEverything,
  comparedWindows,
  findContradictions,
  readBoardNumbers,
  readShownNumbers,
} from './shown-numbers.ts';
import { type SteppedService, startSteppedService } from './stepped-service.ts';

const accounts = [engines.name, ada.name, keeper.name];

describe('addresses that show the same number', () => {
  for (const seed of sampled([31, 32, 33], 3)) {
    it(`agree after every job of a first collection, or say that they are incomplete (seed ${seed})`, async () => {
      const { now } = clock();
      await using simulator = await startSimulator({ now, seed, repositories: 2 });
      const random = new Random(seed);
      let comparisons = 0;
      const contradictions = new Set<string>();
      let service: SteppedService | undefined;
      const compare = async (moment: string): Promise<void> => {
        if (service === undefined) return;
        const isEnd = moment === 'the collection';
        // Reading everything after each job would take minutes.
        for (const account of isEnd || isThorough ? accounts : [random.pick(accounts)]) {
          const windows = isEnd || isThorough ? comparedWindows : ['', random.pick(comparedWindows)];
          const shown = await readShownNumbers(service.asIs, account, windows);
          comparisons += shown.length;
          for (const found of findContradictions(shown)) contradictions.add(`after ${moment}: ${found}`);
        }
        const ranked = await readBoardNumbers(service.asIs, engines.name);
        comparisons += ranked.length;
        for (const found of findContradictions(ranked)) contradictions.add(`after ${moment}: ${found}`);
      };
      await using started = await startSteppedService({ simulator, now, afterJob: compare });
      service = started;
      for (const account of accounts) await service.getComplete(`${account}/contributors`);
      await putBoards(started, simulator, [boardOfEverything(engines.name)]);
      await started.getAfterWork(`${engines.name}/boards/everything`);
      await compare('the collection');
      assert.ok((await readBoardNumbers(started.asIs, engines.name)).length > 10);
      assert.deepEqual([...contradictions], []);
      assert.ok(comparisons > 1000, `${comparisons}`);
    });
  }
});
