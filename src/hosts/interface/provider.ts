import type { ContributionDetails, ItemKind } from '../../model/contribution.ts';
import { AppError } from '../../model/errors.ts';
import type { Accounts, PrivateData } from './accounts.ts';
import type { CredentialUse } from './call.ts';
import type { Deliveries } from './deliveries.ts';
import type { Diagnosis } from './diagnosis.ts';
import { type History, historyStream } from './history.ts';
import type { InstallableApp } from './installation.ts';
import type { Notifier } from './notifier.ts';
import type { Ownership, SignIn, Teams } from './ownership.ts';
import type { Polls } from './polls.ts';
import type { Details, Files, Repositories } from './repositories.ts';
import type { Stream, Streams } from './streams.ts';

/** Data about contributions that a host does not report to this service, or only sometimes. */
export interface UnreportedKind {
  kind: ItemKind | 'commit';
  /** The details that the host does not report; absent: it does not report the contributions themselves. */
  details?: readonly (keyof ContributionDetails)[];
  /** A sentence for people that begins with the host's name, without a full stop. */
  why: string;
  /** Present when the host reports some of the data, so that conditions on it can be met. */
  isPartial?: true;
}

export type * from './accounts.ts';
export type * from './call.ts';
export type * from './deliveries.ts';
export type * from './history.ts';
export type * from './known.ts';
export type * from './ownership.ts';
export type * from './polls.ts';
export type * from './repositories.ts';
export type * from './streams.ts';

/**
 * A code host, in parts. Accounts and repositories are required; every other part is absent where the host or the
 * configured credentials offer nothing of the kind, and its callers serve what remains.
 *
 * Every method throws AppError: `provider_rate_limited`, `provider_unavailable`, `provider_denied` or
 * `provider_invalid_response`; `not_found` for a deleted or hidden repository.
 */
export interface Provider {
  /** The provider's path segment in the service's URLs. */
  readonly name: string;
  /** The host's name, with its port where it is not the usual one, as in the addresses of its pages. */
  readonly host: string;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  /** The items of repositories: issues, pull requests and what else the host lists. */
  readonly streams?: Streams | undefined;
  /** The data that the configured credentials cannot read: each kind that no stream covers, and single details. */
  readonly unreported: readonly UnreportedKind[];
  /** Commits, which are read with git, and the accounts of their authors. */
  readonly history?: History | undefined;
  /** Details of commits and pull requests that are read for installed repositories. */
  readonly details?: Details | undefined;
  /** Files of repositories, such as achievements files. */
  readonly files?: Files | undefined;
  /** The polling of installed repositories. */
  readonly polls?: Polls | undefined;
  readonly privateData?: PrivateData | undefined;
  /** Webhook requests of the host. */
  readonly deliveries?: Deliveries | undefined;
  /** Proofs that a client owns an account. */
  readonly ownership?: Ownership | undefined;
  readonly signIn?: SignIn | undefined;
  /** The members of teams, for boards. */
  readonly teams?: Teams | undefined;
  /** The service's registration as an app that accounts install; absent: the operator alone installs accounts. */
  readonly app?: InstallableApp | undefined;
  /** Writes comments and checks; absent when the service has neither an app nor a token for writing. */
  readonly notifier?: Notifier | undefined;
  /**
   * Calls the host with every credential and reports the credential's state, the data that it shows and its remaining
   * quota. It never fails: a call that fails or takes too long becomes a state in the report.
   */
  readonly diagnose?: (signal: AbortSignal) => Promise<Diagnosis>;
  /** Returns the credentials, in the order of the settings, with the quotas that responses have stated. */
  readonly credentialUses?: () => CredentialUse[];
  close(): Promise<void>;
}

/** A provider that certainly has some of the optional parts. */
export type ProviderWith<Part extends keyof Provider> = Provider & {
  readonly [Name in Part]-?: NonNullable<Provider[Name]>;
};

/** Returns all streams of a provider, the history among them. */
export function listStreams({ history, streams }: Pick<Provider, 'history' | 'streams'>): Stream[] {
  return [...(history === undefined ? [] : [historyStream]), ...(streams?.list ?? [])];
}

/**
 * Returns a part of a provider for data that was stored with it.
 * @throws AppError `provider_denied` when the provider does not have it any more, as after the loss of a credential.
 */
export function requirePart<Part extends 'streams' | 'history'>(
  provider: Provider,
  part: Part,
): NonNullable<Provider[Part]> {
  const found = provider[part];
  if (found === undefined) throw new AppError('provider_denied', `The provider shows no ${part} any more.`);
  return found;
}
