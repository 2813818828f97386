import { Counter, Histogram, type Registry } from 'prom-client';

export interface HttpMetrics {
  /** Counts a response that was sent from the response cache. */
  countWarm(status: 200 | 304): void;
  /** Records a response that was not cached; `route` is the pattern of the route, never the path that a client sent. */
  observe(route: string, status: number, seconds: number): void;
  /** Records the time, in seconds, since the data of a new response was fetched from its host. */
  observeAge(route: string, seconds: number): void;
}

export function createHttpMetrics(registry: Registry): HttpMetrics {
  // Counted apart until metrics are fetched, because a Counter looks its labels up each time.
  let [warmFull, warmNotModified] = [0, 0];
  const responses = new Counter({
    name: 'plaudit_http_responses_total',
    help: 'Responses sent, by route pattern and status; "warm" is the cache of rendered responses.',
    labelNames: ['route', 'status'],
    registers: [registry],
    collect: () => {
      if (warmFull > 0) responses.inc({ route: 'warm', status: '200' }, warmFull);
      if (warmNotModified > 0) responses.inc({ route: 'warm', status: '304' }, warmNotModified);
      [warmFull, warmNotModified] = [0, 0];
    },
  });
  const durations = new Histogram({
    name: 'plaudit_http_response_seconds',
    help: 'Time to respond to requests that were not in the cache.',
    labelNames: ['route'],
    buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers: [registry],
  });
  const ages = new Histogram({
    name: 'plaudit_response_data_age_seconds',
    help: 'Time since the data of a response was fetched from its host, for responses that were not in the cache.',
    labelNames: ['route'],
    buckets: [60, 600, 3600, 7200, 21_600, 86_400, 604_800],
    registers: [registry],
  });
  return {
    countWarm: (status) => {
      if (status === 304) warmNotModified += 1;
      else warmFull += 1;
    },
    observe: (route, status, seconds) => {
      responses.inc({ route, status: String(status) });
      durations.observe({ route }, seconds);
    },
    observeAge: (route, seconds) => ages.observe({ route }, seconds),
  };
}
