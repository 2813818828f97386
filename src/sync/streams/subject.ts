import type { Repository } from '../../accounts/repositories/store.ts';
import type { Call, KnownRepository, Provider } from '../../hosts/interface/provider.ts';
import type { Account } from '../../model/account.ts';
import type { AppError } from '../../model/errors.ts';
import type { Extent } from '../context.ts';
import type { SkipCollector } from './skips.ts';
import type { StreamState } from './stream-store.ts';

/** A repository that is being read. */
export interface Subject {
  /** The owner of the repository. */
  account: Account;
  repository: Repository;
  /** The repository as its provider needs it for requests. */
  known: KnownRepository;
  provider: Provider;
  call: Call;
  /** Parts of responses that were skipped since they were last stored. */
  skips: SkipCollector;
  /** The part to read; absent: everything, with details where the repository is installed. */
  extent?: Extent | undefined;
  /** The failure of git at other repositories of the account; git is then not called for this one. */
  gitFailure?: AppError | undefined;
}

/** Returns whether a stream is read with details. */
export function isReadDeep(
  { repository, extent }: Pick<Subject, 'repository' | 'extent'>,
  { covers }: Pick<StreamState, 'covers'>,
): boolean {
  return repository.installedAt !== null || covers.some((kind) => extent?.detailedKinds.has(kind));
}
