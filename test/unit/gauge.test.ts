import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Registry } from 'prom-client';
import { registerGauge, type Sample, sharing } from '../../src/model/gauge.ts';

const values = async (registry: Registry): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line));

describe('registerGauge', () => {
  it('serves the values of the present, and none of earlier ones', async () => {
    const registry = new Registry();
    let samples: Sample<'kind'>[] = [
      { labels: { kind: 'one' }, value: 1 },
      { labels: { kind: 'two' }, value: 2 },
    ];
    registerGauge(registry, { name: 'length', help: 'Length.', labelNames: ['kind'], read: () => samples });
    assert.deepEqual(await values(registry), ['length{kind="one"} 1', 'length{kind="two"} 2']);
    samples = [{ labels: { kind: 'two' }, value: 3 }];
    assert.deepEqual(await values(registry), ['length{kind="two"} 3']);
  });

  it('serves no value while reading fails, with labels and without', async () => {
    const registry = new Registry();
    let isBroken = false;
    const read = (): Sample<never>[] => {
      if (isBroken) throw new Error('broken');
      return [{ labels: {}, value: 7 }];
    };
    registerGauge(registry, { name: 'plain', help: 'Plain.', labelNames: [], read });
    assert.deepEqual(await values(registry), ['plain 7']);
    isBroken = true;
    assert.deepEqual(await values(registry), []);
    isBroken = false;
    assert.deepEqual(await values(registry), ['plain 7']);
  });

  it('serves the other gauges while one does not respond, and reads it once meanwhile', async () => {
    const registry = new Registry();
    const { promise, resolve } = Promise.withResolvers<Sample<never>[]>();
    let reads = 0;
    const read = (): Promise<Sample<never>[]> => {
      reads += 1;
      return promise;
    };
    registerGauge(registry, { name: 'hanging', help: 'Hangs.', labelNames: [], maxWaitMs: 1, read });
    registerGauge(registry, { name: 'other', help: 'Other.', labelNames: [], read: () => [{ labels: {}, value: 1 }] });
    assert.deepEqual(await values(registry), ['other 1']);
    assert.deepEqual(await values(registry), ['other 1']);
    assert.equal(reads, 1);
    resolve([{ labels: {}, value: 2 }]);
  });
});

describe('sharing', () => {
  it('reads once for calls at the same time, and again afterwards', async () => {
    let reads = 0;
    const read = sharing(async () => {
      reads += 1;
      return reads;
    });
    assert.deepEqual(await Promise.all([read(), read()]), [1, 1]);
    assert.equal(await read(), 2);
  });
});
