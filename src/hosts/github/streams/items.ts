import { type Contribution, noDetails } from '../../../model/contribution.ts';
import { readOrSkip } from '../../http/read-or-skip.ts';
import { toDate } from '../../interface/collector.ts';
import { existing } from '../checks.ts';
import type { ActorPayload } from '../payloads.ts';
import { moreReviews } from '../queries.ts';
import type { Collector } from './collector.ts';
import type { StreamContext } from './context.ts';
import type {
  DeepDiscussionPayload,
  DeepIssuePayload,
  DeepPullRequestPayload,
  DiscussionPayload,
  IssuePayload,
  PullRequestPayload,
  ReviewPage,
  ReviewPayload,
} from './payloads.ts';
import { allReactions } from './reactions.ts';
import { isTooHeavy } from './read-item.ts';

/** A limit against endless lists: no pull request has a thousand pages of reviews. */
const maxReviewPages = 1000;

export function addIssue(collector: Collector, payload: IssuePayload): Contribution {
  return collector.add('issue', collector.mention(payload.author), { ...payload, id: payload.fullDatabaseId });
}

export async function addDeepIssue(
  context: StreamContext,
  collector: Collector,
  payload: DeepIssuePayload,
): Promise<void> {
  const reactions = await allReactions(context, payload);
  const issue = addIssue(collector, payload);
  const isClosed = payload.closedAt !== null;
  issue.details = {
    ...noDetails,
    number: payload.number,
    resolvedBy: isClosed ? collector.mention(closer(payload)) : null,
    assignees: collector.mentionAll(payload.assignees?.nodes ?? []),
    labels: names(payload.labels),
    reactions: collector.reactions(reactions),
    comments: payload.comments?.totalCount ?? null,
    reason: payload.stateReason,
  };
}

/** Returns the author of the pull request that closed an issue, or the actor who closed it. */
function closer({ closings }: DeepIssuePayload): ActorPayload | null {
  const closing = closings?.nodes.at(-1);
  return closing?.closer?.author ?? closing?.actor ?? null;
}

export async function addPullRequest(
  context: StreamContext,
  collector: Collector,
  payload: PullRequestPayload,
): Promise<{ pull: Contribution; reviews: ReviewPayload[] }> {
  const reviews =
    (await readOrSkip(context.call, { kind: 'review', isOfItem: isTooHeavy }, () => allReviews(context, payload))) ??
    [];
  const pull = collector.add('pull_request', collector.mention(payload.author), {
    ...payload,
    id: payload.fullDatabaseId,
  });
  for (const review of reviews) collector.addReview(review, pull.externalId);
  // Stored reviews that are missing in this list are removed only when the list is complete.
  const { totalCount } = payload.reviews;
  if (totalCount !== null && reviews.length >= totalCount) collector.wholeParents.push(pull.externalId);
  return { pull, reviews };
}

export async function addDeepPullRequest(
  context: StreamContext,
  collector: Collector,
  payload: DeepPullRequestPayload,
): Promise<void> {
  const reactions = await allReactions(context, payload);
  const { pull, reviews } = await addPullRequest(context, collector, payload);
  const submitted = reviews.flatMap((review) => (review.submittedAt === null ? [] : [review.author]));
  pull.details = {
    ...noDetails,
    number: payload.number,
    mergedBy: collector.mention(payload.mergedBy),
    assignees: collector.mentionAll(payload.assignees?.nodes ?? []),
    reviewers: collector.mentionAll([...requested(payload), ...submitted]),
    labels: names(payload.labels),
    reactions: collector.reactions(reactions),
    comments: payload.totalCommentsCount,
    additions: payload.additions,
    deletions: payload.deletions,
    changedFiles: payload.changedFiles,
    commits: payload.commits?.totalCount ?? null,
  };
}

/** Returns the actors whose review is requested, including teams, which are not accounts. */
function requested({ reviewRequests }: DeepPullRequestPayload): (ActorPayload | null)[] {
  return (reviewRequests?.nodes ?? []).map(({ requestedReviewer }) => requestedReviewer);
}

export function addDiscussion(collector: Collector, payload: DiscussionPayload): Contribution {
  const author = collector.mention(payload.author);
  const discussion = collector.add('discussion', author, { ...payload, id: payload.databaseId });
  discussion.answered = payload.answer !== null;
  discussion.answeredBy = collector.mention(payload.answer?.author);
  discussion.answeredAt = toDate(payload.answerChosenAt);
  return discussion;
}

export async function addDeepDiscussion(
  context: StreamContext,
  collector: Collector,
  payload: DeepDiscussionPayload,
): Promise<void> {
  const reactions = await allReactions(context, payload);
  const discussion = addDiscussion(collector, payload);
  discussion.details = {
    ...noDetails,
    number: payload.number,
    resolvedBy: discussion.answeredBy,
    answeredAt: toDate(payload.answerChosenAt),
    labels: names(payload.labels),
    reactions: collector.reactions(reactions),
    comments: payload.comments?.totalCount ?? null,
    upvotes: payload.upvoteCount,
  };
}

function names(labels: DeepIssuePayload['labels']): string[] {
  return (labels?.nodes ?? []).map(({ name }) => name);
}

async function allReviews({ client, call }: StreamContext, pullRequest: PullRequestPayload): Promise<ReviewPayload[]> {
  let page: ReviewPage = pullRequest.reviews;
  const reviews = [...page.nodes];
  for (let pages = 1; page.pageInfo.hasNextPage && pages < maxReviewPages; pages += 1) {
    const { data } = await client.graphql(moreReviews, { id: pullRequest.id, after: page.pageInfo.endCursor }, call);
    page = existing(data.node).reviews;
    reviews.push(...page.nodes);
  }
  return reviews;
}
