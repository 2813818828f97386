import type { Call } from './call.ts';
import type { KnownRepository } from './known.ts';
import type { OwnerPolls } from './owner-polls.ts';
import type { ListedRepository } from './repositories.ts';
import type { ContributionPage } from './streams.ts';

/** The current state of a repository and of its last changed items. */
export interface RepositoryTip {
  repository: ListedRepository;
  page: ContributionPage;
}

/** The number of items that each stream lists, by name of stream; the number for an absent stream is unknown. */
export type ContributionTotals = Partial<Record<string, number>>;

/** The quota for polls of single repositories. */
export interface RepositoryPolls {
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
