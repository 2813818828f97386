import { AppError } from '../../../errors.ts';
import type { Call, ContributionPage, KnownRepository, Position, Stream } from '../../provider.ts';
import { type GitHubClient, TooHeavy } from '../client.ts';
import { deepDiscussions, deepIssues, deepPullRequests, discussions, issues, pullRequests } from '../queries.ts';
import type { Asking, PageReader } from './asking.ts';
import { Collector } from './collector.ts';
import { readComments } from './comments.ts';
import { existing } from './existing.ts';
import {
  addDeepDiscussion,
  addDeepIssue,
  addDeepPullRequest,
  addDiscussion,
  addIssue,
  addPullRequest,
} from './items.ts';
import { endOf } from './page-end.ts';
import { readStars } from './stars.ts';

/** What can be read with a token. */
export const tokenStreams: readonly Stream[] = [
  { name: 'issues', covers: ['issue'] },
  { name: 'pull_requests', covers: ['pull_request', 'review'] },
  { name: 'discussions', covers: ['discussion'] },
  { name: 'comments', covers: ['issue_comment', 'pull_request_comment'], isForInstalled: true },
  { name: 'review_comments', covers: ['review_comment'], isForInstalled: true },
  { name: 'stars', covers: ['star'], isForInstalled: true },
];

const largestPage = 100;
/** With all that is known of installed repositories, a page of 50 costs about three points. */
const largestDeepPage = 50;

/** A page of a stream, last changed first; halved for as long as GitHub finds it too much. */
export async function readStream(
  client: GitHubClient,
  stream: string,
  repository: KnownRepository,
  position: Position,
  call: Call,
): Promise<ContributionPage> {
  const read = readers[stream];
  if (read === undefined) throw new Error(`there is no stream ${stream}`);
  const largest = position.isDeep && stream !== 'stars' ? largestDeepPage : largestPage;
  for (let first = Math.min(position.pageSize ?? largest, largest); first >= 1; first = Math.floor(first / 2)) {
    try {
      return await read(client, repository, { ...position, pageSize: first }, call);
    } catch (error) {
      if (!(error instanceof TooHeavy)) throw error;
    }
  }
  throw new AppError('provider_unavailable', 'GitHub cannot list the contributions to this repository just now.');
}

/** One page of what GitHub answers, whatever is on it. */
interface NodePage<Node> {
  totalCount: number;
  nodes: (Node | null)[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** Reads pages of what is told with the time of its last change. */
function pagesOf<Node extends { updatedAt: string }>(
  ask: (asking: Asking, variables: Record<string, unknown>) => Promise<NodePage<Node>>,
  add: (asking: Asking, collector: Collector, node: Node) => unknown,
): PageReader {
  return async (client, { handle }, { cursor, since, pageSize }, call) => {
    const asking = { client, call };
    // Only issues are listed by GitHub itself from a time on; where the query does not name it, it is nothing.
    const place = { id: handle, after: cursor, first: pageSize, since: since?.toISOString() ?? null };
    const page = await ask(asking, place);
    const collector = new Collector();
    const nodes = page.nodes.filter((node) => node !== null);
    for (const node of nodes) {
      if (since === null || new Date(node.updatedAt) >= since) await add(asking, collector, node);
    }
    return collector.toPage(endOf(page, nodes.at(-1)?.updatedAt, since, pageSize));
  };
}

function atDepth(counts: PageReader, deep: PageReader): PageReader {
  return (client, repository, position, call) => (position.isDeep ? deep : counts)(client, repository, position, call);
}

const readers: Readonly<Record<string, PageReader>> = {
  issues: atDepth(
    pagesOf(
      async ({ client, call }, place) => existing((await client.graphql(issues, place, call)).data.node).page,
      (_asking, collector, issue) => addIssue(collector, issue),
    ),
    pagesOf(
      async ({ client, call }, place) => existing((await client.graphql(deepIssues, place, call)).data.node).page,
      addDeepIssue,
    ),
  ),
  pull_requests: atDepth(
    pagesOf(
      async ({ client, call }, place) => existing((await client.graphql(pullRequests, place, call)).data.node).page,
      addPullRequest,
    ),
    pagesOf(
      async ({ client, call }, place) => existing((await client.graphql(deepPullRequests, place, call)).data.node).page,
      addDeepPullRequest,
    ),
  ),
  discussions: atDepth(
    pagesOf(
      async ({ client, call }, place) => existing((await client.graphql(discussions, place, call)).data.node).page,
      (_asking, collector, discussion) => addDiscussion(collector, discussion),
    ),
    pagesOf(
      async ({ client, call }, place) => existing((await client.graphql(deepDiscussions, place, call)).data.node).page,
      addDeepDiscussion,
    ),
  ),
  comments: readComments('comments'),
  review_comments: readComments('review_comments'),
  stars: readStars,
};
