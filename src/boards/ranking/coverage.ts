/** How far the repositories of a board are collected. */
export interface Coverage {
  /** The number of repositories that the patterns match; a pattern that matches none counts as one. */
  repositories: number;
  complete: number;
  /** Those that are not complete. */
  incomplete: IncompleteRepository[];
  /** True when the patterns match more repositories than a board may have. */
  isCut: boolean;
  /** Teams of hosts, `provider/organization/team`, whose members the host does not show; absent: none. */
  unreadTeams?: string[];
}

export interface IncompleteRepository {
  /** `provider/owner/name`, or a pattern that matches no repository. */
  repository: string;
  /**
   * `not_installed`: no account installed it, so that it is not collected for boards; also the state of a repository
   * that does not exist.
   */
  state: 'not_installed' | 'collecting';
  isPrivate: boolean;
}

/** Returns the teams whose members are not known, in the form of lists of missing data. */
export function unreadOf({ unreadTeams = [] }: Coverage): string[] {
  return unreadTeams.map((team) => `@${team}: not_readable`);
}
