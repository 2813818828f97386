import { Counter, type Registry } from 'prom-client';

/** What was stored was not what the provider has. */
export interface Drift {
  provider: string;
  /** Ours: whether a name may be told depends on who asks. */
  repositoryId: string;
  /** Name of the stream, or `sums` for what was counted wrong from what is stored. */
  what: string;
  /** What the provider has, and what was stored; of sums, how many were wrong. */
  expected: number;
  found: number;
  isRepaired: boolean;
}

export function createDriftMetric(registry: Registry): (drift: Drift) => void {
  const drifts = new Counter({
    name: 'plaudit_drift_total',
    help: 'Repositories of which something else was stored than the provider has, by what it was.',
    labelNames: ['provider', 'what', 'repaired'],
    registers: [registry],
  });
  return ({ provider, what, isRepaired }) => drifts.inc({ provider, what, repaired: String(isRepaired) });
}
