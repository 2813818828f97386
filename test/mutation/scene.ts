import { makeTemporaryDirectory } from '../git/temporary-directory.ts';
import type { Exchange } from '../simulated-host.ts';
import { type Candidate, withChange } from './candidate.ts';
import type { MutationHost } from './host.ts';
import type { MutationWorld } from './world.ts';

/** One simulated host that serves all runs of a process, one after the other. */
export interface Scene extends AsyncDisposable {
  host: MutationHost;
  world: MutationWorld;
  settings: Record<string, string>;
  /** For local copies of histories. */
  dataDir: string;
  /** Hears of each response, and returns the body that is sent. */
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

/** Tells responses apart that a host gives to different requests. */
export function requestOf({ caller, operation, address, query = '' }: Exchange): string {
  return JSON.stringify([caller, operation, address, query]);
}

/** Returns the bodies that a host sends where every response to one request is changed in the same place. */
export function changing(request: string, candidate: Candidate): Scene['onExchange'] {
  return (exchange) => (requestOf(exchange) === request ? withChange(exchange.body, candidate) : exchange.body);
}
