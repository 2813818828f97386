import { seenBy } from '../known.ts';
import type { ProviderWith } from '../provider.ts';
import { BearerClient } from '../rest/bearer/client.ts';
import { RestClient, type RestHostOptions } from '../rest/client.ts';
import { credentialNamesOf, gitAuthorization } from '../rest/views.ts';
import { type OAuthClient, OAuthSignIn } from '../transport/oauth.ts';
import { checkAccounts, refreshAccount, reportAccount } from './accounts.ts';
import { administers } from './administers.ts';
import { readChanges } from './changes.ts';
import { diagnose } from './diagnose.ts';
import { gitlabDialect } from './dialect.ts';
import { fileUrl, pageUrl, readFiles } from './files.ts';
import { resolveIdentities } from './identities.ts';
import { createNotifier } from './notifier.ts';
import { findRepository, listRepositories } from './projects.ts';
import { proveOwnership } from './prove.ts';
import { readChangedFiles, readLineCounts } from './streams/details.ts';
import { anonymousStreams, readStream, streams } from './streams/streams.ts';
import { readTip, readTotals } from './streams/tip.ts';
import { readTeam } from './teams.ts';
import { unreportedWith } from './unreported.ts';
import { readDelivery } from './webhooks.ts';

/**
 * Letters, digits, underscores, dots and hyphens; projects may begin with a dot.
 * https://docs.gitlab.com/user/reserved_names/
 */
const segment = /^(?!.*\.(?:git|atom|)$)[\w.][\w.-]{0,254}$/i;
/** The depth to which groups can be nested. */
const maxDepth = 20;

function isPossibleName(name: string): boolean {
  const parts = name.split('/');
  return parts.length <= maxDepth && parts.every((part) => segment.test(part));
}

/** The parts that this provider has for every host. */
type GitLabProvider = ProviderWith<
  'streams' | 'history' | 'details' | 'files' | 'polls' | 'privateData' | 'deliveries' | 'ownership' | 'diagnose'
>;

/**
 * Creates a provider for GitLab 16 or later, by REST and GraphQL. With tokens it includes private projects. GitLab has
 * no apps that owners could install: the operator configures tokens, and they show all that there is.
 */
export function createGitLabProvider(options: RestHostOptions): GitLabProvider {
  const { name, url, apiUrl, tokens } = options;
  const client = new RestClient(options, gitlabDialect);
  const bearers = new BearerClient(options, gitlabDialect);
  const signIn = options.oauth && signInOf({ ...options, client: options.oauth });
  return {
    name,
    host: new URL(url).host,
    accounts: {
      isPossibleName,
      urlOf: (account) =>
        account.type === 'organization'
          ? `${apiUrl}/groups/${encodeURIComponent(account.name)}`
          : `${apiUrl}/users?username=${encodeURIComponent(account.name)}`,
      idUrlOf: (externalId) => `${apiUrl}/users/${externalId}`,
      lookUp: (login, call) => reportAccount(client, login, call),
      refresh: (account, call) => refreshAccount(client, account, call),
      reportsTotals: false,
      check: (accounts, call) => checkAccounts(client, accounts, call),
    },
    repositories: {
      isPossibleName: (repository) => segment.test(repository),
      pageOf: (owner, repository, item) => pageUrl(url, { owner, name: repository }, item),
      urlOf: (owner, repository) => `${apiUrl}/projects/${encodeURIComponent(`${owner}/${repository}`)}`,
      list: (owner, cursor, call) => listRepositories(client, owner, cursor, call),
      find: (owner, repository, which, call) => findRepository(client, owner, repository, which, call),
    },
    unreported: unreportedWith(tokens.length > 0),
    ...partsOfRepositories(client, options),
    privateData: { credentialNames: () => credentialNamesOf(client) },
    deliveries: { read: (headers) => readDelivery(options.webhookSecret, headers) },
    ownership: {
      prove: (credential, login, signal) =>
        proveOwnership(bearers, credential, isPossibleName(login) ? login : null, signal),
      administers: (organization, person, call) => administers(client, organization, person, call),
    },
    teams: { readMembers: (place, call) => readTeam(client, place, call) },
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
 * https://docs.gitlab.com/integration/openid_connect_provider/
 * The issuer is the instance's address without a slash (gitlabhq/gitlabhq,
 * config/initializers/doorkeeper_openid_connect.rb).
 */
function signInOf(options: RestHostOptions & { client: OAuthClient }): OAuthSignIn {
  const paths = { authorize: '/oauth/authorize', token: '/oauth/token' };
  return new OAuthSignIn({ ...options, paths, issuers: [options.url], scope: 'openid read_api' });
}

/** Returns the parts that read stored repositories, a private one with the token that showed it. */
function partsOfRepositories(
  client: RestClient,
  { url, tokens }: RestHostOptions,
): Pick<GitLabProvider, 'streams' | 'history' | 'details' | 'files' | 'polls'> {
  return {
    streams: {
      list: tokens.length === 0 ? anonymousStreams : streams,
      read: (stream, repository, position, call) =>
        readStream(client, stream, repository, position, seenBy(repository, call)),
    },
    history: {
      remoteOf: async ({ owner, name, credentialName }) => ({
        url: `${url}/${[...owner.split('/'), name].map(encodeURIComponent).join('/')}.git`,
        authorization: gitAuthorization(client, credentialName),
      }),
      // This number of addresses takes five queries.
      identitiesAtOnce: 40,
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
        intervalMs: 30_000,
        // Half of the requests that an instance allows by default where limits are switched on: 7,200 an hour
        // (docs.gitlab.com, user and IP rate limits).
        maxCostPerHour: 3600 * Math.max(1, tokens.length),
        readChanges: (owner, known, call) => readChanges(client, owner, known, call),
      },
      // A fifth of the 7,200 requests that an instance allows by default where limits are switched on, at some thirty
      // requests a poll. Public projects are read with the first token, so that others add nothing.
      repositories: { perHour: 48, quotas: 1 },
      readTip: (repository, call) => readTip(client, repository, seenBy(repository, call)),
      readTotals: (repository, call) => readTotals(client, repository, seenBy(repository, call)),
    },
  };
}
