import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createMetrics } from '../../src/app/metrics.ts';

describe('createMetrics', () => {
  it('observes the garbage collector and the event loop of the process once, and each service by itself', async () => {
    const [first, second] = [createMetrics().registry, createMetrics().registry];
    const names = first.getMetricsAsArray().map(({ name }) => name);
    assert.deepEqual(
      second.getMetricsAsArray().map(({ name }) => name),
      names,
    );
    const ofNode = new Set(names.filter((name) => /^(nodejs|process)_/.test(name)));
    assert.ok(ofNode.has('nodejs_gc_duration_seconds') && ofNode.has('nodejs_eventloop_lag_seconds'));
    for (const name of names) {
      assert.equal(first.getSingleMetric(name) === second.getSingleMetric(name), ofNode.has(name), name);
    }
    assert.match(await second.metrics(), /^nodejs_eventloop_lag_seconds /m);
  });
});
