import { Assessor, type Failure } from './assessor.ts';
import { type Baseline, recordBaseline } from './baseline.ts';
import type { MutationHost } from './host.ts';
import { Items } from './items.ts';
import { openMutationDatabase } from './mutation-database.ts';
import { listMutations, type Mutation } from './mutations.ts';
import { changeResponseTo, requestKey, startObservedHost } from './observed-host.ts';
import { readWorld, type Stage } from './run.ts';
import { UnreadProperties } from './unread.ts';

export interface Verdict {
  id: string;
  failures: Failure[];
  /** False: the host got no such request, so the run proves nothing. */
  isApplied: boolean;
}

/** The mutations of one host, and the means to try them: the simulator, a database, and the outcome without any mutation. */
export interface Experiment extends AsyncDisposable {
  /** The mutations of properties that the service may read. */
  mutations: readonly Mutation[];
  /** The number of mutations of properties that the service does not read. */
  unread: number;
  /** Reads the host with one mutation, and compares the outcome with that of the unchanged responses. */
  attempt(mutation: Mutation): Promise<Verdict>;
}

/**
 * Starts a host, and records its responses without a mutation.
 * @param options.provesUnread false: leaves out properties that seem to be unread, without a proof.
 */
export async function openExperiment(
  host: MutationHost,
  { stages, seed, provesUnread = true }: { stages: readonly Stage[]; seed: number; provesUnread?: boolean },
): Promise<Experiment> {
  const ending = new AsyncDisposableStack();
  const observed = ending.use(await startObservedHost(host));
  const database = ending.use(await openMutationDatabase(observed));
  const first = await recordBaseline(observed, database, 'first');
  // The stage `again` begins with the data that the first stage stored.
  await database.removeJobs();
  await database.save('after_first');
  const baselines = new Map<Stage, Baseline>();
  const assessors = new Map<Stage, Assessor>();
  const mutations: Mutation[] = [];
  let unread = 0;
  for (const stage of stages) {
    // Proofs for the first stage have changed the stored state.
    if (stage === 'again') await database.restore('after_first');
    const baseline = stage === 'first' ? first : await recordBaseline(observed, database, stage);
    const { outcome, exchanges } = baseline;
    baselines.set(stage, baseline);
    assessors.set(stage, new Assessor(outcome, new Items(observed.world.world, outcome.snapshot)));
    const listed = listMutations({ host, stage, seed }, exchanges);
    const properties = new UnreadProperties(host.provider);
    if (provesUnread) {
      await properties.prove(listed, outcome, async (change) => {
        const from = await baseline.restore(() => true);
        observed.onExchange = change;
        return readWorld(observed, database, stage, { from });
      });
    }
    const mayMatter = (mutation: Mutation): boolean =>
      provesUnread ? !properties.isProvedUnread(mutation) : properties.unnamed(mutation.candidate.path) === undefined;
    const relevant = listed.filter(mayMatter);
    unread += listed.length - relevant.length;
    mutations.push(...relevant);
  }
  return {
    mutations,
    unread,
    attempt: async ({ id, stage, request, exchange, candidate }) => {
      const change = changeResponseTo(request, candidate);
      let isApplied = false;
      const outcome = await baselines.get(stage)?.readChanged(observed, request, (exchange) => {
        isApplied ||= requestKey(exchange) === request;
        return change(exchange);
      });
      if (outcome === undefined) throw new Error(`the stage ${stage} was not read`);
      const failures = assessors.get(stage)?.assess({ exchange, candidate, outcome }) ?? [];
      return { id, failures, isApplied };
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}
