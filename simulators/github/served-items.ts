import assert from 'node:assert/strict';
import type { ItemTruth } from '../world/expected-items.ts';
import type { Repository } from '../world/model.ts';
import { queryGraphql, requestRest } from './send-request.ts';
import type { Simulator } from './simulator.ts';

// Responses are read field by field, as by a program without types.
export type ReportedItem = Record<string, ReturnType<typeof Object>>;

const actor = `{ __typename login ... on User { databaseId } ... on Bot { databaseId } }`;
export const reactions = `reactions(first: 100) { totalCount nodes { content createdAt user { login } } }`;
const common = `kind: __typename databaseId number createdAt closedAt author ${actor} ${reactions} labels(first: 20) { nodes { name } }`;
const people = `assignees(first: 10) { nodes { login } }`;
const page = `(first: 100, orderBy: { field: UPDATED_AT, direction: DESC })`;

const everyItem = `query Everything($id: ID!) { node(id: $id) { ... on Repository {
  pullRequests${page} { nodes { ${common} ${people} mergedAt mergedBy ${actor} isDraft authorAssociation
    additions deletions changedFiles totalCommentsCount commits { totalCount } comments { totalCount }
    files(first: 100) { nodes { path additions deletions } }
    reviewRequests(first: 10) { nodes { requestedReviewer { ... on User { login } ... on Bot { login } } } }
    reviews(first: 100) { nodes { kind: __typename databaseId state submittedAt author ${actor} } } } }
  issues${page} { nodes { ${common} ${people} stateReason(enableDuplicate: true) comments { totalCount }
    closedByPullRequestsReferences(first: 3, includeClosedPrs: true) { nodes { number } }
    timelineItems(itemTypes: [CLOSED_EVENT], last: 1) { nodes { ... on ClosedEvent { createdAt actor ${actor}
      closer { kind: __typename ... on PullRequest { author ${actor} } ... on Commit { oid } } } } } } }
  discussions${page} { nodes { ${common} isAnswered answer { author ${actor} } answerChosenAt answerChosenBy ${actor}
    upvoteCount category { name isAnswerable } comments(first: 30) { totalCount nodes { databaseId isAnswer upvoteCount } } } }
  stargazers(first: 100, orderBy: { field: STARRED_AT, direction: DESC }) { totalCount edges { starredAt node { login databaseId } } }
  defaultBranchRef { target { ... on Commit { history(first: 100, since: "2001-01-01T00:00:00Z") { totalCount
    nodes { oid authoredDate additions deletions changedFilesIfAvailable } } } } }
} } }`;

const commentReactions = `query Reactions($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on Reactable { ${reactions} } } }`;

/** Returns everything in a repository that clients can request, in the form of `ItemTruth`. */
export async function servedItems(simulator: Simulator, repository: Repository, owner: string): Promise<object[]> {
  const { body } = await queryGraphql(simulator, everyItem, {
    variables: { id: repository.nodeId },
    token: 'organization_admin',
  });
  assert.equal(body.errors, undefined);
  const { pullRequests, issues, discussions, stargazers, defaultBranchRef } = Object(body.data)['node'];
  const lists: ReportedItem[] = [...pullRequests.nodes, ...issues.nodes, ...discussions.nodes];
  const items = lists.map((node) => toItem(node));
  const reviews = pullRequests.nodes.flatMap((pull: ReportedItem) =>
    pull['reviews'].nodes.map((review: ReportedItem) => ({
      kind: 'review',
      id: String(review['databaseId']),
      author: toLogin(review['author']),
      createdAt: review['submittedAt'],
      parent: String(pull['databaseId']),
    })),
  );
  const stars = stargazers.edges.map(({ starredAt, node }: ReportedItem) => ({
    kind: 'star',
    id: String(node.databaseId),
    author: node.login,
    createdAt: starredAt,
  }));
  const commits = (defaultBranchRef?.target.history.nodes ?? []).map((commit: ReportedItem) => ({
    kind: 'commit',
    id: commit['oid'],
    createdAt: commit['authoredDate'],
    additions: commit['additions'],
    deletions: commit['deletions'],
    changedFiles: commit['changedFilesIfAvailable'],
  }));
  const ids = new Map<number, number>(lists.map((node) => [node['number'], node['databaseId']]));
  const comments = [
    ...(await readComments(simulator, `/repos/${owner}/${repository.name}/issues/comments`, ids)),
    ...(await readComments(simulator, `/repos/${owner}/${repository.name}/pulls/comments`, ids)),
  ];
  return [...items, ...reviews, ...stars, ...commits, ...comments];
}

function toItem(node: ReportedItem): object {
  const kind = { PullRequest: 'pull_request', Issue: 'issue', Discussion: 'discussion' }[String(node['kind'])];
  const closing = node['timelineItems']?.nodes[0];
  const isPull = kind === 'pull_request';
  const requested: ReportedItem[] =
    node['reviewRequests']?.nodes.map(({ requestedReviewer }: ReportedItem) => requestedReviewer) ?? [];
  const gave: ReportedItem[] = node['reviews']?.nodes.map(({ author }: ReportedItem) => author) ?? [];
  const reviewers = new Set([...requested, ...gave].map(toLogin));
  return {
    kind,
    id: String(node['databaseId']),
    author: toLogin(node['author']),
    createdAt: node['createdAt'],
    closedAt: node['closedAt'],
    number: node['number'],
    labels: node['labels'].nodes.map(({ name }: ReportedItem) => name).toSorted(),
    reactions: servedReactions(node),
    ...(kind !== 'discussion' && { assignees: node['assignees'].nodes.map(toLogin).toSorted() }),
    ...(isPull && {
      mergedAt: node['mergedAt'],
      reviewers: [...reviewers].filter((login) => login !== null).toSorted(),
      comments: node['totalCommentsCount'],
      additions: node['additions'],
      deletions: node['deletions'],
      changedFiles: node['changedFiles'],
      files: node['files'].nodes.map(({ path }: ReportedItem) => path).toSorted(),
      commits: node['commits'].totalCount,
    }),
    ...(kind === 'issue' && {
      comments: node['comments'].totalCount,
      reason: node['stateReason'],
      resolvedBy:
        node['closedAt'] === null
          ? null
          : toLogin(closing.closer?.kind === 'PullRequest' ? closing.closer.author : closing.actor),
    }),
    ...(kind === 'discussion' && {
      answered: node['answer'] !== null,
      resolvedBy: toLogin(node['answer']?.author),
      comments: node['comments'].totalCount,
      upvotes: node['upvoteCount'],
    }),
  };
}

/** Reads comments page by page, with the accounts that reacted. */
async function readComments(simulator: Simulator, path: string, ids: Map<number, number>): Promise<object[]> {
  const comments: ReportedItem[] = [];
  for (let number = 1, hasMore = true; hasMore; number += 1) {
    const response = await requestRest(simulator, `${path}?per_page=5&page=${number}`, 'organization_admin');
    assert.equal(response.status, 200);
    comments.push(...((await response.json()) as ReportedItem[]));
    hasMore = response.headers.get('link')?.includes('rel="next"') ?? false;
  }
  const variables = { ids: comments.map((comment) => comment['node_id']) };
  const { body } = await queryGraphql(simulator, commentReactions, { variables, token: 'organization_admin' });
  return comments.map((comment, index) => {
    const [, folder = '', number = ''] = /\/(issues|pull)\/(\d+)#/.exec(comment['html_url']) ?? [];
    const node = Object(body.data)['nodes'][index];
    assert.equal(comment['reactions'].total_count, node.reactions.totalCount);
    const kind = path.endsWith('/pulls/comments')
      ? 'review_comment'
      : folder === 'pull'
        ? 'pull_request_comment'
        : 'issue_comment';
    return {
      kind,
      id: String(comment['id']),
      // REST names a deleted author `ghost`, GraphQL none.
      author: comment['user'].login === 'ghost' ? null : comment['user'].login.replace(/\[bot\]$/, ''),
      createdAt: comment['created_at'],
      parent: String(ids.get(Number(number))),
      reactions: servedReactions(node),
    };
  });
}

function servedReactions(node: ReportedItem): object[] {
  const all: { content: string; login: string | null }[] = node['reactions'].nodes.map(
    ({ content, user }: ReportedItem) => ({
      content: String(content),
      login: toLogin(user),
    }),
  );
  assert.equal(node['reactions'].totalCount, all.length);
  const key = (reaction: (typeof all)[number]): string => `${reaction.content} ${reaction.login}`;
  return all.toSorted((left, right) => (key(left) < key(right) ? -1 : 1));
}

/** Returns a login without the suffix that the API leaves out for bots. */
function toLogin(account: ReportedItem | null | undefined): string | null {
  return account?.['login']?.replace(/\[bot\]$/, '') ?? null;
}

/** Returns a true item in the form in which these requests can show it. */
export function asServed({ authors: _authors, ...item }: ItemTruth): object {
  const { author, ...rest } = item;
  return JSON.parse(
    JSON.stringify({ ...rest, ...(item.kind !== 'commit' && { author }) })
      .replaceAll('[bot]"', '"')
      .replaceAll('.000Z', 'Z'),
  );
}
