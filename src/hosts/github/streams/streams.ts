import type { ItemKind } from '../../../model/contribution.ts';
import { AppError } from '../../../model/errors.ts';
import type { Call, ContributionPage, KnownRepository, Position, Stream } from '../../interface/provider.ts';
import { existing } from '../checks.ts';
import type { GitHubClient } from '../client.ts';
import { TooHeavy } from '../failures.ts';
import { deepDiscussions, deepIssues, deepPullRequests, discussions, issues, pullRequests } from '../queries.ts';
import { Collector } from './collector.ts';
import { readComments } from './comments.ts';
import type { PageReader, StreamContext } from './context.ts';
import {
  addDeepDiscussion,
  addDeepIssue,
  addDeepPullRequest,
  addDiscussion,
  addIssue,
  addPullRequest,
} from './items.ts';
import { endOf } from './page-end.ts';
import { readItem } from './read-item.ts';
import { readStars } from './stars.ts';

/** The streams that can be read with a token. */
export const tokenStreams: readonly Stream[] = [
  { name: 'issues', covers: ['issue'] },
  { name: 'pull_requests', covers: ['pull_request', 'review'] },
  { name: 'discussions', covers: ['discussion'] },
  { name: 'comments', covers: ['issue_comment', 'pull_request_comment'], isForInstalled: true },
  { name: 'review_comments', covers: ['review_comment'], isForInstalled: true },
  { name: 'stars', covers: ['star'], isForInstalled: true },
];

const largestPage = 100;
/** The largest page with the details of installed repositories; 50 items cost about three points. */
const largestDeepPage = 50;

/**
 * Reads a page of a stream: the last changed first, but comments last changed last. The page is halved as long as
 * GitHub cannot compute it, and the next page is larger again. A single item that GitHub still cannot compute is read
 * without the failing parts, then without its details, so that one item never stops a stream.
 */
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
    const page = await unlessTooHeavy(() => read(client, repository, { ...position, pageSize: first }, call));
    if (page !== undefined) return { ...page, pageSize: Math.min(first * 2, largest) };
  }
  const counted = { ...position, pageSize: 1, isDeep: false };
  const page = position.isDeep ? await unlessTooHeavy(() => read(client, repository, counted, call)) : undefined;
  if (page !== undefined) return page;
  throw new AppError('provider_unavailable', 'GitHub cannot list the contributions to this repository just now.');
}

async function unlessTooHeavy(read: () => Promise<ContributionPage>): Promise<ContributionPage | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof TooHeavy) return undefined;
    throw error;
  }
}

/** A page of a connection in GitHub's response. */
interface NodePage<Node> {
  totalCount: number | null;
  nodes: Node[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** The variables of a query for a page. */
type PageVariables = { id: string; after: string | null; first: number; since: string | null };

/** Returns the option that allows missing parts for a page of one item, because it cannot be halved any more. */
function parts({ first }: PageVariables): { takesParts: boolean } {
  return { takesParts: first === 1 };
}

/** Returns the reader of pages of items that have a time of their last change. */
function pagesOf<Node extends { updatedAt: string | null }>(
  kind: ItemKind,
  fetchPage: (context: StreamContext, variables: PageVariables) => Promise<NodePage<Node>>,
  add: (context: StreamContext, collector: Collector, node: Node) => unknown,
): PageReader {
  return async (client, { handle }, { cursor, since, pageSize }, call) => {
    const context = { client, call };
    // Only the list of issues can begin at a time; the other queries do not use the variable `since`.
    const variables = { id: handle, after: cursor, first: pageSize, since: since?.toISOString() ?? null };
    const page = await fetchPage(context, variables);
    const collector = new Collector();
    for (const node of page.nodes) {
      if (since !== null && node.updatedAt !== null && new Date(node.updatedAt) < since) continue;
      await readItem(call, kind, () => add(context, collector, node));
    }
    const oldest = page.nodes.findLast(({ updatedAt }) => updatedAt !== null);
    return collector.toPage(endOf(page, oldest?.updatedAt ?? undefined, since, pageSize));
  };
}

function atDepth(counts: PageReader, deep: PageReader): PageReader {
  return (client, repository, position, call) => (position.isDeep ? deep : counts)(client, repository, position, call);
}

const readers: Readonly<Record<string, PageReader>> = {
  issues: atDepth(
    pagesOf(
      'issue',
      async ({ client, call }, variables) =>
        existing((await client.graphql(issues, variables, call, parts(variables))).data.node).page,
      (_context, collector, issue) => addIssue(collector, issue),
    ),
    pagesOf(
      'issue',
      async ({ client, call }, variables) =>
        existing((await client.graphql(deepIssues, variables, call, parts(variables))).data.node).page,
      addDeepIssue,
    ),
  ),
  pull_requests: atDepth(
    pagesOf(
      'pull_request',
      async ({ client, call }, variables) =>
        existing((await client.graphql(pullRequests, variables, call, parts(variables))).data.node).page,
      addPullRequest,
    ),
    pagesOf(
      'pull_request',
      async ({ client, call }, variables) =>
        existing((await client.graphql(deepPullRequests, variables, call, parts(variables))).data.node).page,
      addDeepPullRequest,
    ),
  ),
  discussions: atDepth(
    pagesOf(
      'discussion',
      async ({ client, call }, variables) =>
        existing((await client.graphql(discussions, variables, call, parts(variables))).data.node).page,
      (_context, collector, discussion) => addDiscussion(collector, discussion),
    ),
    pagesOf(
      'discussion',
      async ({ client, call }, variables) =>
        existing((await client.graphql(deepDiscussions, variables, call, parts(variables))).data.node).page,
      addDeepDiscussion,
    ),
  ),
  comments: readComments('comments'),
  review_comments: readComments('review_comments'),
  stars: readStars,
};
