/** A file on the default branch. */
export interface RepositoryFile {
  path: string;
  /** The id of the git blob. */
  oid: string;
  sizeBytes: number;
  /** Null: the file is binary, or too long for the host to return as text. */
  text: string | null;
}

/** Files of a repository at one commit. */
export interface RepositoryFiles {
  /** The newest commit of the default branch; null: the branch has no commits. */
  revision: string | null;
  /** The requested files that exist. */
  files: RepositoryFile[];
}
