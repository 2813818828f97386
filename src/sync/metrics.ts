import { Counter, type Registry } from 'prom-client';
import type { AppError } from '../model/errors.ts';
import type { Drift } from './streams/drift-store.ts';
import type { Skip } from './streams/skip-store.ts';

/**
 * The failure of a stream that could not be read to its end. Ids are those of this service, because the reader of a log may not know
 * private names.
 */
export interface StreamFailure {
  provider: string;
  repositoryId: string;
  stream: string;
  error: AppError;
}

/** Counters of failures while hosts are read. */
export interface SyncMetrics {
  countDrift: (drift: Drift) => void;
  countSkip: (skip: Skip) => void;
  countStreamFailure: (failure: StreamFailure) => void;
  countOrphans: (table: string, ids: number) => void;
}

/** For commands, which serve no metrics. */
export const noMetrics: SyncMetrics = {
  countDrift: () => {},
  countSkip: () => {},
  countStreamFailure: () => {},
  countOrphans: () => {},
};

export function createSyncMetrics(registry: Registry): SyncMetrics {
  const drifts = new Counter({
    name: 'plaudit_drift_total',
    help: 'Repositories whose stored totals differed from those of the provider, by kind.',
    labelNames: ['provider', 'what', 'repaired'],
    registers: [registry],
  });
  const skips = new Counter({
    name: 'plaudit_skipped_items_total',
    help: 'Parts of responses that could not be read or that the host refused.',
    labelNames: ['provider', 'kind', 'reason'],
    registers: [registry],
  });
  const failures = new Counter({
    name: 'plaudit_stream_failures_total',
    help: 'Reads of a stream of contributions that ended with an error.',
    labelNames: ['provider', 'stream', 'code'],
    registers: [registry],
  });
  const orphans = new Counter({
    name: 'plaudit_orphans_total',
    help: 'Repositories and accounts that rows named though they are not stored; the rows were repaired.',
    labelNames: ['table'],
    registers: [registry],
  });
  return {
    countOrphans: (table, ids) => orphans.inc({ table }, ids),
    countDrift: ({ provider, part, isRepaired }) => drifts.inc({ provider, what: part, repaired: String(isRepaired) }),
    countSkip: ({ provider, kind, reason }) => skips.inc({ provider, kind, reason }),
    countStreamFailure: ({ provider, stream, error }) => failures.inc({ provider, stream, code: error.code }),
  };
}
