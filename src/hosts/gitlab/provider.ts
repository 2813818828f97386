import { type ProviderWith, readersFor, type UnreportedKind } from '../interface/provider.ts';
import { toItemUrl, toRepositoryUrl } from '../interface/repositories.ts';
import { proofByToken } from '../rest/access.ts';
import type { Dialect, RestClient, RestHostOptions } from '../rest/client.ts';
import { createRestHost } from '../rest/host.ts';
import { gitAuthorization } from '../rest/views.ts';
import { readLimit } from '../transport/limits.ts';
import type { AuthorizationServer } from '../transport/oauth.ts';
import { administered, administers, maySee, readTeam } from './access.ts';
import { checkAccounts, refreshAccount, reportAccount, resolveIdentities } from './accounts.ts';
import { toActor } from './actors.ts';
import { readChanges } from './changes.ts';
import { diagnose } from './diagnose.ts';
import { readChangedFiles, readLineCounts } from './items.ts';
import { createNotifier } from './notifier.ts';
import { UserPayload } from './payloads.ts';
import { fileUrl, findRepository, itemFolders, listRepositories, readFiles } from './projects.ts';
import { anonymousStreams, readStream, readTip, readTotals, streams } from './streams.ts';
import { readDelivery } from './webhooks.ts';

const unreported: readonly UnreportedKind[] = [
  { kind: 'discussion', why: 'GitLab has no discussions' },
  { kind: 'issue', details: ['reason'], why: 'GitLab does not report why an issue was closed' },
  { kind: 'review', details: ['comments'], why: 'GitLab does not report which comments belong to a review' },
  {
    kind: 'review',
    details: ['state'],
    why: 'GitLab reports approvals and requests for changes as reviews, and of these only that an approval was withdrawn',
    isPartial: true,
  },
];

const forTokens = 'GitLab shows reviews, comments and stars only to requests with a token';

const anonymousUnreported: readonly UnreportedKind[] = [
  ...unreported,
  ...(['review', 'issue_comment', 'pull_request_comment', 'review_comment', 'star'] as const).map(
    (kind): UnreportedKind => ({ kind, why: forTokens }),
  ),
];

/** https://docs.gitlab.com/api/rest/ and https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/ */
const gitlabDialect: Dialect = {
  apiPath: '/api/v4',
  pageSize: { parameter: 'per_page', most: 100 },
  // https://docs.gitlab.com/security/rate_limits/: general limits name the time of the next request, those of endpoints
  // do not.
  limitsEndpoints: true,
  // GitLab leaves it out for lists of more than 10,000 items.
  totalHeader: 'x-total',
  // The header is the same for personal, project, group and OAuth tokens.
  requestHeaders: (secret) => ({
    accept: 'application/json',
    'user-agent': 'plaudit',
    ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
  }),
  // {"error": "insufficient_scope", "error_description": "...", "scope": "api read_api"}
  missingScopes: (text) => {
    const excerpt = text.slice(0, 2000);
    if (!excerpt.includes('insufficient_scope')) return undefined;
    const [, scopes] = /"scope"\s*:\s*"([a-z_ ]{1,200})"/.exec(excerpt) ?? [];
    return scopes?.trim().split(/ +/).join(' or ');
  },
  limitReport: (headers) => readLimit(headers, 'ratelimit'),
};

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
  const { url, apiUrl, tokens } = options;
  const { client, bearers, parts } = createRestHost(options, gitlabDialect, authorizationServerAt(url));
  return {
    ...parts,
    accounts: {
      isPossibleName,
      toUrl: (account) =>
        account.type === 'organization'
          ? `${apiUrl}/groups/${encodeURIComponent(account.name)}`
          : `${apiUrl}/users?username=${encodeURIComponent(account.name)}`,
      toIdUrl: (externalId) => `${apiUrl}/users/${externalId}`,
      lookUp: (login, call) => reportAccount(client, login, call),
      refresh: (account, call) => refreshAccount(client, account, call),
      reportsTotals: false,
      check: (accounts, call) => checkAccounts(client, accounts, call),
      // A request for each account, of which GitLab allows 300 in ten minutes (`users_get_by_id_limit`).
      checkLimits: { atOnce: 20, perHour: 1200 },
    },
    repositories: {
      isPossibleName: (repository) => segment.test(repository),
      toPageUrl: (owner, repository, item) => toItemUrl(url, { owner, name: repository }, item, itemFolders),
      toUrl: (owner, repository) => `${apiUrl}/projects/${encodeURIComponent(`${owner}/${repository}`)}`,
      list: (owner, cursor, call) => listRepositories(client, owner, cursor, call),
      find: (owner, repository, which, call) => findRepository(client, owner, repository, which, call),
    },
    unreported: unreportedWith(tokens.length > 0),
    ...partsOfRepositories(client, options),
    privateData: {
      ...parts.privateData,
      maySee: (repository, person, call) => maySee(client, repository, person, call),
    },
    deliveries: { read: (headers) => readDelivery(options.webhookSecret, headers, client.now()) },
    ownership: {
      prove: proofByToken(bearers, { isPossibleName, user: UserPayload, toActor, administered }),
      administers: (organization, person, call) => administers(client, organization, person, call),
    },
    teams: { readMembers: (place, call) => readTeam(client, place, call) },
    notifier: createNotifier(client),
    diagnose: (signal) => diagnose(client, signal),
  };
}

/**
 * Returns the server with which people sign in. Its issuer is the instance's address without a slash (gitlabhq/gitlabhq,
 * config/initializers/doorkeeper_openid_connect.rb).
 * https://docs.gitlab.com/integration/openid_connect_provider/
 */
function authorizationServerAt(url: string): AuthorizationServer {
  return {
    paths: { authorize: '/oauth/authorize', token: '/oauth/token' },
    issuers: [url],
    scope: 'openid read_api',
  };
}

/** Returns the parts that read stored repositories. */
function partsOfRepositories(
  client: RestClient,
  { url, tokens }: RestHostOptions,
): Pick<GitLabProvider, 'streams' | 'history' | 'details' | 'files' | 'polls'> {
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
    streams: { list: tokens.length === 0 ? anonymousStreams : streams, read: readers.readStream },
    history: {
      toRemote: async (repository) => ({
        url: `${toRepositoryUrl(url, repository)}.git`,
        authorization: gitAuthorization(client, repository.credentialName),
      }),
      // This number of addresses takes five queries.
      identitiesAtOnce: 40,
      resolveIdentities: readers.resolveIdentities,
    },
    details: { readLineCounts: readers.readLineCounts, readChangedFiles: readers.readChangedFiles },
    files: { read: readers.readFiles, toUrl: (repository, path) => fileUrl(url, repository, path) },
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
      readTip: readers.readTip,
      readTotals: readers.readTotals,
    },
  };
}

/**
 * Returns the facts that GitLab does not report, or not always.
 * @param hasCredential true when requests have a token.
 */
export function unreportedWith(hasCredential: boolean): readonly UnreportedKind[] {
  return hasCredential ? unreported : anonymousUnreported;
}
