import type { Exchange } from '../../simulators/host.ts';
import { type Ground, openGround } from './ground.ts';
import type { MutationHost } from './host.ts';
import { Items } from './items.ts';
import { type Failure, Judge } from './judge.ts';
import { listMutations, type Mutation } from './mutations.ts';
import { type Outcome, readWorld, type Stage } from './run.ts';
import { changing, openScene, requestOf, type Scene } from './scene.ts';
import { UnreadProperties } from './unread.ts';

export interface Verdict {
  id: string;
  failures: Failure[];
  /** False: the host got no such request, so the run proves nothing. */
  isApplied: boolean;
}

/** One host, and the stored result without unexpected values, against which changes are tried. */
export interface Experiment extends AsyncDisposable {
  /** Mutations that may make a difference. */
  mutations: readonly Mutation[];
  /** The number of mutations of properties that the service does not read. */
  unread: number;
  attempt(mutation: Mutation): Promise<Verdict>;
}

const untouched: Scene['onExchange'] = ({ body }) => body;

/** @param options.isProving false: leaves out properties that seem to be unread, without a proof. */
export async function openExperiment(
  host: MutationHost,
  { stages, seed, isProving = true }: { stages: readonly Stage[]; seed: number; isProving?: boolean },
): Promise<Experiment> {
  const ending = new AsyncDisposableStack();
  const scene = ending.use(await openScene(host));
  const ground = ending.use(await openGround(scene));
  await ground.save('first');
  const first = await observe(scene, ground, 'first');
  // The stored state before the stage `again`.
  await ground.save('again');
  const judges = new Map<Stage, Judge>();
  const mutations: Mutation[] = [];
  let unread = 0;
  for (const stage of stages) {
    // Proofs for the first stage have changed the stored state.
    if (stage === 'again') await ground.restore(stage);
    const { outcome, exchanges } = stage === 'first' ? first : await observe(scene, ground, stage);
    judges.set(stage, new Judge(outcome, new Items(scene.world.world, outcome.snapshot)));
    const listed = listMutations({ host, stage, seed }, exchanges);
    const properties = new UnreadProperties(host.provider);
    if (isProving) {
      await properties.prove(listed, outcome, async (change) => {
        await ground.restore(stage);
        scene.onExchange = change;
        return readWorld(scene, ground, stage);
      });
    }
    const isRead = (one: Mutation): boolean =>
      isProving ? !properties.isProved(one) : properties.unnamed(one.candidate.path) === undefined;
    const tried = listed.filter(isRead);
    unread += listed.length - tried.length;
    mutations.push(...tried);
  }
  return {
    mutations,
    unread,
    attempt: async ({ id, stage, request, exchange, candidate }) => {
      await ground.restore(stage);
      const change = changing(request, candidate);
      let isApplied = false;
      scene.onExchange = (one) => {
        isApplied ||= requestOf(one) === request;
        return change(one);
      };
      const outcome = await readWorld(scene, ground, stage);
      const failures = judges.get(stage)?.assess({ exchange, candidate, outcome }) ?? [];
      return { id, failures, isApplied };
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

/** Reads the world without changes, and records the exchanges. */
async function observe(
  scene: Scene,
  ground: Ground,
  stage: Stage,
): Promise<{ outcome: Outcome; exchanges: Exchange[] }> {
  const exchanges = new Map<string, Exchange>();
  scene.onExchange = (exchange) => {
    exchanges.set(requestOf(exchange), exchange);
    return exchange.body;
  };
  const outcome = await readWorld(scene, ground, stage);
  scene.onExchange = untouched;
  if (outcome.faults.length > 0) throw new Error(`nothing is unexpected, and yet: ${outcome.faults.join('\n')}`);
  return { outcome, exchanges: [...exchanges.values()] };
}
