import type { Call, ContributionPage, DeliveryHeaders, KnownAccount, KnownRepository, Provider } from '../provider.ts';
import { reportAccount } from './accounts.ts';
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
import type { AppIdentity } from './app/identity.ts';
import { fetchCalendar } from './calendar.ts';
import { checkAccounts } from './check-accounts.ts';
import { GitHubClient } from './client.ts';
import { diagnose } from './diagnose.ts';
import { readFiles } from './files.ts';
import { resolveIdentities } from './identities.ts';
import { BearerClient } from './ownership/client.ts';
import { proveOwnership } from './ownership/prove.ts';
import { findRepository, listRepositories, privateAccesses } from './repositories.ts';
import { readChangedFiles, readLineCounts } from './streams/details.ts';
import { withoutOwnComments } from './streams/own-comments.ts';
import { readStream, tokenStreams } from './streams/streams.ts';
import { readTip, readTotals } from './streams/tip.ts';
import { unreportedWith } from './unreported.ts';
import { readDelivery } from './webhooks.ts';
import { orAnonymously, reportOrAnonymously, withoutCredential } from './without-credential.ts';

export interface GitHubOptions {
  name: string;
  url: string;
  apiUrl: string;
  tokens: readonly string[];
  webhookSecret: string | undefined;
  app: AppIdentity | undefined;
  connectTimeoutMs: number;
  now: () => Date;
}

/** Letters, digits and single hyphens; older and enterprise names also have underscores; apps end with `[bot]`. */
const possibleName = /^[a-z\d](?:[a-z\d_-]{0,38})(?:\[bot\])?$/i;
/** A fifth of the 5,000 points that a token may spend in an hour. */
const pointsForPolls = 1000;
const possibleRepositoryName = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/**
 * With a token, one query reads a hundred commits; without one, each address may need one of the 60 requests an hour.
 */
const identitiesAtOnce = { withToken: 100, anonymous: 10 };

/** Creates the provider for github.com or an enterprise server; without a token it uses the REST API only. */
export function createGitHubProvider(options: GitHubOptions): Provider {
  const { name, url, apiUrl, now } = options;
  const client = new GitHubClient(options);
  const bearers = new BearerClient(options);
  const app = options.app && new GitHubApp({ ...options, app: options.app }, client.credentials);
  const seam = {
    name,
    isPossibleName: (login: string) => possibleName.test(login) && !isGhostName(login),
    isPossibleRepositoryName: (repository: string) => possibleRepositoryName.test(repository),
    accountUrl: ({ name: login }: Pick<KnownAccount, 'name'>) => `${apiUrl}${accountPath(login)}`,
    repositoryUrl: (owner: string, repository: string) =>
      `${apiUrl}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}`,
    app,
    announcer: app?.announcer,
    gitRemote: async (repository: KnownRepository, signal: AbortSignal) => ({
      url: `${url}/${encodeURIComponent(repository.owner)}/${encodeURIComponent(repository.name)}.git`,
      authorization: await gitAuthorization(client, repository.access, signal),
    }),
    fileUrl: (repository: Pick<KnownRepository, 'owner' | 'name'>, path: string) => fileUrl(url, repository, path),
    unreported: unreportedWith(!client.credentials.isAnonymous),
    readDelivery: (headers: DeliveryHeaders, body: Buffer) =>
      readDelivery(options.webhookSecret, headers, body, (installation) => app?.isUsed(installation) ?? true),
    proveOwnership: (credential: string, login: string, signal: AbortSignal) =>
      proveOwnership(bearers, credential, possibleName.test(login) ? login : null, signal),
    diagnose: (signal: AbortSignal) => diagnose({ client, app, tokens: options.tokens, now }, signal),
    close: async () => {
      await Promise.all([client.close(), bearers.close(), app?.close()]);
    },
  };
  if (client.credentials.isAnonymous) {
    return {
      ...seam,
      lookUp: (login, call) => reportByRest(client, accountPath(login), call),
      refresh: (account, call) => reportByRest(client, `/user/${account.externalId}`, call),
      // The 60 requests an hour are kept for lookups by callers.
      checkAccounts: async () => new Map(),
      listRepositories: (owner, cursor, call) => listRepositoriesByRest(client, owner, cursor, call),
      ownerPolls: undefined,
      findRepository: (owner, repository, _options, call) => findRepositoryByRest(client, owner, repository, call),
      accesses: () => [],
      // Without a token GitHub shows public data only.
      async *seenTotals() {},
      streams: anonymousStreams,
      ...nothingInstalled,
      readStream: (_stream, repository, position, call) => readIssuesByRest(client, repository, position, call),
      identitiesAtOnce: identitiesAtOnce.anonymous,
      resolveIdentities: (repository, identities, call) =>
        resolveIdentitiesByRest(client, repository, identities, call),
    };
  }
  return {
    ...seam,
    ...accountsByToken(client, now),
    checkAccounts: (accounts, call) => checkAccounts(client, accounts, call),
    // The listing shows every change. With deliveries polls may be rare, because GitHub reports what became private.
    get ownerPolls() {
      const intervalMs = app?.takesDeliveries === true ? 900_000 : 120_000;
      return { intervalMs, maxCostPerHour: pointsForPolls * Math.max(1, client.credentials.tokens.length) };
    },
    accesses: (account) => privateAccesses(client, account),
    seenTotals: (account, call) =>
      reportAccount(client, { ...known(account), counting: 'seen' }, account.memory, call, now()),
    fetchCalendar: (account, call) => fetchCalendar(client, account, call, now()),
    streams: tokenStreams,
    ...readersOf(client, app),
    ...byQueries(client),
  };
}

function byQueries(client: GitHubClient): Pick<Provider, 'identitiesAtOnce' | 'resolveIdentities'> {
  return {
    identitiesAtOnce: identitiesAtOnce.withToken,
    resolveIdentities: (repository, identities, call) =>
      resolveIdentities(client, repository, identities, seenBy(repository, call)),
  };
}

type Lookups = Pick<Provider, 'lookUp' | 'refresh' | 'listRepositories' | 'findRepository'>;

/** Returns the readers of accounts and their repositories, for use with a credential. */
function accountsByToken(client: GitHubClient, now: () => Date): Lookups {
  return {
    // GraphQL knows no bots by name.
    lookUp: (login, call) =>
      isBotName(login)
        ? reportByRest(client, accountPath(login), call)
        : reportOrAnonymously(
            reportAccount(client, { name: login, handle: undefined, counting: 'public' }, null, call, now()),
            () => reportByRest(client, accountPath(login), withoutCredential(call)),
          ),
    refresh: (account, call) =>
      account.type === 'bot'
        ? reportByRest(client, `/user/${account.externalId}`, call)
        : reportOrAnonymously(
            reportAccount(client, { ...known(account), counting: 'public' }, account.memory, call, now()),
            () => reportByRest(client, `/user/${account.externalId}`, withoutCredential(call)),
          ),
    listRepositories: (owner, cursor, call) => listRepositories(client, owner, cursor, call),
    findRepository: (owner, repository, which, call) =>
      orAnonymously(findRepository(client, owner, repository, which, call), () =>
        findRepositoryByRest(client, owner, repository, withoutCredential(call)),
      ),
  };
}

/** Returns the readers of contributions and of installed repositories, for use with a token. */
function readersOf(client: GitHubClient, app: GitHubApp | undefined): Pick<Provider, 'readStream'> & FullDepth {
  const withoutOwn = async (page: ContributionPage, call: Call): Promise<ContributionPage> =>
    app === undefined ? page : withoutOwnComments(page, () => app.botName(call));
  return {
    readStream: async (stream, repository, position, call) =>
      withoutOwn(await readStream(client, stream, repository, position, seenBy(repository, call)), call),
    readTip: async (repository, call) => {
      const tip = await readTip(client, repository, seenBy(repository, call));
      return tip && { ...tip, page: await withoutOwn(tip.page, call) };
    },
    readLineCounts: (repository, oids, call) => readLineCounts(client, repository, oids, seenBy(repository, call)),
    readChangedFiles: (repository, numbers, call) =>
      readChangedFiles(client, repository, numbers, seenBy(repository, call)),
    readFiles: (repository, paths, call) => readFiles(client, repository, paths, seenBy(repository, call)),
    readTotals: (repository, call) => readTotals(client, repository, seenBy(repository, call)),
  };
}

type FullDepth = Pick<Provider, 'readFiles' | 'readTip' | 'readTotals' | 'readLineCounts' | 'readChangedFiles'>;

/** The readers of installed repositories without a token: nothing is installed. */
const nothingInstalled: FullDepth = {
  readFiles: async () => null,
  readTip: async () => null,
  readTotals: async () => ({}),
  readLineCounts: async () => new Map(),
  readChangedFiles: async () => new Map(),
};

function known({ name, handle }: KnownAccount): { name: string; handle: string } {
  return { name, handle };
}

function fileUrl(url: string, { owner, name }: Pick<KnownRepository, 'owner' | 'name'>, path: string): string {
  return `${url}/${[owner, name, 'raw', 'HEAD', ...path.split('/')].map(encodeURIComponent).join('/')}`;
}

/** Returns the call with the token that showed a private repository. */
function seenBy({ access }: KnownRepository, call: Call): Call {
  return access === null ? call : { ...call, access };
}

/** Returns the credential for git; undefined for a public repository, which git reads without one. */
async function gitAuthorization(
  client: GitHubClient,
  access: string | null,
  signal: AbortSignal,
): Promise<string | undefined> {
  const secret = await client.credentials.tokens.find((token) => token.access === access)?.secret?.get(signal);
  return secret && `Basic ${Buffer.from(`x-access-token:${secret}`).toString('base64')}`;
}

function accountPath(login: string): string {
  return `/users/${encodeURIComponent(login)}`;
}
