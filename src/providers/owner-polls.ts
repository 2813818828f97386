import type { Actor } from '../accounts/account.ts';
import type { Call } from './call.ts';

/** What a host has to know of an owner to be asked for the changes of all their repositories. */
export type PolledOwner = Pick<Actor, 'externalId' | 'name' | 'type'>;

/** A change that a listing of repositories does not show. */
export interface ListlessChange {
  /** External id; it may be a repository that is not stored. */
  repository: string;
  /** Names of streams that hold something new. */
  streams: string[];
}

export interface OwnerChanges {
  changes: ListlessChange[];
  /** Everything up to here is among the changes of this call or an earlier one; to be passed to the next call. */
  position: string;
}

/** How all repositories of an installed owner are polled together: by their listing, and by what it does not show. */
export interface OwnerPolls {
  /** Interval between two polls of an owner, where the costs of all owners allow it. */
  intervalMs: number;
  /** How much the polls of all owners may cost in an hour: requests, or points where the host counts points. */
  maxCostPerHour: number;
  /**
   * Reads which repositories of an owner changed in a way that their listing does not show; undefined: it shows everything.
   * @param known.repositories external ids of the owner's installed repositories.
   * @param known.position null: from an hour ago on.
   */
  readChanges?(
    owner: PolledOwner,
    known: { repositories: readonly string[]; position: string | null },
    call: Call,
  ): Promise<OwnerChanges>;
}
