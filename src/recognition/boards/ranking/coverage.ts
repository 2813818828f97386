/** How far the repositories of a board are collected. */
export interface Coverage {
  /** The number of repositories that the patterns match; a pattern that matches none counts as one. */
  repositories: number;
  complete: number;
  /** The repositories that are not complete. */
  incomplete: IncompleteRepository[];
  /** True when the patterns match more repositories than a board may have. */
  isCut: boolean;
  /** Teams of hosts, `provider/organization/team`, whose members the host does not show; absent: none. */
  unreadTeams?: string[];
  /** True when the board names accounts that are still to be looked up; absent: it does not. */
  namesUnknownPeople?: boolean;
}

/** A repository that a board counts. */
export interface CountedRepository {
  /** Absent in seasons of earlier releases. */
  id?: string;
  /** `provider/owner/name`. */
  repository: string;
  /** The time, by RFC 3339, before which everything that the board counts in it is known; null: nothing is. */
  knownUntil: string | null;
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

/**
 * Returns the repositories that are not complete, each with its state, those above the limit and the accounts that
 * are still to be looked up as one entry each, and the teams whose members are not known.
 */
export function listMissing({ incomplete, isCut, unreadTeams = [], namesUnknownPeople = false }: Coverage): string[] {
  return [
    ...incomplete.map(({ repository, state }) => `${repository}: ${state}`),
    ...(isCut ? ['further repositories: over_limit'] : []),
    ...unreadTeams.map((team) => `@${team}: not_readable`),
    ...(namesUnknownPeople ? ['named people: not_looked_up'] : []),
  ];
}

/** The entry in a list of missing data that stands for private repositories, whose names the reader may not see. */
const ofPrivate = 'private: incomplete';

/**
 * Returns a list of missing data for a reader who is not the owner of the board: one entry stands for all that may name
 * private repositories.
 */
export function withoutPrivate(missing: readonly string[], coverage: Coverage): string[] {
  const open = new Set(
    listMissing({ ...coverage, incomplete: coverage.incomplete.filter((repository) => !repository.isPrivate) }),
  );
  const publicMissing = missing.filter((part) => open.has(part));
  return publicMissing.length === missing.length ? publicMissing : [...publicMissing, ofPrivate];
}
