import type { Exchange, Rewrite } from '../../simulators/host.ts';
import type { Candidate } from './candidate.ts';
import type { MutationWorld } from './mutation-world.ts';

/** Code host whose responses are mutated. */
export interface MutationHost {
  name: string;
  /** Path segment of the provider. */
  provider: string;
  createWorld(): MutationWorld;
  start(world: MutationWorld, rewrite: Rewrite): Promise<Simulated>;
  /** Lists every change that the host's own description allows in a response. */
  candidates(exchange: Exchange): Candidate[];
}

/** Running simulator, with the settings of a service that reads from it. */
export interface Simulated extends AsyncDisposable {
  settings: Record<string, string>;
}
