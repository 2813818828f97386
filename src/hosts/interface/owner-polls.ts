import type { Actor } from '../../model/account.ts';
import type { Call } from './call.ts';

/** The data that a provider needs for reading the changes in all repositories of an owner. */
export type PolledOwner = Pick<Actor, 'externalId' | 'name' | 'type'>;

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
