import type { RepositoryFacts } from '../../model/repository.ts';
import type { Call } from './call.ts';
import type { KnownAccount } from './known.ts';

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
export type RepositoryItem =
  | { kind: 'commit'; oid: string }
  | { kind: 'issue' | 'pull_request' | 'discussion'; number: number };

/** The repositories of accounts, which every provider has. */
export interface Repositories {
  isPossibleName(name: string): boolean;
  /** Returns the URL of the repository in the host's API. */
  urlOf(owner: string, name: string): string;
  /** Returns the URL of the page of a repository at the host, or of one of its items. */
  pageOf(owner: string, name: string, item?: RepositoryItem): string;
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
