import type { ProviderWith } from '../interface/provider.ts';
import { readersFor } from '../interface/repository-readers.ts';
import type { RestClient, RestHostOptions } from '../rest/client.ts';
import { createRestHost } from '../rest/host.ts';
import { proofByToken } from '../rest/prove.ts';
import type { AuthorizationServer } from '../transport/oauth.ts';
import { accountPath, checkAccounts, refreshAccount, reportAccount, toActor } from './accounts.ts';
import { administers } from './administers.ts';
import { readChanges } from './changes.ts';
import { diagnose } from './diagnose.ts';
import { giteaDialect } from './dialect.ts';
import { fileUrl, pageUrl, readFiles } from './files.ts';
import { createGitRemote } from './git-remote.ts';
import { resolveIdentities } from './identities.ts';
import { maySee } from './may-see.ts';
import { createNotifier } from './notifier.ts';
import { UserPayload } from './payloads.ts';
import { administered } from './prove.ts';
import { findRepository, listRepositories, repositoryPath } from './repositories.ts';
import { readChangedFiles, readLineCounts } from './streams/details.ts';
import { readStream, streams } from './streams/streams.ts';
import { readTip, readTotals } from './streams/tip.ts';
import { readTeam } from './teams.ts';
import { unreported } from './unreported.ts';
import { readDelivery } from './webhooks.ts';

/** Returns whether an account or a repository may have a name. Older names do not follow the stricter rules for new ones. */
function isPossibleName(name: string): boolean {
  return /^(?!\.{1,2}$)[\w.-]{1,100}$/.test(name);
}

/** The parts that this provider has for every host. */
type GiteaProvider = ProviderWith<
  'streams' | 'history' | 'details' | 'files' | 'polls' | 'privateData' | 'deliveries' | 'ownership' | 'diagnose'
>;

/**
 * Creates a provider for Gitea 1.21 or later, or Forgejo, by its REST API. With tokens it includes private
 * repositories. Gitea has no apps that owners could install, so that only the operator's tokens decide which private
 * data the service sees.
 */
export function createGiteaProvider(options: RestHostOptions): GiteaProvider {
  const { url, apiUrl } = options;
  const { client, bearers, parts } = createRestHost(options, giteaDialect, authorizationServerAt(url));
  return {
    ...parts,
    accounts: {
      isPossibleName,
      urlOf: (account) => `${apiUrl}${accountPath(account.name)}`,
      idUrlOf: (externalId) => `${apiUrl}/users/search?uid=${externalId}`,
      lookUp: (login, call) => reportAccount(client, login, call),
      refresh: (account, call) => refreshAccount(client, account, call),
      reportsTotals: false,
      check: (accounts, call) => checkAccounts(client, accounts, call),
      // A request for each account, one a second.
      checkLimits: { atOnce: 20, perHour: 3600 },
    },
    repositories: {
      isPossibleName,
      urlOf: (owner, repository) => `${apiUrl}${repositoryPath({ owner, name: repository })}`,
      pageOf: (owner, repository, item) => pageUrl(url, { owner, name: repository }, item),
      list: (owner, cursor, call) => listRepositories(client, owner, cursor, call),
      find: (owner, repository, which, call) => findRepository(client, owner, repository, which, call),
    },
    unreported,
    ...partsOfRepositories(client, url),
    privateData: {
      ...parts.privateData,
      maySee: (repository, person, call) => maySee(client, repository, person, call),
    },
    deliveries: { read: (headers) => readDelivery(options.webhookSecret, headers) },
    ownership: {
      prove: proofByToken(bearers, { isPossibleName, user: UserPayload, toActor, administered }),
      administers: (organization, person, call) => administers(client, organization, person, call),
    },
    teams: { readMembers: (team, call) => readTeam(client, team, call) },
    notifier: createNotifier(client),
    diagnose: (signal) => diagnose(client, signal),
  };
}

/**
 * Returns the server with which people sign in, without OpenID Connect: the issuer in ID tokens differs between versions,
 * by a slash at its end.
 * https://docs.gitea.com/development/oauth2-provider
 */
function authorizationServerAt(url: string): AuthorizationServer {
  return {
    paths: { authorize: '/login/oauth/authorize', token: '/login/oauth/access_token' },
    issuers: [url, `${url}/`],
    scope: 'read:user read:organization',
  };
}

/** Returns the parts that read stored repositories. */
function partsOfRepositories(
  client: RestClient,
  url: string,
): Pick<GiteaProvider, 'streams' | 'history' | 'details' | 'files' | 'polls'> {
  const readers = readersFor(client, {
    readStream,
    resolveIdentities,
    readLineCounts,
    readChangedFiles,
    readFiles,
    readTip,
    readTotals,
  });
  return {
    streams: { list: streams, read: readers.readStream },
    history: {
      remoteOf: createGitRemote(client, url),
      // Each lookup may take a request.
      identitiesAtOnce: 20,
      resolveIdentities: readers.resolveIdentities,
    },
    details: { readLineCounts: readers.readLineCounts, readChangedFiles: readers.readChangedFiles },
    files: { read: readers.readFiles, urlOf: (repository, path) => fileUrl(url, repository, path) },
    polls: {
      owners: {
        // At most five requests a second on average. A poll of an owner with one page and one token costs three.
        intervalMs: 30_000,
        maxCostPerHour: 18_000,
        readChanges: (owner, known, call) => readChanges(client, owner, known, call),
      },
      // Each poll costs some twenty requests. There is one limit for all tokens, the capacity of the host's machine.
      repositories: { perHour: 250, quotas: 1 },
      readTip: readers.readTip,
      readTotals: readers.readTotals,
    },
  };
}
