import type { Accounts, PrivateData } from './accounts.ts';
import type { History } from './history.ts';
import { seenBy } from './known.ts';
import type { Ownership, Teams } from './ownership.ts';
import type { OwnerPolls, Polls } from './polls.ts';
import type { Details, Files, Repositories } from './repositories.ts';
import type { Streams } from './streams.ts';

/** The functions of a provider that read a stored repository at its host. */
export interface RepositoryReaders {
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
