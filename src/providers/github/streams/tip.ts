import type { Call, ContributionTotals, KnownRepository, RepositoryTip } from '../../provider.ts';
import type { GitHubClient } from '../client.ts';
import { repositoryTip, repositoryTotals } from '../queries.ts';
import { toListed } from '../repositories.ts';
import { Collector } from './collector.ts';
import { countComments } from './comments.ts';
import { existing } from './existing.ts';
import { addDeepDiscussion, addDeepIssue, addDeepPullRequest } from './items.ts';
import { readItem } from './read-item.ts';

/** What changed last in a repository, as of now: reactions too, which leave no trace in lists of changes. */
export async function readTip(
  client: GitHubClient,
  { handle, access }: KnownRepository,
  call: Call,
): Promise<RepositoryTip | null> {
  const { data } = await client.graphql(repositoryTip, { id: handle }, call);
  // Hidden, or not the same to us as it was: whoever asks for it by its name finds out.
  if (data.node === null || data.node.isPrivate !== (access !== null)) return null;
  const asking = { client, call };
  const collector = new Collector();
  const { newestIssues, newestPullRequests, newestDiscussions, newestStars } = data.node;
  for (const issue of newestIssues?.nodes ?? []) {
    await readItem(call, 'issue', () => addDeepIssue(asking, collector, issue));
  }
  for (const pull of newestPullRequests?.nodes ?? []) {
    await readItem(call, 'pull_request', () => addDeepPullRequest(asking, collector, pull));
  }
  for (const discussion of newestDiscussions?.nodes ?? []) {
    await readItem(call, 'discussion', () => addDeepDiscussion(asking, collector, discussion));
  }
  for (const star of newestStars?.edges ?? []) collector.addStar(star);
  const page = collector.toPage({ nextCursor: null, total: null, pageSize: 0 });
  return { repository: toListed(data.node, access), page };
}

/** How much there is of what lists can be compared with. */
export async function readTotals(
  client: GitHubClient,
  repository: KnownRepository,
  call: Call,
): Promise<ContributionTotals> {
  const { data } = await client.graphql(repositoryTotals, { id: repository.handle }, call);
  const node = existing(data.node);
  const asking = { client, call };
  return {
    ...known('commits', node.defaultBranchRef === null ? 0 : node.defaultBranchRef.target?.history?.totalCount),
    ...known('issues', node.issues?.totalCount),
    ...known('pull_requests', node.pullRequests?.totalCount),
    ...known('discussions', node.discussions?.totalCount),
    ...known('stars', node.stargazers?.totalCount),
    comments: await countComments(asking, repository, 'comments'),
    review_comments: await countComments(asking, repository, 'review_comments'),
  };
}

function known(stream: string, total: number | null | undefined): ContributionTotals {
  return total === null || total === undefined ? {} : { [stream]: total };
}
