import type { Call, Provider } from '../provider.ts';
import { reportAccount } from './accounts.ts';
import { isBotName } from './actors.ts';
import {
  anonymousStreams,
  findRepositoryByRest,
  listRepositoriesByRest,
  readIssuesByRest,
  reportByRest,
  resolveIdentitiesByRest,
} from './anonymous.ts';
import { describeBudget } from './budget-report.ts';
import { GitHubClient } from './client.ts';
import { resolveIdentities } from './identities.ts';
import { findRepository, listRepositories } from './repositories.ts';
import { readStream, tokenStreams } from './streams.ts';

export interface GitHubOptions {
  name: string;
  url: string;
  apiUrl: string;
  tokens: readonly string[];
  connectTimeoutMs: number;
  now: () => Date;
}

/** Letters, digits and single hyphens; older and enterprise names also have underscores; apps end with `[bot]`. */
const possibleName = /^[a-z\d](?:[a-z\d_-]{0,38})(?:\[bot\])?$/i;
const possibleRepositoryName = /^(?!\.{1,2}$)[\w.-]{1,100}$/;

/** GitHub, github.com or an enterprise server; without a token by its REST interface alone. */
export function createGitHubProvider(options: GitHubOptions): Provider {
  const { name, url, apiUrl, now } = options;
  const client = new GitHubClient(options);
  const isAnonymous = options.tokens.length === 0;
  const seam = {
    name,
    isPossibleName: (login: string) => possibleName.test(login),
    isPossibleRepositoryName: (repository: string) => possibleRepositoryName.test(repository),
    accountUrl: (login: string) => `${apiUrl}${accountPath(login)}`,
    repositoryUrl: (owner: string, repository: string) =>
      `${apiUrl}/repos/${encodeURIComponent(owner)}/${encodeURIComponent(repository)}`,
    // History is read by git, without the credential: what is public needs none.
    gitRemote: (repository: { owner: string; name: string }) => ({
      url: `${url}/${encodeURIComponent(repository.owner)}/${encodeURIComponent(repository.name)}.git`,
      authorization: undefined,
    }),
    budget: (signal: AbortSignal) => describeBudget(client, { urgency: 'interactive', signal, cost: zero() }),
    close: () => client.close(),
  };
  if (isAnonymous) {
    return {
      ...seam,
      lookUp: (login, call) => reportByRest(client, accountPath(login), call),
      refresh: (account, call) => reportByRest(client, `/user/${account.externalId}`, call),
      listRepositories: (owner, cursor, call) => listRepositoriesByRest(client, owner, cursor, call),
      findRepository: (owner, repository, call) => findRepositoryByRest(client, owner, repository, call),
      streams: anonymousStreams,
      readStream: (_stream, repository, position, call) => readIssuesByRest(client, repository, position, call),
      resolveIdentities: (repository, identities, call) =>
        resolveIdentitiesByRest(client, repository, identities, call),
    };
  }
  return {
    ...seam,
    // GraphQL knows no bots by name.
    lookUp: (login, call) =>
      isBotName(login)
        ? reportByRest(client, accountPath(login), call)
        : reportAccount(client, { name: login, handle: undefined }, null, call, now()),
    refresh: (account, call) =>
      account.type === 'bot'
        ? reportByRest(client, `/user/${account.externalId}`, call)
        : reportAccount(client, { name: account.name, handle: account.handle }, account.memory, call, now()),
    listRepositories: (owner, cursor, call) => listRepositories(client, owner, cursor, call),
    findRepository: (owner, repository, call) => findRepository(client, owner, repository, call),
    streams: tokenStreams,
    readStream: (stream, repository, position, call) => readStream(client, stream, repository, position, call),
    resolveIdentities: (repository, identities, call) => resolveIdentities(client, repository, identities, call),
  };
}

function accountPath(login: string): string {
  return `/users/${encodeURIComponent(login)}`;
}

function zero(): Call['cost'] {
  return { requests: 0, points: 0 };
}
