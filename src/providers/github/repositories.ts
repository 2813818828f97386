import { AppError } from '../../errors.ts';
import type { Call, KnownAccount, ListedRepository, RepositoryPage, StreamTip } from '../provider.ts';
import { type GitHubClient, TooHeavy } from './client.ts';
import type { RepositoryPayload } from './payloads.ts';
import { namedRepository, ownedRepositories } from './queries.ts';

const largestPage = 100;

/** Public repositories of an account, oldest first, so that new ones never move a page. */
export async function listRepositories(
  client: GitHubClient,
  owner: KnownAccount,
  cursor: string | null,
  call: Call,
): Promise<RepositoryPage> {
  for (let first = largestPage; first >= 1; first = Math.floor(first / 2)) {
    try {
      const { data } = await client.graphql(ownedRepositories, { login: owner.name, after: cursor, first }, call);
      if (data.repositoryOwner === null) throw new AppError('not_found', 'GitHub does not know this account any more.');
      const { nodes, pageInfo, totalCount } = data.repositoryOwner.repositories;
      return {
        repositories: nodes.filter((node) => node !== null).map(toListed),
        total: totalCount,
        nextCursor: pageInfo.hasNextPage ? pageInfo.endCursor : null,
      };
    } catch (error) {
      if (!(error instanceof TooHeavy)) throw error;
    }
  }
  throw new AppError('provider_unavailable', 'GitHub cannot list the repositories of this account just now.');
}

/** One public repository; null when there is none of the name. */
export async function findRepository(
  client: GitHubClient,
  owner: KnownAccount,
  name: string,
  call: Call,
): Promise<ListedRepository | null> {
  const { data } = await client.graphql(namedRepository, { owner: owner.name, name }, call);
  return data.repository === null || data.repository.isPrivate ? null : toListed(data.repository);
}

function toListed(payload: RepositoryPayload): ListedRepository {
  return {
    externalId: String(payload.databaseId),
    handle: payload.id,
    name: payload.name,
    description: payload.description ?? '',
    language: payload.primaryLanguage?.name ?? '',
    license: payload.licenseInfo?.name ?? '',
    defaultBranch: payload.defaultBranchRef?.name ?? '',
    isPrivate: payload.isPrivate,
    isFork: payload.isFork,
    stars: payload.stargazerCount,
    forks: payload.forkCount,
    // As GitHub's own number of open issues, which counts pull requests too.
    openIssues: payload.openIssues.totalCount + payload.openPullRequests.totalCount,
    sizeKib: payload.diskUsage ?? 0,
    tips: {
      commits: {
        total: null,
        changedAt: payload.pushedAt === null ? null : new Date(payload.pushedAt),
        revision: payload.defaultBranchRef?.target?.oid ?? null,
      },
      issues: toTip(payload.issues),
      pull_requests: toTip(payload.pullRequests),
      discussions: toTip(payload.discussions),
    },
  };
}

function toTip({ totalCount, nodes: [newest] }: RepositoryPayload['issues']): StreamTip {
  return { total: totalCount, changedAt: newest ? new Date(newest.updatedAt) : null, revision: null };
}
