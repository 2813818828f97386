import { setTimeout as wait } from 'node:timers/promises';
import { Gauge, type Registry } from 'prom-client';

/** The longest wait for values, in ms. Prometheus gives up a fetch of all metrics after 10 seconds by default. */
const longestWaitMs = 2000;

/** One value of a gauge. */
export interface Sample<Label extends string> {
  labels: Record<Label, string>;
  value: number;
}

/**
 * Registers a gauge whose values are read each time metrics are fetched. While they cannot be read in time, the gauge
 * has no values, and all other metrics are served.
 */
export function registerGauge<Label extends string>(
  registry: Registry,
  {
    read,
    maxWaitMs = longestWaitMs,
    ...configuration
  }: {
    name: string;
    help: string;
    labelNames: readonly Label[];
    maxWaitMs?: number;
    /** The value for several processes of one node; default: their sum. */
    aggregator?: 'first' | 'min' | 'max' | 'sum';
    read: () => Promise<readonly Sample<Label>[]> | readonly Sample<Label>[];
  },
): void {
  const readOnce = sharing(async () => read());
  const gauge: Gauge<Label> = new Gauge({
    ...configuration,
    registers: [registry],
    collect: async () => {
      const samples = await inTime(readOnce(), maxWaitMs);
      gauge.reset();
      // A gauge without labels is 0 after a reset.
      if (configuration.labelNames.length === 0) gauge.remove({});
      for (const { labels, value } of samples) gauge.set(labels, value);
    },
  });
}

/** Returns a function whose calls share the result of a call that has not ended yet. */
export function sharing<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= read().finally(() => {
      running = undefined;
    });
    return running;
  };
}

function none(): readonly never[] {
  return [];
}

async function inTime<One>(reading: Promise<readonly One[]>, maxWaitMs: number): Promise<readonly One[]> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      reading.catch(none),
      wait(maxWaitMs, undefined, { signal: timer.signal }).then(none, none),
    ]);
  } finally {
    timer.abort();
  }
}
