import { LRUCache } from 'lru-cache';
import type { PollDemand } from '../accounts/installations/owner-poll-store.ts';
import type { Connection } from '../database/connections/connection.ts';
import type { HistoryCache } from '../hosts/history/history-cache.ts';
import type { Call, Cost, Provider } from '../hosts/interface/provider.ts';
import type { Detail } from '../model/contribution.ts';
import type { AchievementFiles } from '../recognition/achievements/files/achievement-files.ts';
import type { BoardFiles } from '../recognition/boards/file/board-files.ts';
import type { Kind } from '../recognition/rules/kinds.ts';
import type { StreamFailure } from './metrics.ts';
import type { Claims } from './streams/claims.ts';
import type { Drift } from './streams/drift-store.ts';
import type { Skip } from './streams/skip-store.ts';

/** The dependencies of all code that fetches data from providers and stores it. */
export interface SyncContext {
  connection: Connection;
  providers: ReadonlyMap<string, Provider>;
  /** The number of this process among those that work on the database. */
  node: number;
  claims: Claims;
  pollDemands: PollDemands;
  appliers: Appliers;
  /** Local copies of histories. */
  histories: HistoryCache;
  achievementFiles: AchievementFiles;
  boardFiles: BoardFiles;
  /** The time, in ms, for which fetched data counts as current. */
  freshForMs: number;
  now: () => Date;
  newId: () => string;
  /** Receives a failure that no caller waits for; `work` names the failed work in a few words. */
  onFailure: (error: unknown, work: string) => void;
  /** Receives the failure of a stream that could not be read to its end. */
  onStreamFailure: (failure: StreamFailure) => void;
  /** Receives each part of a response that was skipped. `isNew`: no earlier scan has met its place. */
  onSkip: (skip: Skip, options: { isNew: boolean }) => void;
  /** Receives a difference between stored data and the provider's. */
  onDrift: (drift: Drift) => void;
  /** Receives the number of ids in rows of a table that name nothing that is stored. */
  onOrphans: (table: string, ids: number) => void;
}

/** A piece of work: the calls for requests to the provider, and the receiver of progress. */
export interface Work {
  call: Call;
  /** The call for the first request, for which a caller may wait; absent: `call`. */
  firstCall?: Call;
  onProgress: (progress: Progress) => void;
  /** The part of each repository to read; absent: everything, with details where it is installed. */
  extent?: Extent;
}

/** A part of a repository that is read whether or not the repository is installed. */
export interface Extent {
  kinds: ReadonlySet<Kind>;
  /** The kinds of which details are read too. */
  detailedKinds: ReadonlySet<Kind>;
  /** Details on demand to read of everything that lacks them. */
  details: readonly Detail[];
  /** Receives the name of the part that is being read, and the number of its items that were read so far. */
  onPart: (part: string, read: number) => void;
}

export interface Progress {
  repository: string;
  /** The number of the account's repositories that are up to date. */
  done: number;
  total: number;
}

/** Sums of the polls that the users of each quota want, with the time in ms at which they were read. */
type PollDemands = LRUCache<string, { demand: PollDemand; readAt: number }>;

export function newPollDemands(): PollDemands {
  return new LRUCache({ max: 1000 });
}

/**
 * The number of transactions of this process that apply deliveries now, for deliveries that were not tried yet and for
 * those that were.
 */
export type Appliers = Record<'new' | 'retried', number>;

export function newAppliers(): Appliers {
  return { new: 0, retried: 0 };
}

export function newCost(): Cost {
  return { requests: 0, points: 0 };
}
