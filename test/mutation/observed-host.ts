import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import type { Exchange } from '../../simulators/host.ts';
import { type Candidate, withChange } from './candidate.ts';
import type { MutationHost } from './host.ts';
import type { MutationWorld } from './mutation-world.ts';

/** A simulated host whose responses a test records and changes. It serves all runs of a process, one after another. */
export interface ObservedHost extends AsyncDisposable {
  host: MutationHost;
  world: MutationWorld;
  settings: Record<string, string>;
  /** The folder of local copies of histories. */
  dataDir: string;
  /** Receives each response, and returns the body to send. */
  onExchange: (exchange: Exchange) => unknown;
}

export async function startObservedHost(host: MutationHost): Promise<ObservedHost> {
  const ending = new AsyncDisposableStack();
  const directory = ending.use(await makeTemporaryDirectory());
  const world = host.createWorld();
  const simulated = ending.use(await host.start(world, (exchange) => observed.onExchange(exchange)));
  const observed: ObservedHost = {
    host,
    world,
    settings: simulated.settings,
    dataDir: directory.path,
    onExchange: ({ body }) => body,
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
  return observed;
}

/** Returns a key that equal requests share. */
export function requestKey({ caller, operation, address, query = '' }: Exchange): string {
  return JSON.stringify([caller, operation, address, query]);
}

/** Returns a function that changes the same place in every response to one request. */
export function changeResponseTo(request: string, candidate: Candidate): ObservedHost['onExchange'] {
  return (exchange) => (requestKey(exchange) === request ? withChange(exchange.body, candidate) : exchange.body);
}
