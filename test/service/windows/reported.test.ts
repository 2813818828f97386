import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { toCounters } from '../../../simulators/world/expected-totals.ts';
import { readWindow } from '../../../src/model/windows/window.ts';
import { ada } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { startSteppedService } from '../sync/stepped-service.ts';

interface Windowed {
  meta_data: { source: string; missing?: string[]; complete: boolean };
  data: { contributions: Record<string, number> }[];
}

describe('windows of users whose contributions are not collected', () => {
  it("show GitHub's own numbers of whole days, fetched once for all callers, and name the others", async () => {
    const { now } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startSteppedService({ simulator, now });
    const read = async (query: string): Promise<Windowed> => {
      const { status, text } = await service.get(`${ada.name}/contributions?${query}`);
      assert.equal(status, 200, text);
      return JSON.parse(text) as Windowed;
    };
    await service.getAfterWork(ada.name);
    const text = { since: '2023-02-01', until: '2026-05-31' };
    const query = new URLSearchParams(text).toString();
    // All requests arrive before the job that fetches the numbers, so that they claim it at the same time.
    await Promise.all(
      Array.from({ length: 8 }, (_, index) => service.get(`${ada.name}/contributions?${query}&w=${index}`)),
    );
    await service.work();
    const responses = await Promise.all(Array.from({ length: 8 }, (_, index) => read(`${query}&v=${index}`)));
    const window = readWindow(text, now()) ?? assert.fail();
    const expected = toCounters(simulator.world, ada.name, undefined, window);
    const { commits, issues, pull_requests: pullRequests, reviews } = expected;
    assert.ok(commits > 0);
    for (const { meta_data: metadata, data } of responses) {
      assert.equal(metadata.source, 'host');
      const counts = data[0]?.contributions ?? {};
      assert.deepEqual(
        [counts['commits'], counts['issues'], counts['pull_requests'], counts['reviews']],
        [commits, issues, pullRequests, reviews],
      );
      assert.deepEqual(metadata.missing, [
        'stars',
        'contributed_to',
        'issues_closed',
        'pull_requests_merged',
        'discussions',
        'discussions_answered',
      ]);
    }
    // A request of at most a year each, once for all callers.
    assert.equal(simulator.requests.filter(({ name }) => name === 'DayCounts').length, 4);

    const divided = await read(`${query}&time_zone=Asia/Tokyo`);
    assert.equal(divided.meta_data.source, 'collected');
    assert.equal(divided.meta_data.complete, false);
    const series = await read('period=2025&limit=2');
    assert.equal(series.meta_data.source, 'collected');
  });
});
