import type { Call, KnownRepository } from '../interface/provider.ts';
import type { RestClient } from './client.ts';

/** The client and the repository to read. */
export interface StreamContext {
  client: RestClient;
  repository: KnownRepository;
  call: Call;
}

/** Adds an item to a page after all parts of the item were read. */
export type Addition<Collector> = (collector: Collector) => void;
