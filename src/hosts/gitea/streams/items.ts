import { type Contribution, noDetails, type ReviewState } from '../../../model/contribution.ts';
import { readEach, readOrSkip, watchSkips } from '../../http/read-or-skip.ts';
import { Nullable } from '../../http/scalars.ts';
import { toDate } from '../../interface/collector.ts';
import { existing } from '../../rest/checks.ts';
import { isClosedByMerge } from '../../rest/closed-by-merge.ts';
import { readAll } from '../../rest/lists.ts';
import type { Addition, StreamContext } from '../../rest/streams.ts';
import {
  type IssuePayload,
  PullRequestPayload,
  type ReactionPayload,
  ReactionsPayload,
  type ReviewCommentPayload,
  ReviewCommentsPayload,
  type ReviewPayload,
  ReviewsPayload,
  TimelinePayload,
  type UserPayload,
} from '../payloads.ts';
import { repositoryPath } from '../repositories.ts';
import type { Collector } from './collector.ts';

/**
 * Reads the items of a page in parallel, because their reviews, comments and reactions need further requests. Skips an
 * item that the host refuses, or that cannot be read.
 */
export function readItems(
  context: StreamContext,
  type: 'issues' | 'pulls',
  payloads: readonly IssuePayload[],
  read: (context: StreamContext, payload: IssuePayload) => Promise<Addition<Collector>>,
): Promise<Addition<Collector>[]> {
  const kind = type === 'issues' ? 'issue' : 'pull_request';
  return readEach(context.call, kind, payloads, (payload) => read(context, payload));
}

/** The states of submitted reviews. Gitea lists requests for reviews and drafts of reviews as well. */
const submittedStates: Readonly<Record<string, ReviewState>> = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'changes_requested',
  COMMENT: 'commented',
};

export async function readIssue(_context: StreamContext, payload: IssuePayload): Promise<Addition<Collector>> {
  return (collector) => void addItem(collector, 'issue', payload);
}

export async function readDeepIssue(context: StreamContext, payload: IssuePayload): Promise<Addition<Collector>> {
  const { number } = payload;
  const reactions = await reactionsTo(context, `issues/${number}`);
  const resolver = payload.closed_at === null ? null : closer(await readTimeline(context, number), payload.closed_at);
  return (collector) => {
    const issue = addItem(collector, 'issue', payload);
    issue.details = { ...commonDetails(collector, payload, reactions), resolvedBy: collector.mention(resolver) };
  };
}

export async function readPullRequest(context: StreamContext, payload: IssuePayload): Promise<Addition<Collector>> {
  const reviews = await readReviews(context, payload.number);
  return (collector) => void addPullRequest(collector, payload, reviews);
}

export async function readDeepPullRequest(context: StreamContext, payload: IssuePayload): Promise<Addition<Collector>> {
  const { client, repository, call } = context;
  const { number } = payload;
  const reactions = await reactionsTo(context, `issues/${number}`);
  const details = await readOrSkip(call, { kind: 'pull request details' }, () =>
    client.get(`${repositoryPath(repository)}/pulls/${number}`, PullRequestPayload, call),
  );
  const reviews = await readReviews(context, number);
  const comments = await readReviewComments(context, number, reviews.submitted);
  return (collector) => {
    const pull = addPullRequest(collector, payload, reviews);
    for (const comment of comments) addReviewComment(collector, comment, { pull, number });
    const people = [...(details?.data.requested_reviewers ?? []), ...reviews.submitted.map(({ user }) => user)];
    pull.details = {
      ...commonDetails(collector, payload, reactions),
      mergedBy: collector.mention(details?.data.merged_by),
      reviewers: collector.mentionAll(people),
      additions: details?.data.additions ?? null,
      deletions: details?.data.deletions ?? null,
      changedFiles: details?.data.changed_files ?? null,
    };
  };
}

function addItem(collector: Collector, kind: 'issue' | 'pull_request', payload: IssuePayload): Contribution {
  const item = collector.add(kind, collector.mentionPoster(payload), payload);
  item.closedAt = toDate(payload.closed_at);
  item.mergedAt = toDate(payload.pull_request?.merged_at ?? null);
  return item;
}

function addPullRequest(collector: Collector, payload: IssuePayload, { submitted, isComplete }: Reviews): Contribution {
  const pull = addItem(collector, 'pull_request', payload);
  for (const review of submitted) {
    const { id, submitted_at: created_at, updated_at } = review;
    const author = collector.mention(review.user);
    const added = collector.add('review', author, { id, created_at, updated_at });
    added.parentExternalId = pull.externalId;
    const state = review.dismissed === true ? 'dismissed' : (submittedStates[review.state] ?? null);
    added.details = { ...noDetails, state, comments: review.comments_count };
  }
  if (isComplete) collector.wholeParents.push(pull.externalId);
  return pull;
}

function addReviewComment(
  collector: Collector,
  payload: ReviewCommentPayload,
  { pull, number }: { pull: Contribution; number: number },
): void {
  const comment = collector.add('review_comment', collector.mention(payload.user), payload);
  comment.parentExternalId = pull.externalId;
  comment.details = { ...noDetails, number };
}

function commonDetails(collector: Collector, payload: IssuePayload, reactions: readonly ReactionPayload[]) {
  return {
    ...noDetails,
    number: payload.number,
    assignees: collector.mentionAll(payload.assignees ?? []),
    labels: (payload.labels ?? []).map(({ name }) => name),
    reactions: collector.reactions(reactions),
    comments: payload.comments,
  };
}

/** The submitted reviews of a pull request. */
interface Reviews {
  submitted: ReviewPayload[];
  /** True when every review could be read. */
  isComplete: boolean;
}

async function readReviews({ client, repository, call }: StreamContext, number: number): Promise<Reviews> {
  const path = `${repositoryPath(repository)}/pulls/${number}/reviews`;
  const watched = watchSkips(call);
  const reviews = existing(await readAll(client, { path, items: ReviewsPayload }, watched.call));
  return { submitted: reviews.filter(({ state }) => state in submittedStates), isComplete: !watched.hasSkipped() };
}

async function readReviewComments(
  { client, repository, call }: StreamContext,
  number: number,
  reviews: readonly ReviewPayload[],
): Promise<ReviewCommentPayload[]> {
  const comments: ReviewCommentPayload[] = [];
  for (const { id, comments_count: count } of reviews) {
    if (count === 0) continue;
    const path = `${repositoryPath(repository)}/pulls/${number}/reviews/${id}/comments`;
    const read = await readOrSkip(call, { kind: 'review_comment' }, () =>
      // Only a review without comments may have null instead of a list.
      client.get(path, count === null ? Nullable(ReviewCommentsPayload) : ReviewCommentsPayload, call),
    );
    comments.push(...(read?.data ?? []));
  }
  return comments;
}

/** Reads the reactions to an item. @param itemPath `issues/NUMBER` or `issues/comments/ID`. */
export async function reactionsTo(
  { client, repository, call }: StreamContext,
  itemPath: string,
): Promise<ReactionPayload[]> {
  const path = `${repositoryPath(repository)}/${itemPath}/reactions`;
  const response = await readOrSkip(call, { kind: 'reaction' }, () => client.get(path, ReactionsPayload, call));
  return response?.data ?? [];
}

async function readTimeline({ client, repository, call }: StreamContext, number: number): Promise<TimelinePayload> {
  const path = `${repositoryPath(repository)}/issues/${number}/timeline`;
  const list = { path, items: TimelinePayload, isTotalOfPage: true };
  return (await readOrSkip(call, { kind: 'event' }, () => readAll(client, list, call))) ?? [];
}

/** Returns the author of the merged pull request that closed an issue, otherwise the account that closed it. */
function closer(timeline: TimelinePayload, closedAt: string): UserPayload | null {
  const closing = timeline.findLast(({ type }) => type === 'close');
  const merged = timeline.findLast(({ type, ref_action, ref_issue }) => {
    const isClosing = type === 'pull_ref' && ref_action === 'closes';
    return isClosing && isClosedByMerge(closedAt, ref_issue?.pull_request?.merged_at ?? null);
  });
  return merged?.ref_issue?.user ?? closing?.user ?? null;
}
