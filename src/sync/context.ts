import type { Connection } from '../database/connection.ts';
import type { HistoryCache } from '../history/history-cache.ts';
import type { Call, Cost, Provider } from '../providers/provider.ts';
import type { Drift } from './drift.ts';
import type { Skip } from './skip-store.ts';
import type { StreamFailure } from './stream-failure.ts';

/** What everything that asks providers and stores their answers works with. */
export interface SyncContext {
  connection: Connection;
  providers: ReadonlyMap<string, Provider>;
  /** This process among those that work on the database. */
  node: number;
  /** Ids of the repositories that this process is reading just now. */
  reading: Set<string>;
  /** Local copies of histories. */
  histories: HistoryCache;
  /** How long what was asked is taken as current. */
  freshForMs: number;
  now: () => Date;
  newId: () => string;
  /** Hears what went wrong where nobody waits; `what` says in a few words what was being done. */
  onFailure: (error: unknown, what: string) => void;
  /** Receives a stream that could not be read on. */
  onStreamFailure: (failure: StreamFailure) => void;
  /** Receives each part of a response that was skipped. `isNew`: no earlier scan has met its place. */
  onSkip: (skip: Skip, options: { isNew: boolean }) => void;
  /** Hears where what was stored was not what a provider has. */
  onDrift: (drift: Drift) => void;
}

/** One piece of work: on whose behalf the provider is asked, and who hears how far it is. */
export interface Work {
  call: Call;
  onProgress: (progress: Progress) => void;
}

export interface Progress {
  repository: string;
  /** Of the account's repositories, how many are up to date. */
  done: number;
  total: number;
}

export function newCost(): Cost {
  return { requests: 0, points: 0 };
}
