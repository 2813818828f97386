import type { Call, ContributionTotals, KnownRepository, RepositoryTip } from '../../provider.ts';
import type { GitHubClient } from '../client.ts';
import { repositoryTip, repositoryTotals } from '../queries.ts';
import { toListed } from '../repositories.ts';
import { Collector } from './collector.ts';
import { countComments } from './comments.ts';
import { existing } from './existing.ts';
import { addDeepDiscussion, addDeepIssue, addDeepPullRequest } from './items.ts';

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
  for (const issue of there(data.node.newestIssues.nodes)) await addDeepIssue(asking, collector, issue);
  for (const pull of there(data.node.newestPullRequests.nodes)) await addDeepPullRequest(asking, collector, pull);
  for (const one of there(data.node.newestDiscussions.nodes)) await addDeepDiscussion(asking, collector, one);
  const page = collector.toPage({ nextCursor: null, total: null, pageSize: 0 });
  return { repository: toListed(data.node, access), page };
}

function there<Node>(nodes: readonly (Node | null)[]): Node[] {
  return nodes.filter((node) => node !== null);
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
    commits: node.defaultBranchRef?.target?.history?.totalCount ?? 0,
    issues: node.issues.totalCount,
    pull_requests: node.pullRequests.totalCount,
    discussions: node.discussions.totalCount,
    stars: node.stargazerCount,
    comments: await countComments(asking, repository, 'comments'),
    review_comments: await countComments(asking, repository, 'review_comments'),
  };
}
