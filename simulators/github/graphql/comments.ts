import {
  type Comment,
  type Discussion,
  type DiscussionComment,
  type Issue,
  isPullRequest,
  type PullRequest,
  type Repository,
  type ReviewComment,
} from '../../world/model.ts';
import { connection, type PageArguments } from './connection.ts';
import { type FieldRequest, type Fields, time } from './field-request.ts';
import { reactableFields, writtenFields } from './parts.ts';

function sharedCommentFields(context: FieldRequest, repository: Repository, comment: Comment, path: string): Fields {
  const isEdited = comment.updatedAt > comment.createdAt;
  return {
    ...writtenFields(context, repository, comment, path),
    ...reactableFields(context, comment),
    databaseId: comment.id,
    body: comment.body,
    bodyText: comment.body,
    lastEditedAt: time(isEdited ? comment.updatedAt : null),
    isMinimized: false,
    minimizedReason: null,
  };
}

export function commentFields(
  context: FieldRequest,
  repository: Repository,
  thread: Issue | PullRequest,
  comment: Comment,
): Fields {
  const isPull = isPullRequest(thread);
  const path = `${isPull ? 'pull' : 'issues'}/${thread.number}#issuecomment-${comment.id}`;
  return {
    __typename: 'IssueComment',
    ...sharedCommentFields(context, repository, comment, path),
    fullDatabaseId: String(comment.id),
    // The schema allows no null here. For a pull request, GitHub returns its own issue, which the simulator lacks.
    issue: () => {
      if (isPull) throw new Error('the simulator does not know IssueComment.issue of a pull request');
      return context.fieldsOf.issue(repository, thread);
    },
    pullRequest: () => (isPull ? context.fieldsOf.pullRequest(repository, thread) : null),
  };
}

export function reviewCommentFields(
  context: FieldRequest,
  repository: Repository,
  pull: PullRequest,
  comment: ReviewComment,
): Fields {
  const review = pull.reviews.find(({ id }) => id === comment.reviewId);
  return {
    __typename: 'PullRequestReviewComment',
    ...sharedCommentFields(context, repository, comment, `pull/${pull.number}#discussion_r${comment.id}`),
    fullDatabaseId: String(comment.id),
    path: comment.path,
    diffHunk: '@@ -1 +1 @@',
    outdated: false,
    state: 'SUBMITTED',
    subjectType: 'LINE',
    replyTo: null,
    pullRequest: () => context.fieldsOf.pullRequest(repository, pull),
    pullRequestReview: () => (review === undefined ? null : context.fieldsOf.review(repository, pull, review)),
  };
}

export function discussionCommentFields(
  context: FieldRequest,
  repository: Repository,
  discussion: Discussion,
  comment: DiscussionComment,
): Fields {
  const { upvoterIds } = comment;
  const path = `discussions/${discussion.number}#discussioncomment-${comment.id}`;
  return {
    __typename: 'DiscussionComment',
    ...sharedCommentFields(context, repository, comment, path),
    isAnswer: comment.id === discussion.answerId,
    upvoteCount: upvoterIds.length,
    viewerHasUpvoted: upvoterIds.some((id) => id === context.viewer.accountId),
    discussion: () => context.fieldsOf.discussion(repository, discussion),
    deletedAt: null,
    // Comments have no replies in the simulator.
    replyTo: null,
    replies: (args: PageArguments) =>
      connection({ name: 'replies', items: [], key: () => 0, id: () => 0, toNode: () => null }, args),
  };
}
