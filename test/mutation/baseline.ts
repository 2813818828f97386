import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { Exchange } from '../../simulators/host.ts';
import type { MutationHost } from './host.ts';
import type { MutationDatabase } from './mutation-database.ts';
import { type ObservedHost, requestKey } from './observed-host.ts';
import { type Outcome, type Progress, readWorld, type Stage } from './run.ts';

/** A run on the unchanged responses, with the data before each of its steps. */
export class Baseline {
  readonly outcome: Outcome;
  readonly exchanges: readonly Exchange[];
  readonly #stage: Stage;
  readonly #isDivisible: boolean;
  readonly #database: MutationDatabase;
  readonly #beginnings: readonly Beginning[];
  readonly #inconstant: ReadonlySet<string>;
  /** The ends of runs by the number of a step and the digest of the data before it. */
  readonly #ends = new LRUCache<string, End>({ max: maxEnds });

  constructor(
    run: Pick<Baseline, 'outcome' | 'exchanges'> & { stage: Stage; isDivisible: boolean },
    database: MutationDatabase,
    beginnings: readonly Beginning[],
    inconstant: ReadonlySet<string>,
  ) {
    this.outcome = run.outcome;
    this.exchanges = run.exchanges;
    this.#stage = run.stage;
    this.#isDivisible = run.isDivisible;
    this.#database = database;
    this.#beginnings = beginnings;
    this.#inconstant = inconstant;
  }

  /** Restores the data from before each step in turn. */
  async *restoreEach(): AsyncGenerator<Progress, void, undefined> {
    for (const { progress, saved } of this.#beginnings) {
      await this.#database.restore(saved);
      yield progress;
    }
  }

  /**
   * Restores the data from before the first request that may be changed. A run from there has the same outcome as a whole
   * one, because the responses before are the same; it begins with the memory of a process that has just started.
   */
  async restore(mayChange: (request: string) => boolean): Promise<Progress> {
    const found = this.#beginnings.find(({ requests }) => !this.#isDivisible || [...requests].some(mayChange));
    if (found === undefined) throw new Error('the service sends no such request');
    await this.#database.restore(found.saved);
    return found.progress;
  }

  /**
   * Reads the world with a change of the responses to one request. Once no changed response is to come, and the stored data is
   * that of an earlier run before the same step, the rest of the run is that of the earlier one.
   */
  async readChanged(observed: ObservedHost, request: string, change: ObservedHost['onExchange']): Promise<Outcome> {
    const from = await this.restore((key) => key === request);
    const last = this.#beginnings.findLastIndex(({ requests }) => requests.has(request));
    const sent: string[] = [];
    observed.onExchange = (exchange) => {
      sent.push(requestKey(exchange));
      return change(exchange);
    };
    const passed: { key: string; progress: Progress; sentBefore: number }[] = [];
    const rest = new Set<string>();
    const onStep = async (progress: Progress): Promise<Outcome | undefined> => {
      const beginning = this.#beginnings[progress.taken];
      if (beginning === undefined || !this.#isDivisible || progress.taken <= last || passed.length >= maxComparisons)
        return undefined;
      if (!isDeepStrictEqual(toPlace(progress), toPlace(beginning.progress))) return undefined;
      const key = `${progress.taken} ${await this.#database.digest(this.#inconstant)}`;
      const end = key.endsWith(` ${beginning.digest}`) ? this.#endAt(progress.taken) : this.#ends.get(key);
      if (end !== undefined && !end.requests.has(request)) {
        for (const later of end.requests) rest.add(later);
        return joined(progress, end);
      }
      passed.push({ key, progress, sentBefore: sent.length });
      return undefined;
    };
    const outcome = await readWorld(observed, this.#database, this.#stage, { from, onStep });
    for (const { key, progress, sentBefore } of passed) {
      const requests = new Set([...sent.slice(sentBefore), ...rest]);
      const isOfRest = progress.faults.length === 0 && progress.logged.length === 0 && !requests.has(request);
      if (isOfRest) this.#ends.set(key, { from: progress, outcome, requests });
    }
    return outcome;
  }

  #endAt(index: number): End | undefined {
    const beginning = this.#beginnings[index];
    if (beginning === undefined) return undefined;
    const requests = new Set<string>();
    for (const later of this.#beginnings.slice(index)) for (const request of later.requests) requests.add(request);
    return { from: beginning.progress, outcome: this.outcome, requests };
  }
}

/** The end of a run. */
interface End {
  from: Progress;
  outcome: Outcome;
  requests: ReadonlySet<string>;
}

/** Changes of one place, which often have the same effect, are tried one after another. */
const maxEnds = 200;

/** Returns the outcome of a run that ends like another one. */
function joined({ requests, jobs, faults, logged }: Progress, { from, outcome }: End): Outcome {
  const { rows, reasons } = outcome.snapshot;
  return {
    snapshot: { rows, reasons: [...reasons, ...logged] },
    requests: requests + outcome.requests - from.requests,
    jobs: jobs + outcome.jobs - from.jobs,
    faults: [...faults, ...outcome.faults],
  };
}

/** The state of a run before a step, and the requests of the step. */
interface Beginning {
  progress: Progress;
  /** The name of the saved data. */
  saved: string;
  digest: string;
  requests: Set<string>;
}

/** Returns false for GitHub without a token: its process remembers the rate of its searches from step to step. */
export function isDivisible({ name }: MutationHost): boolean {
  return name !== 'github-anonymous';
}

/** Data that a change still affects some steps later mostly stays different. */
const maxComparisons = 3;

/** Returns the part of a run's state that decides how it goes on, apart from the stored data. */
function toPlace({ steps, credentials }: Progress): Pick<Progress, 'steps' | 'credentials'> {
  return { steps, credentials };
}

/** Reads the world without changes; saves the data before each step, and the exchanges. */
export async function recordBaseline(
  observed: ObservedHost,
  database: MutationDatabase,
  stage: Stage,
): Promise<Baseline> {
  const exchanges = new Map<string, Exchange>();
  const beginnings: Beginning[] = [];
  observed.onExchange = (exchange) => {
    exchanges.set(requestKey(exchange), exchange);
    beginnings.at(-1)?.requests.add(requestKey(exchange));
    return exchange.body;
  };
  const onStep = async (progress: Progress): Promise<undefined> => {
    const saved = `${stage}_${beginnings.length}`;
    await database.save(saved);
    beginnings.push({ progress, saved, digest: '', requests: new Set() });
  };
  const outcome = await readWorld(observed, database, stage, { onStep });
  observed.onExchange = ({ body }) => body;
  if (outcome.faults.length > 0) throw new Error(`the unchanged responses cause faults: ${outcome.faults.join('\n')}`);
  const inconstant = await findInconstant(observed, database, stage, beginnings);
  for (const beginning of beginnings) beginning.digest = await database.digest(inconstant, beginning.saved);
  return new Baseline(
    { stage, isDivisible: isDivisible(observed.host), outcome, exchanges: [...exchanges.values()] },
    database,
    beginnings,
    inconstant,
  );
}

/**
 * Returns the columns, such as times of the database, that a second run without changes stores differently. The data of the
 * first run is restored, because the host may have refused the second one some searches.
 */
async function findInconstant(
  observed: ObservedHost,
  database: MutationDatabase,
  stage: Stage,
  beginnings: readonly Beginning[],
): Promise<Set<string>> {
  const inconstant = new Set<string>();
  const [first] = beginnings;
  if (first === undefined) return inconstant;
  const end = `${stage}_end`;
  await database.save(end);
  await database.restore(first.saved);
  let index = 0;
  const onStep = async (): Promise<undefined> => {
    const [before, now] = [await database.digests(beginnings[index]?.saved), await database.digests()];
    for (const [column, digest] of now) if (before.get(column) !== digest) inconstant.add(column);
    index += 1;
  };
  await readWorld(observed, database, stage, { onStep });
  await database.restore(end);
  return inconstant;
}
