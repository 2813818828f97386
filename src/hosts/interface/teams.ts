import type { Call } from './call.ts';

/** A team of an organization, by the names in its host's addresses; at GitLab a group within a group. */
export interface TeamPlace {
  organization: string;
  /** The immutable id of the organization; at GitLab that of the outermost group. */
  organizationId: string;
  team: string;
}

/** The members of teams, which hosts show to few. Absent: the host has none. */
export interface Teams {
  /**
   * Reads the immutable ids of the members' accounts.
   * @returns null when there is no such team, or when no configured credential can read its members.
   */
  readMembers(place: TeamPlace, call: Call): Promise<readonly string[] | null>;
}
