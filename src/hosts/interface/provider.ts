import type { ContributionDetails, ItemKind } from '../../model/contribution.ts';
import { AppError } from '../../model/errors.ts';
import type { Accounts, PrivateData } from './accounts.ts';
import { type CredentialUse, seenBy } from './call.ts';
import type { Deliveries } from './deliveries.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { InstallableApp } from './installation.ts';
import type { Notifier } from './notifier.ts';
import type { Ownership, SignIn, Teams } from './ownership.ts';
import type { OwnerPolls, Polls } from './polls.ts';
import type { Details, Files, Repositories } from './repositories.ts';
import { type History, historyStream, type Stream, type Streams } from './streams.ts';

/** The functions of a provider that read a stored repository at its host. */
interface RepositoryReaders {
  readStream: Streams['read'];
  resolveIdentities: History['resolveIdentities'];
  readLineCounts: Details['readLineCounts'];
  readChangedFiles: Details['readChangedFiles'];
  readFiles: Files['read'];
  readTip: Polls['readTip'];
  readTotals: Polls['readTotals'];
}

/** All functions of a provider that read from its host. */
interface Readers extends RepositoryReaders {
  checkAccounts: NonNullable<Accounts['check']>;
  listRepositories: Repositories['list'];
  findRepository: Repositories['find'];
  maySee: NonNullable<PrivateData['maySee']>;
  administers: NonNullable<Ownership['administers']>;
  readTeam: Teams['readMembers'];
  readChanges: NonNullable<OwnerPolls['readChanges']>;
}

/** The same functions with the client of the host before their other parameters. */
export type ReadersByClient<Client> = {
  readonly [Name in keyof Readers]: (client: Client, ...rest: Parameters<Readers[Name]>) => ReturnType<Readers[Name]>;
};

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

/** Returns the readers for one client. They read a private repository with the credential that showed it. */
export function readersFor<Client>(
  client: Client,
  readers: Pick<ReadersByClient<Client>, keyof RepositoryReaders>,
): RepositoryReaders {
  return {
    readStream: (stream, repository, position, call) =>
      readers.readStream(client, stream, repository, position, seenBy(repository, call)),
    resolveIdentities: (repository, identities, call) =>
      readers.resolveIdentities(client, repository, identities, seenBy(repository, call)),
    readLineCounts: (repository, oids, call) =>
      readers.readLineCounts(client, repository, oids, seenBy(repository, call)),
    readChangedFiles: (repository, numbers, call) =>
      readers.readChangedFiles(client, repository, numbers, seenBy(repository, call)),
    readFiles: (repository, paths, call) => readers.readFiles(client, repository, paths, seenBy(repository, call)),
    readTip: (repository, call) => readers.readTip(client, repository, seenBy(repository, call)),
    readTotals: (repository, call) => readers.readTotals(client, repository, seenBy(repository, call)),
  };
}
