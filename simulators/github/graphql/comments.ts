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
import { reactableFields, writtenFields } from './parts.ts';
import { type Fields, type Question, time } from './question.ts';

function saidFields(question: Question, repository: Repository, comment: Comment, path: string): Fields {
  const isEdited = comment.updatedAt > comment.createdAt;
  return {
    ...writtenFields(question, repository, comment, path),
    ...reactableFields(question, comment),
    databaseId: comment.id,
    body: comment.body,
    bodyText: comment.body,
    lastEditedAt: time(isEdited ? comment.updatedAt : null),
    isMinimized: false,
    minimizedReason: null,
  };
}

export function commentFields(
  question: Question,
  repository: Repository,
  thread: Issue | PullRequest,
  comment: Comment,
): Fields {
  const isPull = isPullRequest(thread);
  const path = `${isPull ? 'pull' : 'issues'}/${thread.number}#issuecomment-${comment.id}`;
  return {
    __typename: 'IssueComment',
    ...saidFields(question, repository, comment, path),
    fullDatabaseId: String(comment.id),
    // The schema allows no null here. For a pull request, GitHub returns its own issue, which the simulator lacks.
    issue: () => {
      if (isPull) throw new Error('the simulator does not know IssueComment.issue of a pull request');
      return question.tell.issue(repository, thread);
    },
    pullRequest: () => (isPull ? question.tell.pullRequest(repository, thread) : null),
  };
}

export function reviewCommentFields(
  question: Question,
  repository: Repository,
  pull: PullRequest,
  comment: ReviewComment,
): Fields {
  const review = pull.reviews.find(({ id }) => id === comment.reviewId);
  return {
    __typename: 'PullRequestReviewComment',
    ...saidFields(question, repository, comment, `pull/${pull.number}#discussion_r${comment.id}`),
    fullDatabaseId: String(comment.id),
    path: comment.path,
    diffHunk: '@@ -1 +1 @@',
    outdated: false,
    state: 'SUBMITTED',
    subjectType: 'LINE',
    replyTo: null,
    pullRequest: () => question.tell.pullRequest(repository, pull),
    pullRequestReview: () => (review === undefined ? null : question.tell.review(repository, pull, review)),
  };
}

export function discussionCommentFields(
  question: Question,
  repository: Repository,
  discussion: Discussion,
  comment: DiscussionComment,
): Fields {
  const { upvoterIds } = comment;
  const path = `discussions/${discussion.number}#discussioncomment-${comment.id}`;
  return {
    __typename: 'DiscussionComment',
    ...saidFields(question, repository, comment, path),
    isAnswer: comment.id === discussion.answerId,
    upvoteCount: upvoterIds.length,
    viewerHasUpvoted: upvoterIds.some((id) => id === question.viewer.accountId),
    discussion: () => question.tell.discussion(repository, discussion),
    deletedAt: null,
    // Comments have no replies in the simulator.
    replyTo: null,
    replies: (args: PageArguments) =>
      connection({ name: 'replies', items: [], key: () => 0, id: () => 0, toNode: () => null }, args),
  };
}
