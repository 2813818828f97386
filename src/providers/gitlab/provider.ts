import type { DeliveryHeaders, Provider } from '../provider.ts';
import { BearerClient } from '../rest/bearer/client.ts';
import { type ClientOptions, RestClient } from '../rest/client.ts';
import { readersOf } from '../rest/readers.ts';
import { accessesOf, gitAuthorization, seenBy } from '../rest/views.ts';
import { checkAccounts, refreshAccount, reportAccount } from './accounts.ts';
import { createAnnouncer } from './announcer.ts';
import { readChanges } from './changes.ts';
import { diagnose } from './diagnose.ts';
import { gitlabDialect } from './dialect.ts';
import { fileUrl, readFiles } from './files.ts';
import { resolveIdentities } from './identities.ts';
import { findRepository, listRepositories } from './projects.ts';
import { proveOwnership } from './prove.ts';
import { readChangedFiles, readLineCounts } from './streams/details.ts';
import { anonymousStreams, readStream, streams } from './streams/streams.ts';
import { readTip, readTotals } from './streams/tip.ts';
import { unreportedWith } from './unreported.ts';
import { readDelivery } from './webhooks.ts';

export interface GitLabOptions extends ClientOptions {
  name: string;
  webhookSecret: string | undefined;
}

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

/** Creates a provider for GitLab 16 or later, by REST and GraphQL. With tokens it includes private projects. */
export function createGitLabProvider(options: GitLabOptions): Provider {
  const { name, url, apiUrl, tokens } = options;
  const client = new RestClient(options, gitlabDialect);
  const bearers = new BearerClient(options, gitlabDialect);
  return {
    name,
    isPossibleName,
    isPossibleRepositoryName: (repository) => segment.test(repository),
    accountUrl: (account) =>
      account.type === 'organization'
        ? `${apiUrl}/groups/${encodeURIComponent(account.name)}`
        : `${apiUrl}/users?username=${encodeURIComponent(account.name)}`,
    repositoryUrl: (owner, repository) => `${apiUrl}/projects/${encodeURIComponent(`${owner}/${repository}`)}`,
    lookUp: (login, call) => reportAccount(client, login, call),
    refresh: (account, call) => refreshAccount(client, account, call),
    checkAccounts: (accounts, call) => checkAccounts(client, accounts, call),
    totalsFromStored: true,
    accesses: () => accessesOf(client),
    // GitLab reports no totals of the items that the bearer of a token may see.
    async *seenTotals() {},
    proveOwnership: (credential, login, signal) =>
      proveOwnership(bearers, credential, isPossibleName(login) ? login : null, signal),
    listRepositories: (owner, cursor, call) => listRepositories(client, owner, cursor, call),
    ownerPolls: {
      intervalMs: 30_000,
      // Half of the requests that an instance allows by default where limits are switched on: 7,200 an hour
      // (docs.gitlab.com, user and IP rate limits).
      maxCostPerHour: 3600 * Math.max(1, tokens.length),
      readChanges: (owner, known, call) => readChanges(client, owner, known, call),
    },
    findRepository: (owner, repository, which, call) => findRepository(client, owner, repository, which, call),
    streams: tokens.length === 0 ? anonymousStreams : streams,
    unreported: unreportedWith(tokens.length > 0),
    readStream: (stream, repository, position, call) =>
      readStream(client, stream, repository, position, seenBy(repository, call)),
    readDelivery: (headers: DeliveryHeaders, body: Buffer) => readDelivery(options.webhookSecret, headers, body),
    // They take five queries.
    identitiesAtOnce: 40,
    ...readersOf(client, { readTip, readTotals, readFiles, readLineCounts, readChangedFiles, resolveIdentities }),
    fileUrl: (repository, path) => fileUrl(url, repository, path),
    // GitLab has no apps that owners could install: the operator configures tokens, and they show all that there is.
    app: undefined,
    announcer: createAnnouncer(client),
    gitRemote: async ({ owner, name: repository, access }) => ({
      url: `${url}/${[...owner.split('/'), repository].map(encodeURIComponent).join('/')}.git`,
      authorization: gitAuthorization(client, access),
    }),
    diagnose: (signal) => diagnose(client, signal),
    close: async () => {
      await Promise.all([client.close(), bearers.close()]);
    },
  };
}
