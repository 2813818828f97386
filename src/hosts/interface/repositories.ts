import type { LineCounts } from '../../model/contribution.ts';
import type { RepositoryFacts } from '../../model/repository.ts';
import type { Call, KnownAccount, KnownRepository } from './call.ts';

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
interface RepositoryFiles {
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
  toUrl(repository: Pick<KnownRepository, 'owner' | 'name' | 'defaultBranch'>, path: string): string;
}

type ChangedFiles = Map<string, readonly string[]>;

/** Reads details of commits and pull requests of installed repositories. Absent: conditions on them are never true. */
export interface Details {
  /** Reads line counts by commit id (hexadecimal), at most 50 at a time; commits that the host hides are absent. */
  readLineCounts(repository: KnownRepository, oids: readonly string[], call: Call): Promise<Map<string, LineCounts>>;
  /** Reads the paths that pull requests change, by number, at most 50 at a time. */
  readChangedFiles(repository: KnownRepository, numbers: readonly string[], call: Call): Promise<ChangedFiles>;
}

/** The newest state of a stream at the provider, as far as a listing of repositories shows it. */
export interface StreamTip {
  total: number | null;
  changedAt: Date | null;
  /** The id of the newest state; for the history, the newest commit. */
  revision: string | null;
}

export interface ListedRepository extends RepositoryFacts {
  /** Tips by name of stream. The state of an absent stream is known only after reading it. */
  tips: Partial<Record<string, StreamTip>>;
}

/**
 * A page of a listing. A listing has views: the public repositories, then the private ones that each credential shows.
 */
export interface RepositoryPage {
  repositories: ListedRepository[];
  /** The name of the credential of the view; null: the public view. */
  credentialName: string | null;
  /** True for the last page of the view. */
  endsView: boolean;
  /** True when the provider no longer accepts the credential, which then shows nothing. */
  isRefused: boolean;
  /** The number of repositories in the view as the provider reports it; null: it reports none. */
  total: number | null;
  nextCursor: string | null;
}

/** An item of a repository: a commit by its id (hexadecimal), others by their number. */
type RepositoryItem =
  | { kind: 'commit'; oid: string }
  | { kind: 'issue' | 'pull_request' | 'discussion'; number: number };

/** The repositories of accounts, which every provider has. */
export interface Repositories {
  isPossibleName(name: string): boolean;
  /** Returns the URL of the repository in the host's API. */
  toUrl(owner: string, name: string): string;
  /** Returns the URL of the page of a repository at the host, or of one of its items. */
  toPageUrl(owner: string, name: string, item?: RepositoryItem): string;
  /** Lists the account's public repositories, and the private ones that a credential shows; at most 100 a page. */
  list(owner: KnownAccount, cursor: string | null, call: Call): Promise<RepositoryPage>;
  /** Finds a repository by its name; null when there is none, or it is private and `withPrivate` is false. */
  find(
    owner: KnownAccount,
    name: string,
    options: { withPrivate: boolean },
    call: Call,
  ): Promise<ListedRepository | null>;
}

/** Returns the address of the page of a repository, or of one below it. @param below the parts of its path. */
export function toRepositoryUrl(
  url: string,
  { owner, name }: Pick<KnownRepository, 'owner' | 'name'>,
  below: readonly string[] = [],
): string {
  return [url, ...[...owner.split('/'), name, ...below].map(encodeURIComponent)].join('/');
}

/** Returns the address of the page of a repository, or of one of its items. @param folders the path below which items of each kind are. */
export function toItemUrl(
  url: string,
  repository: Pick<KnownRepository, 'owner' | 'name'>,
  item: RepositoryItem | undefined,
  folders: Readonly<Record<RepositoryItem['kind'], readonly string[]>>,
): string {
  if (item === undefined) return toRepositoryUrl(url, repository);
  const last = item.kind === 'commit' ? item.oid : String(item.number);
  return toRepositoryUrl(url, repository, [...folders[item.kind], last]);
}
