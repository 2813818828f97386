import type { AccountFacts } from '../../model/account.ts';
import type { Call } from './call.ts';

/** Stored accounts and repositories, in the form in which a provider gets them. */

/** The data for requesting a stored account. */
export interface KnownAccount {
  externalId: string;
  handle: string;
  type: AccountFacts['type'];
  name: string;
  /** The `memory` of the last report. */
  memory: object | null;
}

/** The data for requesting a stored repository. */
export interface KnownRepository {
  owner: string;
  name: string;
  handle: string;
  defaultBranch: string;
  /** The name of the credential that shows a private repository; null: the repository is public. */
  credentialName: string | null;
}

/** Returns a call that fetches a private repository with the credential that showed it. */
export function seenBy({ credentialName }: Pick<KnownRepository, 'credentialName'>, call: Call): Call {
  return credentialName === null ? call : { ...call, credentialName };
}
