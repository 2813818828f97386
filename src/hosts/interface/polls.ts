import type { Actor } from '../../model/account.ts';
import type { Call, KnownRepository } from './call.ts';
import type { ListedRepository } from './repositories.ts';
import type { ContributionPage } from './streams.ts';

/** The data that a provider needs for reading the changes in all repositories of an owner. */
type PolledOwner = Pick<Actor, 'externalId' | 'name' | 'type'>;

/** A change that a listing of repositories does not show. */
export interface ListlessChange {
  /** The repository's external id; the repository may not be stored. */
  repository: string;
  /** The names of the streams that changed. */
  streams: string[];
}

export interface OwnerChanges {
  changes: ListlessChange[];
  /** The end of the changes that this call and earlier ones returned; the next call begins here. */
  position: string;
}

/** The polling of all repositories of an installed owner: by their listing, and by `readChanges` for other changes. */
export interface OwnerPolls {
  /** The interval between two polls of an owner in ms; longer when `maxCostPerHour` requires it. */
  intervalMs: number;
  /** The maximum cost of the polls of all owners in an hour: requests, or points where the host counts points. */
  maxCostPerHour: number;
  /**
   * Reads the changes in an owner's repositories that their listing does not show; undefined: the listing shows all
   * changes.
   * @param known.repositories the external ids of the owner's installed repositories.
   * @param known.position null: begin one hour ago.
   */
  readChanges?(
    owner: PolledOwner,
    known: { repositories: readonly string[]; position: string | null },
    call: Call,
  ): Promise<OwnerChanges>;
}

/** The current state of a repository and of its last changed items. */
export interface RepositoryTip {
  repository: ListedRepository;
  page: ContributionPage;
}

/** The number of items that each stream lists, by name of stream; the number for an absent stream is unknown. */
type ContributionTotals = Partial<Record<string, number>>;

/** The quota for polls of single repositories. */
interface RepositoryPolls {
  /** The polls in an hour that take a fifth of the quota of one credential. */
  perHour: number;
  /**
   * The number of quotas over which requests for public repositories without an installation of the app are spread, at
   * least 1. Each installation has one quota.
   */
  quotas: number;
}

/**
 * The polls that keep installed repositories current. Absent: only deliveries and requests of clients show their
 * changes.
 */
export interface Polls {
  /** The polling of all repositories of an owner at once. */
  readonly owners: OwnerPolls;
  /** The polling of single repositories by `readTip`. */
  readonly repositories: RepositoryPolls;
  /**
   * Reads the items that changed last, also changes that no list shows; null when the repository's visibility changed.
   */
  readTip(repository: KnownRepository, call: Call): Promise<RepositoryTip | null>;
  /** Reads the number of items that each stream of a repository lists, for comparison with the stored ones. */
  readTotals(repository: KnownRepository, call: Call): Promise<ContributionTotals>;
}

/** Returns totals without the unknown ones. */
export function knownTotals(totals: Readonly<Record<string, number | null | undefined>>): ContributionTotals {
  const known: ContributionTotals = {};
  for (const [stream, total] of Object.entries(totals)) if (typeof total === 'number') known[stream] = total;
  return known;
}
