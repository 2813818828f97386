/** How far the repositories of a board are collected. */
export interface Coverage {
  /** The number of repositories that the patterns name or match. */
  repositories: number;
  complete: number;
  /** Those that are not complete. */
  incomplete: IncompleteRepository[];
  /** True when the patterns match more repositories than a board may have. */
  isCut: boolean;
}

export interface IncompleteRepository {
  /** `provider/owner/name`. */
  repository: string;
  /**
   * `not_installed`: no account installed it, so that it is not collected for boards; also the state of a repository
   * that does not exist.
   */
  state: 'not_installed' | 'collecting';
  isPrivate: boolean;
}
