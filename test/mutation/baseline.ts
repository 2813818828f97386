import type { Exchange } from '../../simulators/host.ts';
import type { MutationDatabase } from './mutation-database.ts';
import { type ObservedHost, requestKey } from './observed-host.ts';
import { type Outcome, type Progress, readWorld, type Stage } from './run.ts';

/** A run on the unchanged responses. */
export interface Baseline {
  outcome: Outcome;
  exchanges: Exchange[];
  /** Restores the data from before each step in turn. */
  restoreEach(): AsyncGenerator<Progress, void, undefined>;
  /**
   * Restores the data from before the first request that may be changed. A run from there has the same outcome as a whole one,
   * because the responses before are the same; it begins with the memory of a process that has just started.
   */
  restore(mayChange: (request: string) => boolean): Promise<Progress>;
}

/** Reads the world without changes; saves the data before each step, and the exchanges. */
export async function recordBaseline(
  observed: ObservedHost,
  database: MutationDatabase,
  stage: Stage,
): Promise<Baseline> {
  const exchanges = new Map<string, Exchange>();
  const beginnings: { progress: Progress; name: string; requests: Set<string> }[] = [];
  observed.onExchange = (exchange) => {
    exchanges.set(requestKey(exchange), exchange);
    beginnings.at(-1)?.requests.add(requestKey(exchange));
    return exchange.body;
  };
  const onStep = async (progress: Progress): Promise<void> => {
    const name = `${stage}_${beginnings.length}`;
    await database.save(name);
    beginnings.push({ progress, name, requests: new Set() });
  };
  const outcome = await readWorld(observed, database, stage, { onStep });
  observed.onExchange = ({ body }) => body;
  if (outcome.faults.length > 0) throw new Error(`the unchanged responses cause faults: ${outcome.faults.join('\n')}`);
  return {
    outcome,
    exchanges: [...exchanges.values()],
    restoreEach: async function* () {
      for (const { progress, name } of beginnings) {
        await database.restore(name);
        yield progress;
      }
    },
    restore: async (mayChange) => {
      const found = beginnings.find(({ requests }) => [...requests].some(mayChange));
      if (found === undefined) throw new Error('the service sends no such request');
      await database.restore(found.name);
      return found.progress;
    },
  };
}
