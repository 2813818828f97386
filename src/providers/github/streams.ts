import type { Actor } from '../../accounts/account.ts';
import type { Contribution } from '../../contributions/contribution.ts';
import { AppError } from '../../errors.ts';
import type { Call, ContributionPage, KnownRepository, Position, Stream } from '../provider.ts';
import { toActor } from './actors.ts';
import { type GitHubClient, TooHeavy } from './client.ts';
import type {
  ActorPayload,
  DiscussionPayload,
  IssuePayload,
  PullRequestPayload,
  ReviewPage,
  ReviewPayload,
} from './payloads.ts';
import { discussions, issues, moreReviews, pullRequests } from './queries.ts';

/** What can be read with a token. */
export const tokenStreams: readonly Stream[] = [
  { name: 'issues', covers: ['issue'] },
  { name: 'pull_requests', covers: ['pull_request', 'review'] },
  { name: 'discussions', covers: ['discussion'] },
];

const largestPage = 100;
/** No pull request has so many pages of reviews. */
const maxReviewPages = 1000;

/** One page of what GitHub answers, whatever is on it. */
interface NodePage<Node> {
  totalCount: number;
  nodes: (Node | null)[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** A page of a stream, last changed first; halved for as long as GitHub finds it too much. */
export async function readStream(
  client: GitHubClient,
  stream: string,
  repository: KnownRepository,
  position: Position,
  call: Call,
): Promise<ContributionPage> {
  const read = { issues: readIssues, pull_requests: readPullRequests, discussions: readDiscussions }[stream];
  if (read === undefined) throw new Error(`there is no stream ${stream}`);
  for (let first = position.pageSize ?? largestPage; first >= 1; first = Math.floor(first / 2)) {
    try {
      return await read(client, repository, { ...position, pageSize: first }, call);
    } catch (error) {
      if (!(error instanceof TooHeavy)) throw error;
    }
  }
  throw new AppError('provider_unavailable', 'GitHub cannot list the contributions to this repository just now.');
}

type PageReader = (
  client: GitHubClient,
  repository: KnownRepository,
  position: Position & { pageSize: number },
  call: Call,
) => Promise<ContributionPage>;

const readIssues: PageReader = async (client, { handle }, { cursor, since, pageSize }, call) => {
  const variables = { id: handle, after: cursor, first: pageSize, since: since?.toISOString() ?? null };
  const { data } = await client.graphql(issues, variables, call);
  const page = existing(data.node).page;
  const collector = new Collector();
  for (const issue of changedSince(page.nodes, since)) collector.add('issue', issue);
  return collector.toPage(page, since, pageSize);
};

const readPullRequests: PageReader = async (client, { handle }, { cursor, since, pageSize }, call) => {
  const { data } = await client.graphql(pullRequests, { id: handle, after: cursor, first: pageSize }, call);
  const page = existing(data.node).page;
  const collector = new Collector();
  for (const pullRequest of changedSince(page.nodes, since)) {
    const { externalId } = collector.add('pull_request', pullRequest);
    const reviews = await allReviews(client, pullRequest, call);
    for (const review of reviews) collector.addReview(review, externalId);
    // A list that broke off early must not remove what it did not show.
    if (reviews.length >= pullRequest.reviews.totalCount) collector.wholeParents.push(externalId);
  }
  return collector.toPage(page, since, pageSize);
};

const readDiscussions: PageReader = async (client, { handle }, { cursor, since, pageSize }, call) => {
  const { data } = await client.graphql(discussions, { id: handle, after: cursor, first: pageSize }, call);
  const page = existing(data.node).page;
  const collector = new Collector();
  for (const discussion of changedSince(page.nodes, since)) collector.addDiscussion(discussion);
  return collector.toPage(page, since, pageSize);
};

async function allReviews(client: GitHubClient, pullRequest: PullRequestPayload, call: Call): Promise<ReviewPayload[]> {
  let page: ReviewPage = pullRequest.reviews;
  const reviews = page.nodes.filter((review) => review !== null);
  for (let pages = 1; page.pageInfo.hasNextPage && pages < maxReviewPages; pages += 1) {
    const { data } = await client.graphql(moreReviews, { id: pullRequest.id, after: page.pageInfo.endCursor }, call);
    page = existing(data.node).reviews;
    reviews.push(...page.nodes.filter((review) => review !== null));
  }
  return reviews;
}

/** Puts together what one page tells. */
class Collector {
  readonly contributions: Contribution[] = [];
  readonly wholeParents: string[] = [];
  readonly #actors = new Map<string, Actor>();

  add(kind: Contribution['kind'], payload: IssuePayload & { mergedAt?: string | null }): Contribution {
    const contribution: Contribution = {
      kind,
      externalId: String(payload.fullDatabaseId),
      parentExternalId: null,
      author: this.#mention(payload.author),
      createdAt: new Date(payload.createdAt),
      updatedAt: new Date(payload.updatedAt),
      closedAt: toDate(payload.closedAt),
      mergedAt: toDate(payload.mergedAt ?? null),
      answered: false,
      answeredBy: null,
      details: null,
    };
    this.contributions.push(contribution);
    return contribution;
  }

  /** One that is not submitted yet is seen by its author alone. */
  addReview(review: ReviewPayload, parentExternalId: string): void {
    if (review.state === 'PENDING' || review.submittedAt === null) return;
    const asContribution = { ...review, createdAt: review.submittedAt, closedAt: null };
    this.add('review', asContribution).parentExternalId = parentExternalId;
  }

  addDiscussion(discussion: DiscussionPayload): void {
    const contribution = this.add('discussion', { ...discussion, fullDatabaseId: discussion.databaseId });
    contribution.answered = discussion.answer !== null;
    contribution.answeredBy = this.#mention(discussion.answer?.author ?? null);
  }

  toPage(page: NodePage<{ updatedAt: string }>, since: Date | null, pageSize: number): ContributionPage {
    const oldest = page.nodes.findLast((node) => node !== null);
    const isPast = since !== null && oldest !== undefined && new Date(oldest.updatedAt) < since;
    return {
      contributions: this.contributions,
      actors: [...this.#actors.values()],
      wholeParents: this.wholeParents,
      nextCursor: page.pageInfo.hasNextPage && !isPast ? page.pageInfo.endCursor : null,
      // Of what changed since a time, the count says nothing about all.
      total: since === null ? page.totalCount : null,
      pageSize,
    };
  }

  #mention(payload: ActorPayload | null): string | null {
    const actor = toActor(payload);
    if (actor === null) return null;
    this.#actors.set(actor.externalId, actor);
    return actor.externalId;
  }
}

function changedSince<Node extends { updatedAt: string }>(nodes: readonly (Node | null)[], since: Date | null): Node[] {
  return nodes.filter((node) => node !== null).filter((node) => since === null || new Date(node.updatedAt) >= since);
}

function existing<Node>(node: Node | null): Node {
  if (node === null) throw new AppError('not_found', 'GitHub does not show this repository any more.');
  return node;
}

function toDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
