import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { createHttpMetrics } from '../../../src/http/server/metrics.ts';

describe('metrics of responses', () => {
  it('count each cached response once, by status, however often they are fetched', async () => {
    const registry = new Registry();
    const metrics = createHttpMetrics(registry);
    const counts = async (): Promise<string[]> =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith('plaudit_http_responses_total{'));
    assert.deepEqual(await counts(), []);
    for (const status of [200, 304, 304] as const) metrics.countWarm(status);
    const line = (status: number, count: number): string =>
      `plaudit_http_responses_total{route="warm",status="${status}"} ${count}`;
    assert.deepEqual(await counts(), [line(200, 1), line(304, 2)]);
    metrics.countWarm(200);
    assert.deepEqual(await counts(), [line(200, 2), line(304, 2)]);
    assert.deepEqual(await counts(), [line(200, 2), line(304, 2)]);
  });
});
