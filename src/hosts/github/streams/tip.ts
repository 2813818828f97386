import { knownTotals } from '../../interface/polls.ts';
import type { Call, ContributionTotals, KnownRepository, RepositoryTip } from '../../interface/provider.ts';
import { existing } from '../checks.ts';
import type { GitHubClient } from '../client.ts';
import { repositoryTip, repositoryTotals } from '../queries.ts';
import { toListed } from '../repositories.ts';
import { Collector } from './collector.ts';
import { countComments } from './comments.ts';
import { addDeepDiscussion, addDeepIssue, addDeepPullRequest } from './items.ts';
import { readItem } from './read-item.ts';

/**
 * Reads a repository with its last changed items. The items show new reactions, which are in no list of changes.
 * @returns null when the repository is hidden or its visibility changed.
 */
export async function readTip(
  client: GitHubClient,
  { handle, credentialName }: KnownRepository,
  call: Call,
): Promise<RepositoryTip | null> {
  const { data } = await client.graphql(repositoryTip, { id: handle }, call);
  // The next lookup by name finds the new state of the repository.
  if (data.node === null || data.node.isPrivate !== (credentialName !== null)) return null;
  const context = { client, call };
  const collector = new Collector();
  const { newestIssues, newestPullRequests, newestDiscussions } = data.node;
  for (const issue of newestIssues?.nodes ?? []) {
    await readItem(call, 'issue', () => addDeepIssue(context, collector, issue));
  }
  for (const pull of newestPullRequests?.nodes ?? []) {
    await readItem(call, 'pull_request', () => addDeepPullRequest(context, collector, pull));
  }
  for (const discussion of newestDiscussions?.nodes ?? []) {
    await readItem(call, 'discussion', () => addDeepDiscussion(context, collector, discussion));
  }
  const page = collector.toPage({ nextCursor: null, total: null, pageSize: 0 });
  return { repository: toListed(data.node, credentialName), page };
}

/** Reads the numbers of items with which the stored contributions are compared. */
export async function readTotals(
  client: GitHubClient,
  repository: KnownRepository,
  call: Call,
): Promise<ContributionTotals> {
  const { data } = await client.graphql(repositoryTotals, { id: repository.handle }, call);
  const node = existing(data.node);
  const context = { client, call };
  return knownTotals({
    commits: node.defaultBranchRef === null ? 0 : node.defaultBranchRef.target?.history?.totalCount,
    issues: node.issues?.totalCount,
    pull_requests: node.pullRequests?.totalCount,
    discussions: node.discussions?.totalCount,
    stars: node.stargazerCount,
    comments: await countComments(context, repository, 'comments'),
    review_comments: await countComments(context, repository, 'review_comments'),
  });
}
