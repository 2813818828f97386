import type { Call } from './call.ts';
import type { KnownRepository } from './known.ts';

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

/** Reads files of repositories, such as achievements files and icons. Absent: repositories have no achievements. */
export interface Files {
  /**
   * Reads files of the default branch, at most 4 at a time; null when the visibility changed, or the host shows no
   * files.
   */
  read(repository: KnownRepository, paths: readonly string[], call: Call): Promise<RepositoryFiles | null>;
  /** Returns the URL of the raw content of a file on the default branch, such as an image. */
  urlOf(repository: Pick<KnownRepository, 'owner' | 'name' | 'defaultBranch'>, path: string): string;
}
