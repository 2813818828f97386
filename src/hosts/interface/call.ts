import type { AccountFacts } from '../../model/account.ts';

/** The kind of a credential: no credential, a configured token, or an installation of the App. */
type CredentialKind = 'none' | 'token' | 'installation';

/**
 * The states of a credential. `limited`: the host refuses requests for a time, or its quota excludes background work.
 */
export const useStates = ['usable', 'limited', 'refused'] as const;

/** One credential as this process knows it from responses; nothing in it reveals the credential or its account. */
export interface CredentialUse {
  kind: CredentialKind;
  state: (typeof useStates)[number];
  quotas: { resource: string; limit: number; remaining: number }[];
}

/** The cost of requests to a host so far. The provider adds to it with each request. */
export interface Cost {
  requests: number;
  /** The cost in the host's own unit, where it has one. */
  points: number;
}

/** A part of a response that could not be read, or that the host refused. It contains no value of the response. */
export interface SkippedPart {
  /**
   * The kind of the part, or of the item that it belongs to: `issue`, `review`, `repository`, `label`, ...;
   * `issue_or_pull_request` in a list of both kinds.
   */
  kind: string;
  reason: 'unreadable' | 'refused';
  /** The JSON path in the response, with `*` for a position in a list. */
  path: string;
  /** The host's message about a refusal; empty where it may hold private data. */
  explanation: string;
  /** True when the item is stored without the part; false when the item is left out. */
  isStored: boolean;
  /** True when the counts of the kind are complete without the part. */
  isCounted: boolean;
}

/**
 * The urgencies of calls, the most urgent first: each leaves a share of the quota to the urgencies before it
 * (`transport/limits.ts`).
 * `owner`: the owner of an account waits. `background`: a refresh of stored data, or the work on an installed
 * repository. `interactive`: a visitor waits. `bulk`: a first read of everything in the repositories of an account.
 */
export const urgencies = ['owner', 'background', 'interactive', 'bulk'] as const;
export type Urgency = (typeof urgencies)[number];

/** Returns whether a caller waits for the response to a call. */
export function hasCaller(urgency: Urgency): boolean {
  return urgency === 'owner' || urgency === 'interactive';
}

/** The terms of requests to a host: their urgency, their end, their cost and their credential. */
export interface Call {
  urgency: Urgency;
  signal: AbortSignal;
  cost: Cost;
  /** The name of the only credential that may be used; undefined: the credential with the most quota left is used. */
  credentialName?: string;
  /** Receives each part of a response that is skipped; undefined: skipped parts are not recorded. */
  onSkipped?: (part: SkippedPart) => void;
}

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
