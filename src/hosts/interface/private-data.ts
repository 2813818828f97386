import type { AccountReport } from './accounts.ts';
import type { Call } from './call.ts';
import type { KnownAccount, KnownRepository } from './known.ts';

/** The private data that credentials show. Absent: the provider reads public data only. */
export interface PrivateData {
  /**
   * Returns the names of the credentials that may show private data, as far as known; with an account, those that may
   * show its private data. A name reveals nothing of the credential.
   */
  credentialNames(account?: Pick<KnownAccount, 'externalId'>): string[];
  /**
   * Looks up at the host whether a person may see a private repository. False also where no credential may read that. Absent
   * where the host does not report it.
   */
  readonly maySee?: (
    repository: KnownRepository,
    person: Pick<KnownAccount, 'externalId' | 'name'>,
    call: Call,
  ) => Promise<boolean>;
  /**
   * Fetches totals that include the private items that `call.credentialName` sees. Yields nothing for a deleted
   * account. Absent where the host reports no such totals.
   */
  readonly fetchTotals?: (account: KnownAccount, call: Call) => AsyncGenerator<AccountReport, void, undefined>;
}
