import type { Log } from '../../model/log.ts';
import type { SyncContext } from '../context.ts';
import type { SyncMetrics } from '../metrics.ts';

/** Returns the receivers of failures during reads from hosts: each failure is counted, and logged where it is new. */
export function reportsTo(
  log: Log,
  metrics: SyncMetrics,
): Pick<SyncContext, 'onStreamFailure' | 'onSkip' | 'onDrift' | 'onOrphans'> {
  return {
    onStreamFailure: (failure) => {
      metrics.countStreamFailure(failure);
      const { provider, repositoryId, stream, error } = failure;
      log.warn({ provider, repositoryId, stream, err: error }, 'a stream cannot be read on');
    },
    onSkip: (skip, { isNew }) => {
      metrics.countSkip(skip);
      const { target, isStored, isCounted: _counted, ...part } = skip;
      if (isNew) log.warn({ ...part, ...target }, isStored ? 'an item is stored in part' : 'an item is skipped');
    },
    onOrphans: (table, ids) => {
      metrics.countOrphans(table, ids);
      log.warn({ table, ids }, 'rows named repositories or accounts that are not stored');
    },
    onDrift: (drift) => {
      metrics.countDrift(drift);
      log.warn(drift, 'stored totals differ from those of the provider');
    },
  };
}
