import type { Static } from 'typebox';
import type { ItemKind } from '../../../model/contribution.ts';
import { AppError } from '../../../model/errors.ts';
import { isDenied } from '../../interface/denied.ts';
import { knownTotals } from '../../interface/polls.ts';
import type { Call, ContributionPage, Stream } from '../../interface/provider.ts';
import type { GitHubClient, GitHubReaders } from '../client.ts';
import { existing, TooHeavy } from '../failures.ts';
import {
  deepDiscussions,
  deepIssues,
  deepPullRequests,
  discussions,
  issues,
  pullRequests,
  repositoryTip,
  repositoryTotals,
  starCount,
  stars,
} from '../queries.ts';
import { toListed } from '../repositories.ts';
import { countComments, readComments } from './comments.ts';
import {
  addDeepDiscussion,
  addDeepIssue,
  addDeepPullRequest,
  addDiscussion,
  addIssue,
  addPullRequest,
  Collector,
  type PageReader,
  readItem,
  type StreamContext,
} from './items.ts';
import type { StargazerPage } from './payloads.ts';

/**
 * Reads a page of the accounts that starred a repository, newest first.
 *
 * Since July 2026 GitHub shows these accounts only to administrators and collaborators
 * (https://github.blog/changelog/2026-06-30-upcoming-access-restrictions-to-public-api-endpoints-and-ui-views/): GitHub
 * refuses installations of Apps and fine-grained tokens, and shows other accounts an empty list. The number of stars is
 * public.
 */
export const readStars: PageReader = async (client, { handle }, { cursor, since, pageSize }, call) => {
  const variables = { id: handle, after: cursor, first: pageSize };
  const { total, page } = await fetchWithAny(client, variables, call);
  const collector = new Collector();
  if (page === null) return { ...collector.toPage({ nextCursor: null, total: null, pageSize }), isWithheld: true };
  for (const edge of page.edges) collector.addStar(edge);
  return collector.toPage(toEnd({ ...page, totalCount: total }, page.edges.at(-1)?.starredAt, since, pageSize));
};

/** A page of the list; `page` is null where GitHub withholds it. */
interface Listed {
  /** The number of stars; null: it cannot be read. */
  total: number | null;
  page: Static<typeof StargazerPage> | null;
}

interface StarsVariables {
  id: string;
  after: string | null;
  first: number;
}

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
export const readStream: GitHubReaders['readStream'] = async (client, stream, repository, position, call) => {
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
};

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
function createPageReader<Node extends { updatedAt: string | null }>(
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
    return collector.toPage(toEnd(page, oldest?.updatedAt ?? undefined, since, pageSize));
  };
}

function atDepth(counts: PageReader, deep: PageReader): PageReader {
  return (client, repository, position, call) => (position.isDeep ? deep : counts)(client, repository, position, call);
}

const readers: Readonly<Record<string, PageReader>> = {
  issues: atDepth(
    createPageReader(
      'issue',
      async ({ client, call }, variables) =>
        existing((await client.graphql(issues, variables, call, parts(variables))).data.node).page,
      (_context, collector, issue) => addIssue(collector, issue),
    ),
    createPageReader(
      'issue',
      async ({ client, call }, variables) =>
        existing((await client.graphql(deepIssues, variables, call, parts(variables))).data.node).page,
      addDeepIssue,
    ),
  ),
  pull_requests: atDepth(
    createPageReader(
      'pull_request',
      async ({ client, call }, variables) =>
        existing((await client.graphql(pullRequests, variables, call, parts(variables))).data.node).page,
      addPullRequest,
    ),
    createPageReader(
      'pull_request',
      async ({ client, call }, variables) =>
        existing((await client.graphql(deepPullRequests, variables, call, parts(variables))).data.node).page,
      addDeepPullRequest,
    ),
  ),
  discussions: atDepth(
    createPageReader(
      'discussion',
      async ({ client, call }, variables) =>
        existing((await client.graphql(discussions, variables, call, parts(variables))).data.node).page,
      (_context, collector, discussion) => addDiscussion(collector, discussion),
    ),
    createPageReader(
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

/**
 * Fetches the list with each token of a person until GitHub shows it, because only people can be collaborators. Ignores
 * that a private repository is absent for tokens other than the one that the call names.
 */
async function fetchWithAny(client: GitHubClient, variables: StarsVariables, call: Call): Promise<Listed> {
  const people = client.credentials.tokens.filter(
    ({ secret, account }) => secret !== undefined && account === undefined,
  );
  const credentialNames = new Set<string | undefined>(people.map(({ name }) => name));
  if (credentialNames.size === 0 || call.credentialName !== undefined) credentialNames.add(call.credentialName);
  let listed: Listed | undefined;
  let failure: unknown;
  for (const credentialName of credentialNames) {
    try {
      listed = await fetchStars(client, variables, credentialName === undefined ? call : { ...call, credentialName });
      if (listed.page !== null) break;
    } catch (error) {
      if (!isDenied(error) && !(isNotFound(error) && credentialName !== call.credentialName)) throw error;
      failure = error;
    }
  }
  if (listed === undefined) throw failure;
  return listed;
}

async function fetchStars(client: GitHubClient, variables: StarsVariables, call: Call): Promise<Listed> {
  try {
    const { data } = await client.graphql(stars, { ...variables }, call);
    const total = existing(data.node).stargazerCount;
    const page = data.list?.page ?? null;
    const seemsEmpty = page !== null && page.edges.length === 0 && total !== 0;
    // A later page may also be empty because its stars were removed meanwhile; then the first page is not empty.
    const isWithheld = seemsEmpty && (variables.after === null || (await isEmptyFromStart(client, variables, call)));
    return { total, page: isWithheld ? null : page };
  } catch (error) {
    if (!isDenied(error)) throw error;
    // GitHub may have refused the credential itself. When the number of stars can be read, it refused only the list.
    const { data } = await client.graphql(starCount, { id: variables.id }, call);
    return { total: existing(data.node).stargazerCount, page: null };
  }
}

async function isEmptyFromStart(client: GitHubClient, { id }: StarsVariables, call: Call): Promise<boolean> {
  const { data } = await client.graphql(stars, { id, after: null, first: 1 }, call);
  return (data.list?.page?.edges.length ?? 0) === 0;
}

function isNotFound(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not_found';
}

/**
 * Returns the end of a page of a list with its newest changes first: the cursor of the next page (null when this page
 * reaches back to known changes), the total, and the time of the oldest change.
 * @param oldestChange the time of the oldest change on the page; undefined when no item has a time.
 * @param since changes before this time are known.
 */
function toEnd(
  { totalCount, pageInfo }: { totalCount: number | null; pageInfo: { hasNextPage: boolean; endCursor: string | null } },
  oldestChange: string | undefined,
  since: Date | null,
  pageSize: number,
): Pick<ContributionPage, 'nextCursor' | 'total' | 'pageSize' | 'reachedAt'> {
  const isPast = since !== null && oldestChange !== undefined && new Date(oldestChange) < since;
  return {
    nextCursor: pageInfo.hasNextPage && !isPast ? pageInfo.endCursor : null,
    // GitHub's total counts all items, also when only the changes since a time are read.
    total: since === null ? totalCount : null,
    pageSize,
    reachedAt: oldestChange === undefined ? null : new Date(oldestChange),
  };
}

/**
 * Reads a repository with its last changed items. The items show new reactions, which are in no list of changes.
 * @returns null when the repository is hidden or its visibility changed.
 */
export const readTip: GitHubReaders['readTip'] = async (client, { handle, credentialName }, call) => {
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
};

/** Reads the numbers of items with which the stored contributions are compared. */
export const readTotals: GitHubReaders['readTotals'] = async (client, repository, call) => {
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
};
