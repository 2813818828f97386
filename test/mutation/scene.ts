import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import type { Exchange } from '../../simulators/host.ts';
import { type Candidate, withChange } from './candidate.ts';
import type { MutationHost } from './host.ts';
import type { MutationWorld } from './world.ts';

/** One simulated host that serves all runs of a process, one after the other. */
export interface Scene extends AsyncDisposable {
  host: MutationHost;
  world: MutationWorld;
  settings: Record<string, string>;
  /** The folder of local copies of histories. */
  dataDir: string;
  /** Called for each response; returns the body to send. */
  onExchange: (exchange: Exchange) => unknown;
}

export async function openScene(host: MutationHost): Promise<Scene> {
  const ending = new AsyncDisposableStack();
  const directory = ending.use(await makeTemporaryDirectory());
  const world = host.createWorld();
  const simulated = ending.use(await host.start(world, (exchange) => scene.onExchange(exchange)));
  const scene: Scene = {
    host,
    world,
    settings: simulated.settings,
    dataDir: directory.path,
    onExchange: ({ body }) => body,
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
  return scene;
}

/** Returns a key that is different for different requests. */
export function requestOf({ caller, operation, address, query = '' }: Exchange): string {
  return JSON.stringify([caller, operation, address, query]);
}

/** Returns a function that changes the same place in every response to one request. */
export function changing(request: string, candidate: Candidate): Scene['onExchange'] {
  return (exchange) => (requestOf(exchange) === request ? withChange(exchange.body, candidate) : exchange.body);
}
