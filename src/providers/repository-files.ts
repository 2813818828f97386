/** A file on the default branch. */
export interface RepositoryFile {
  path: string;
  /** The blob's name in git. */
  oid: string;
  sizeBytes: number;
  /** Null: it is no text, or too long to be told as one. */
  text: string | null;
}

/** Files of a repository as they were together at one commit. */
export interface RepositoryFiles {
  /** The newest commit of the default branch; null: there is none. */
  revision: string | null;
  /** Those that are there. */
  files: RepositoryFile[];
}
