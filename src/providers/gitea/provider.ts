import type { DeliveryHeaders, Provider } from '../provider.ts';
import { BearerClient } from '../rest/bearer/client.ts';
import { RestClient } from '../rest/client.ts';
import { readersOf } from '../rest/readers.ts';
import { accessesOf, seenBy } from '../rest/views.ts';
import { accountPath, checkAccounts, refreshAccount, reportAccount } from './accounts.ts';
import { createAnnouncer } from './announcer.ts';
import { readChanges } from './changes.ts';
import { diagnose } from './diagnose.ts';
import { giteaDialect } from './dialect.ts';
import { fileUrl, readFiles } from './files.ts';
import { createGitRemote } from './git-remote.ts';
import { resolveIdentities } from './identities.ts';
import { proveOwnership } from './prove.ts';
import { findRepository, listRepositories, repositoryPath } from './repositories.ts';
import { readChangedFiles, readLineCounts } from './streams/details.ts';
import { readStream, streams } from './streams/streams.ts';
import { readTip, readTotals } from './streams/tip.ts';
import { unreported } from './unreported.ts';
import { readDelivery } from './webhooks.ts';

export interface GiteaOptions {
  name: string;
  url: string;
  apiUrl: string;
  tokens: readonly string[];
  webhookSecret: string | undefined;
  connectTimeoutMs: number;
  now: () => Date;
}

/** Letters, digits, and hyphens, underscores and dots between them; for older names the rules were less strict. */
const possibleName = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/**
 * Creates a provider for Gitea 1.21 or later, or Forgejo, by its REST API. With tokens it includes private
 * repositories.
 */
export function createGiteaProvider(options: GiteaOptions): Provider {
  const { name, url, apiUrl } = options;
  const client = new RestClient(options, giteaDialect);
  const bearers = new BearerClient(options, giteaDialect);
  return {
    name,
    isPossibleName: (login) => possibleName.test(login),
    isPossibleRepositoryName: (repository) => possibleName.test(repository),
    accountUrl: (account) => `${apiUrl}${accountPath(account.name)}`,
    repositoryUrl: (owner, repository) => `${apiUrl}${repositoryPath({ owner, name: repository })}`,
    lookUp: (login, call) => reportAccount(client, login, call),
    refresh: (account, call) => refreshAccount(client, account, call),
    checkAccounts: (accounts, call) => checkAccounts(client, accounts, call),
    totalsFromStored: true,
    accesses: () => accessesOf(client),
    // Gitea reports no totals of the items that the bearer of a token may see.
    async *seenTotals() {},
    proveOwnership: (credential, login, signal) =>
      proveOwnership(bearers, credential, possibleName.test(login) ? login : null, signal),
    listRepositories: (owner, cursor, call) => listRepositories(client, owner, cursor, call),
    ownerPolls: {
      // Five requests a second. A poll of an owner with one page and one token costs three.
      intervalMs: 30_000,
      maxCostPerHour: 18_000,
      readChanges: (owner, known, call) => readChanges(client, owner, known, call),
    },
    findRepository: (owner, repository, which, call) => findRepository(client, owner, repository, which, call),
    streams,
    unreported: unreported,
    readStream: (stream, repository, position, call) =>
      readStream(client, stream, repository, position, seenBy(repository, call)),
    readDelivery: (headers: DeliveryHeaders, body: Buffer) => readDelivery(options.webhookSecret, headers, body),
    // Each lookup may take a request.
    identitiesAtOnce: 20,
    ...readersOf(client, { readTip, readTotals, readFiles, readLineCounts, readChangedFiles, resolveIdentities }),
    fileUrl: (repository, path) => fileUrl(url, repository, path),
    // Gitea has no apps that owners could install: the operator configures tokens, and they show all that there is.
    app: undefined,
    announcer: createAnnouncer(client),
    gitRemote: createGitRemote(client, url),
    diagnose: (signal) => diagnose(client, signal),
    close: async () => {
      await Promise.all([client.close(), bearers.close()]);
    },
  };
}
