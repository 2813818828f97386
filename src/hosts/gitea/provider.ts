import { type ProviderWith, readersFor, type UnreportedKind } from '../interface/provider.ts';
import { toItemUrl } from '../interface/repositories.ts';
import { proofByToken } from '../rest/access.ts';
import type { Dialect, RestClient, RestHostOptions } from '../rest/client.ts';
import { createRestHost } from '../rest/host.ts';
import type { AuthorizationServer } from '../transport/oauth.ts';
import { administered, administers, maySee, readTeam } from './access.ts';
import { accountPath, checkAccounts, refreshAccount, reportAccount, resolveIdentities, toActor } from './accounts.ts';
import { readChanges } from './changes.ts';
import { diagnose } from './diagnose.ts';
import { createNotifier } from './notifier.ts';
import { UserPayload } from './payloads.ts';
import {
  createGitRemote,
  fileUrl,
  findRepository,
  itemFolders,
  listRepositories,
  readFiles,
  repositoryPath,
} from './repositories.ts';
import { readChangedFiles, readLineCounts, readStream, readTip, readTotals, streams } from './streams.ts';
import { readDelivery } from './webhooks.ts';

/** Lists the facts that neither Gitea nor Forgejo reports, with a token or without. https://docs.gitea.com/api/ */
export const unreported: readonly UnreportedKind[] = [
  // `/stargazers` has no times, and there is no webhook event for a star.
  { kind: 'star', why: 'Gitea and Forgejo do not report the times of stars' },
  { kind: 'discussion', why: 'Gitea and Forgejo have no discussions' },
  { kind: 'issue', details: ['reason'], why: 'Gitea and Forgejo do not report why an issue was closed' },
  {
    kind: 'pull_request',
    details: ['commits'],
    why: 'Gitea and Forgejo do not report how many commits a pull request has',
  },
  {
    kind: 'pull_request',
    details: ['additions', 'deletions', 'changedFiles'],
    why: 'Gitea up to 1.22 and older Forgejo do not report how large a pull request is',
    isPartial: true,
  },
  {
    kind: 'review_comment',
    details: ['reactions'],
    why: 'Gitea and Forgejo do not report reactions to comments at lines',
  },
];

/**
 * Gitea's version of REST. No header states limits or scopes; the body of a refusal names missing scopes.
 * https://docs.gitea.com/development/api-usage
 */
const giteaDialect: Dialect = {
  apiPath: '/api/v1',
  // 50 is the default maximum of Gitea, which silently returns fewer items when a request exceeds it.
  pageSize: { parameter: 'limit', most: 50 },
  totalHeader: 'x-total-count',
  limitsEndpoints: false,
  requestHeaders: (secret) => ({
    accept: 'application/json',
    'user-agent': 'plaudit',
    ...(secret !== undefined && { authorization: `token ${secret}` }),
  }),
  // `token does not have at least one of required scope(s): [read:user read:organization]`
  missingScopes: (text) => {
    const [, scopes] = /required scope\(s\)[^[]{0,40}\[([a-z:, ]{1,200})\]/.exec(text.slice(0, 2000)) ?? [];
    return scopes?.trim().split(/[, ]+/).join(' or ');
  },
  limitReport: () => undefined,
};

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
      toUrl: (account) => `${apiUrl}${accountPath(account.name)}`,
      toIdUrl: (externalId) => `${apiUrl}/users/search?uid=${externalId}`,
      lookUp: (login, call) => reportAccount(client, login, call),
      refresh: (account, call) => refreshAccount(client, account, call),
      reportsTotals: false,
      check: (accounts, call) => checkAccounts(client, accounts, call),
      // A request for each account, one a second.
      checkLimits: { atOnce: 20, perHour: 3600 },
    },
    repositories: {
      isPossibleName,
      toUrl: (owner, repository) => `${apiUrl}${repositoryPath({ owner, name: repository })}`,
      toPageUrl: (owner, repository, item) => toItemUrl(url, { owner, name: repository }, item, itemFolders),
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
      toRemote: createGitRemote(client, url),
      // Each lookup may take a request.
      identitiesAtOnce: 20,
      resolveIdentities: readers.resolveIdentities,
    },
    details: { readLineCounts: readers.readLineCounts, readChangedFiles: readers.readChangedFiles },
    files: { read: readers.readFiles, toUrl: (repository, path) => fileUrl(url, repository, path) },
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
