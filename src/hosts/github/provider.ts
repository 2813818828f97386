import { isDenied } from '../interface/denied.ts';
import {
  type AccountReport,
  type Accounts,
  type Call,
  type ContributionPage,
  type History,
  type KnownAccount,
  type KnownRepository,
  type Provider,
  type ProviderWith,
  type Repositories,
  readersFor,
  type UnreportedKind,
} from '../interface/provider.ts';
import { toItemUrl, toRepositoryUrl } from '../interface/repositories.ts';
import type { OnExchange } from '../transport/http-transport.ts';
import { type OAuthClient, OAuthSignIn } from '../transport/oauth.ts';
import { administers, BearerClient, maySee, proveOwnership, readTeam } from './access.ts';
import { checkAccounts, reportAccount } from './accounts.ts';
import { isBotName, isGhostName } from './actors.ts';
import {
  anonymousStreams,
  findRepositoryByRest,
  listRepositoriesByRest,
  readIssuesByRest,
  reportByRest,
  resolveIdentitiesByRest,
} from './anonymous.ts';
import { GitHubApp } from './app/github-app.ts';
import { countDays, fetchCalendar } from './calendar.ts';
import { GitHubClient } from './client.ts';
import { type AppIdentity, anonymousCredentialName } from './credentials.ts';
import { diagnose } from './diagnose.ts';
import { isAboutIpAddress } from './failures.ts';
import { resolveIdentities } from './identities.ts';
import {
  findRepository,
  itemFolders,
  listRepositories,
  privateCredentialNames,
  readFiles,
  searchUrl,
} from './repositories.ts';
import { withoutOwnComments } from './streams/comments.ts';
import { readChangedFiles, readLineCounts } from './streams/items.ts';
import { readStream, readTip, readTotals, tokenStreams } from './streams/streams.ts';
import { readDelivery } from './webhooks.ts';

/**
 * Since 30 June 2026 GitHub shows the accounts that starred a repository only to its administrators and collaborators,
 * and refuses the list to Apps; deliveries of `star` continue.
 * https://github.com/djangopackages/djangopackages/issues/1624
 */
const unreported: readonly UnreportedKind[] = [
  {
    kind: 'star',
    why:
      'GitHub shows who starred a repository to its collaborators alone, so that other tokens and Apps count only the ' +
      'stars that a webhook reports',
    isPartial: true,
  },
  // Each page of pull requests would cost a point more for each hundred of its reviews.
  {
    kind: 'review',
    details: ['comments'],
    why: 'GitHub counts the comments of a review only at the cost of many more requests, so that they are not read',
  },
];

const forTokens = 'GitHub shows this only to requests with a token';

const anonymousUnreported: readonly UnreportedKind[] = (
  ['review', 'discussion', 'issue_comment', 'pull_request_comment', 'review_comment', 'star'] as const
).map((kind) => ({ kind, why: forTokens }));

interface GitHubOptions {
  name: string;
  url: string;
  apiUrl: string;
  tokens: readonly string[];
  webhookSecret: string | undefined;
  app: AppIdentity | undefined;
  oauth?: OAuthClient | undefined;
  connectTimeoutMs: number;
  onExchange?: OnExchange | undefined;
  now: () => Date;
}

/** Letters, digits and single hyphens; older and enterprise names also have underscores; apps end with `[bot]`. */
const possibleName = /^[a-z\d](?:[a-z\d_-]{0,38})(?:\[bot\])?$/i;
/** The points an hour that polls may spend: a fifth of the 5,000 of a token. */
const pointsForPolls = 1000;
/** The cost of one `repositoryTip` query in points. */
const pointsOfPoll = 4;
const possibleRepositoryName = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/**
 * The most addresses for one lookup. With a token, one query reads a hundred commits; without a token, each address may
 * need one of the 60 requests an hour.
 */
const identitiesAtOnce = { withToken: 100, anonymous: 10 };

/** The parts that this provider has with and without a token. */
export type GitHubProvider = ProviderWith<'streams' | 'history' | 'files' | 'deliveries' | 'ownership' | 'diagnose'>;

/** Creates the provider for github.com or an enterprise server. Without a token it uses only the REST API. */
export function createGitHubProvider(options: GitHubOptions): GitHubProvider {
  const { name, url, apiUrl, now } = options;
  const client = new GitHubClient(options);
  const bearers = new BearerClient(options, client.restVersion);
  const app =
    options.app && new GitHubApp({ ...options, app: options.app, restVersion: client.restVersion }, client.credentials);
  const signIn = options.oauth && createSignIn({ ...options, client: options.oauth });
  const { isAnonymous } = client.credentials;
  const toRemote: History['toRemote'] = async (repository, signal) => ({
    url: `${toRepositoryUrl(url, repository)}.git`,
    authorization: await gitAuthorization(client, repository.credentialName, signal),
  });
  return {
    name,
    host: new URL(url).host,
    accounts: {
      isPossibleName: (login) => possibleName.test(login) && !isGhostName(login),
      toUrl: ({ name: login }) => `${apiUrl}${accountPath(login)}`,
      toIdUrl: (externalId) => `${apiUrl}${idPath(externalId)}`,
      reportsTotals: true,
      toSearchUrl: (login, counter) => searchUrl(url, login, counter),
      ...(isAnonymous ? anonymousAccounts(client) : accountsByToken(client, now)),
    },
    repositories: {
      isPossibleName: (repository) => possibleRepositoryName.test(repository),
      toUrl: (owner, repository) => `${apiUrl}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}`,
      toPageUrl: (owner, repository, item) => toItemUrl(url, { owner, name: repository }, item, itemFolders),
      ...(isAnonymous ? anonymousRepositories(client) : repositoriesByToken(client)),
    },
    unreported: unreportedWith(!isAnonymous),
    ...(isAnonymous
      ? anonymousParts(client, { ...options, toRemote })
      : partsByToken(client, app, { ...options, toRemote })),
    deliveries: {
      read: (headers) =>
        readDelivery(options.webhookSecret, headers, (installation) => app?.isUsed(installation) ?? true),
    },
    ownership: {
      prove: (credential, login, signal) =>
        proveOwnership(bearers, credential, possibleName.test(login) ? login : null, signal),
      administers: (organization, person, call) => administers({ client, app }, organization, person, call),
    },
    teams: { readMembers: (team, call) => readTeam({ client, app }, team, call) },
    signIn,
    app,
    notifier: app?.notifier,
    diagnose: (signal) => diagnose({ client, app, tokens: options.tokens, now }, signal),
    credentialUses: () => client.credentials.uses(),
    close: async () => {
      await Promise.all([client.close(), bearers.close(), app?.close(), signIn?.close()]);
    },
  };
}

const gitHubIssuer = 'https://github.com/login/oauth';

/**
 * Signs people in by the user authorization of a GitHub App, whose tokens have the rights of the App, not scopes.
 * https://docs.github.com/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app
 * Accepts the documented issuer of GitHub.com too, because some instances name a wrong issuer.
 * https://docs.github.com/apps/github-authentication-discovery-endpoints
 */
function createSignIn(options: GitHubOptions & { client: OAuthClient }): OAuthSignIn {
  const paths = { authorize: '/login/oauth/authorize', token: '/login/oauth/access_token' };
  return new OAuthSignIn({ ...options, paths, issuers: [`${options.url}/login/oauth`, gitHubIssuer], scope: '' });
}

type AccountReaders = Pick<Accounts, 'lookUp' | 'refresh' | 'check' | 'checkLimits' | 'fetchCalendar' | 'countDays'>;
type RepositoryReaders = Pick<Repositories, 'list' | 'find'>;

/** Returns the readers of accounts without a token. None checks accounts: callers' lookups need the 60 requests. */
function anonymousAccounts(client: GitHubClient): AccountReaders {
  return {
    lookUp: (login, call) => reportByRest(client, accountPath(login), call),
    refresh: (account, call) => reportByRest(client, idPath(account.externalId), call),
  };
}

function accountsByToken(client: GitHubClient, now: () => Date): AccountReaders {
  return {
    // GraphQL does not find bots by name.
    lookUp: (login, call) =>
      isBotName(login)
        ? reportByRest(client, accountPath(login), call)
        : reportOrAnonymously(
            reportAccount(client, { name: login, handle: undefined, counting: 'public' }, null, call, now()),
            () => reportByRest(client, accountPath(login), withoutCredential(call)),
          ),
    refresh: (account, call) =>
      account.type === 'bot'
        ? reportByRest(client, idPath(account.externalId), call)
        : reportOrAnonymously(
            reportAccount(client, { ...known(account), counting: 'public' }, account.memory, call, now()),
            () => reportByRest(client, idPath(account.externalId), withoutCredential(call)),
          ),
    check: (accounts, call) => checkAccounts(client, accounts, call),
    // GitHub takes up to 100 ids in a query, which costs one of 5,000 points an hour.
    checkLimits: { atOnce: 100, perHour: 24_000 },
    fetchCalendar: (account, call) => fetchCalendar(client, account, call, now()),
    countDays: (account, range, call) => countDays(client, account, range, call, now()),
  };
}

function anonymousRepositories(client: GitHubClient): RepositoryReaders {
  return {
    list: (owner, cursor, call) => listRepositoriesByRest(client, owner, cursor, call),
    find: (owner, repository, _options, call) => findRepositoryByRest(client, owner, repository, call),
  };
}

function repositoriesByToken(client: GitHubClient): RepositoryReaders {
  return {
    list: (owner, cursor, call) => listRepositories(client, owner, cursor, call),
    find: (owner, repository, which, call) =>
      orAnonymously(findRepository(client, owner, repository, which, call), () =>
        findRepositoryByRest(client, owner, repository, withoutCredential(call)),
      ),
  };
}

interface Site {
  url: string;
  toRemote: History['toRemote'];
  tokens: readonly string[];
}

type RequiredParts = Pick<GitHubProvider, 'streams' | 'history' | 'files'>;

/** Returns the parts that read repositories without a token: GitHub then shows only issues and pull requests. */
function anonymousParts(client: GitHubClient, { url, toRemote }: Site): RequiredParts {
  return {
    streams: {
      list: anonymousStreams,
      read: (_stream, repository, position, call) => readIssuesByRest(client, repository, position, call),
    },
    history: {
      toRemote,
      identitiesAtOnce: identitiesAtOnce.anonymous,
      resolveIdentities: (repository, identities, call) =>
        resolveIdentitiesByRest(client, repository, identities, call),
    },
    // Files are not read, but the URLs of icons that were stored with a token stay valid.
    files: { read: async () => null, toUrl: (repository, path) => toFileUrl(url, repository, path) },
  };
}

/** Returns the parts that read repositories with a token. */
function partsByToken(
  client: GitHubClient,
  app: GitHubApp | undefined,
  { url, toRemote, tokens, now }: Site & { now: () => Date },
): RequiredParts & Pick<Provider, 'details' | 'polls' | 'privateData'> {
  const readers = readersFor(client, {
    readStream,
    resolveIdentities,
    readLineCounts,
    readChangedFiles,
    readFiles,
    readTip,
    readTotals,
  });
  const withoutOwn = async (page: ContributionPage, call: Call): Promise<ContributionPage> =>
    app === undefined ? page : withoutOwnComments(page, () => app.botName(call));
  return {
    streams: {
      list: tokenStreams,
      read: async (stream, repository, position, call) =>
        withoutOwn(await readers.readStream(stream, repository, position, call), call),
    },
    history: {
      toRemote,
      identitiesAtOnce: identitiesAtOnce.withToken,
      resolveIdentities: readers.resolveIdentities,
    },
    details: { readLineCounts: readers.readLineCounts, readChangedFiles: readers.readChangedFiles },
    files: { read: readers.readFiles, toUrl: (repository, path) => toFileUrl(url, repository, path) },
    polls: {
      // Listings show every change. With deliveries, polls may be rare, because GitHub also delivers lost visibility.
      get owners() {
        const intervalMs = app?.takesDeliveries === true ? 900_000 : 30_000;
        return { intervalMs, maxCostPerHour: pointsForPolls * Math.max(1, client.credentials.tokens.length) };
      },
      repositories: { perHour: pointsForPolls / pointsOfPoll, quotas: Math.max(1, tokens.length) },
      readTip: async (repository, call) => {
        const tip = await readers.readTip(repository, call);
        return tip && { ...tip, page: await withoutOwn(tip.page, call) };
      },
      readTotals: readers.readTotals,
    },
    privateData: {
      credentialNames: (account) => privateCredentialNames(client, account),
      maySee: (repository, person, call) => maySee(client, repository, person, call),
      fetchTotals: (account, call) =>
        reportAccount(client, { ...known(account), counting: 'seen' }, account.memory, call, now()),
    },
  };
}

function known({ name, handle }: KnownAccount): { name: string; handle: string } {
  return { name, handle };
}

function toFileUrl(url: string, repository: Pick<KnownRepository, 'owner' | 'name'>, path: string): string {
  return toRepositoryUrl(url, repository, ['raw', 'HEAD', ...path.split('/')]);
}

/** Returns the `Authorization` of git; undefined for a public repository, which git reads without a credential. */
async function gitAuthorization(
  client: GitHubClient,
  credentialName: string | null,
  signal: AbortSignal,
): Promise<string | undefined> {
  const secret = await client.credentials.tokens.find((token) => token.name === credentialName)?.secret?.get(signal);
  return secret && `Basic ${Buffer.from(`x-access-token:${secret}`).toString('base64')}`;
}

/** https://docs.github.com/en/rest/users/users#get-a-user-using-their-id */
function idPath(externalId: string): string {
  return `/user/${externalId}`;
}

function accountPath(login: string): string {
  return `/users/${encodeURIComponent(login)}`;
}

/**
 * Returns the kinds of data that GitHub does not report, or not always.
 * @param hasCredential true when requests have a credential.
 */
export function unreportedWith(hasCredential: boolean): readonly UnreportedKind[] {
  return hasCredential ? unreported : anonymousUnreported;
}

/**
 * Returns the call without a credential. An organization with an IP allow list refuses credentials from other addresses
 * even for public resources, but shows these to requests without a credential ("Public resources, when accessed
 * anonymously":
 * https://docs.github.com/organizations/keeping-your-organization-secure/managing-allowed-ip-addresses-for-your-organization).
 */
function withoutCredential(call: Call): Call {
  return { ...call, credentialName: anonymousCredentialName };
}

/**
 * Returns the result of a request. If an IP allow list refuses it, returns the result of the request without a
 * credential.
 */
async function orAnonymously<Result>(result: Promise<Result>, anonymously: () => Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (!isRefusedAddress(error)) throw error;
    return anonymously();
  }
}

/** Yields reports on an account. If an IP allow list refuses the lookup, yields those of one without a credential. */
async function* reportOrAnonymously(
  reports: AsyncGenerator<AccountReport, void, undefined>,
  anonymously: () => AsyncGenerator<AccountReport, void, undefined>,
): AsyncGenerator<AccountReport, void, undefined> {
  try {
    yield* reports;
  } catch (error) {
    if (!isRefusedAddress(error)) throw error;
    yield* anonymously();
  }
}

function isRefusedAddress(error: unknown): boolean {
  return isDenied(error) && isAboutIpAddress(error.reason ?? '');
}
