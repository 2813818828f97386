import { seenBy } from '../known.ts';
import type { ProviderWith } from '../provider.ts';
import { BearerClient } from '../rest/bearer/client.ts';
import { RestClient, type RestHostOptions } from '../rest/client.ts';
import { credentialNamesOf } from '../rest/views.ts';
import { type OAuthClient, OAuthSignIn } from '../transport/oauth.ts';
import { accountPath, checkAccounts, refreshAccount, reportAccount } from './accounts.ts';
import { administers } from './administers.ts';
import { readChanges } from './changes.ts';
import { diagnose } from './diagnose.ts';
import { giteaDialect } from './dialect.ts';
import { fileUrl, pageUrl, readFiles } from './files.ts';
import { createGitRemote } from './git-remote.ts';
import { resolveIdentities } from './identities.ts';
import { createNotifier } from './notifier.ts';
import { proveOwnership } from './prove.ts';
import { findRepository, listRepositories, repositoryPath } from './repositories.ts';
import { readChangedFiles, readLineCounts } from './streams/details.ts';
import { readStream, streams } from './streams/streams.ts';
import { readTip, readTotals } from './streams/tip.ts';
import { readTeam } from './teams.ts';
import { unreported } from './unreported.ts';
import { readDelivery } from './webhooks.ts';

/** Possible names of accounts and repositories. Older names do not follow the stricter rules for new ones. */
const possibleName = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

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
  const { name, url, apiUrl } = options;
  const client = new RestClient(options, giteaDialect);
  const bearers = new BearerClient(options, giteaDialect);
  const signIn = options.oauth && signInOf({ ...options, client: options.oauth });
  return {
    name,
    host: new URL(url).host,
    accounts: {
      isPossibleName: (login) => possibleName.test(login),
      urlOf: (account) => `${apiUrl}${accountPath(account.name)}`,
      idUrlOf: (externalId) => `${apiUrl}/users/search?uid=${externalId}`,
      lookUp: (login, call) => reportAccount(client, login, call),
      refresh: (account, call) => refreshAccount(client, account, call),
      reportsTotals: false,
      check: (accounts, call) => checkAccounts(client, accounts, call),
    },
    repositories: {
      isPossibleName: (repository) => possibleName.test(repository),
      urlOf: (owner, repository) => `${apiUrl}${repositoryPath({ owner, name: repository })}`,
      pageOf: (owner, repository, item) => pageUrl(url, { owner, name: repository }, item),
      list: (owner, cursor, call) => listRepositories(client, owner, cursor, call),
      find: (owner, repository, which, call) => findRepository(client, owner, repository, which, call),
    },
    unreported,
    ...partsOfRepositories(client, url),
    privateData: { credentialNames: () => credentialNamesOf(client) },
    deliveries: { read: (headers) => readDelivery(options.webhookSecret, headers) },
    ownership: {
      prove: (credential, login, signal) =>
        proveOwnership(bearers, credential, possibleName.test(login) ? login : null, signal),
      administers: (organization, person, call) => administers(client, organization, person, call),
    },
    teams: { readMembers: (team, call) => readTeam(client, team, call) },
    signIn,
    notifier: createNotifier(client),
    diagnose: (signal) => diagnose(client, signal),
    credentialUses: () => client.credentials.uses(client.now()),
    close: async () => {
      await Promise.all([client.close(), bearers.close(), signIn?.close()]);
    },
  };
}

/**
 * Signs people in without OpenID Connect: the issuer in ID tokens differs between versions, by a slash at its end.
 * https://docs.gitea.com/development/oauth2-provider
 */
function signInOf(options: RestHostOptions & { client: OAuthClient }): OAuthSignIn {
  const paths = { authorize: '/login/oauth/authorize', token: '/login/oauth/access_token' };
  return new OAuthSignIn({
    ...options,
    paths,
    issuers: [options.url, `${options.url}/`],
    scope: 'read:user read:organization',
  });
}

/** Returns the parts that read stored repositories; they read a private one with the token that showed it. */
function partsOfRepositories(
  client: RestClient,
  url: string,
): Pick<GiteaProvider, 'streams' | 'history' | 'details' | 'files' | 'polls'> {
  return {
    streams: {
      list: streams,
      read: (stream, repository, position, call) =>
        readStream(client, stream, repository, position, seenBy(repository, call)),
    },
    history: {
      remoteOf: createGitRemote(client, url),
      // Each lookup may take a request.
      identitiesAtOnce: 20,
      resolveIdentities: (repository, identities, call) =>
        resolveIdentities(client, repository, identities, seenBy(repository, call)),
    },
    details: {
      readLineCounts: (repository, oids, call) => readLineCounts(client, repository, oids, seenBy(repository, call)),
      readChangedFiles: (repository, numbers, call) =>
        readChangedFiles(client, repository, numbers, seenBy(repository, call)),
    },
    files: {
      read: (repository, paths, call) => readFiles(client, repository, paths, seenBy(repository, call)),
      urlOf: (repository, path) => fileUrl(url, repository, path),
    },
    polls: {
      owners: {
        // At most five requests a second on average. A poll of an owner with one page and one token costs three.
        intervalMs: 30_000,
        maxCostPerHour: 18_000,
        readChanges: (owner, known, call) => readChanges(client, owner, known, call),
      },
      // Each poll costs some twenty requests. There is one limit for all tokens, the capacity of the host's machine.
      repositories: { perHour: 250, quotas: 1 },
      readTip: (repository, call) => readTip(client, repository, seenBy(repository, call)),
      readTotals: (repository, call) => readTotals(client, repository, seenBy(repository, call)),
    },
  };
}
