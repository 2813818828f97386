import { type Authored, addReview, findRepository, touch } from './activity.ts';
import type { Comment, Discussion, DiscussionComment, Issue, PullRequest, Review, ReviewComment } from './model.ts';
import { isPullRequest } from './model.ts';
import { type Acting, emitEvent } from './report-changes.ts';
import { type LocatedItem, nodeId, type World } from './world.ts';

/** The author and the text of a comment; times default to now. */
type NewComment = Authored & { body?: string };

/** Adds a comment to an issue, or to the conversation of a pull request. */
export function addComment(world: World, thread: Issue | PullRequest, options: NewComment): Comment {
  const comment = newComment(world, 'IC', options);
  const repository = findRepository(world, thread);
  thread.comments.push(comment);
  world.addItem({ kind: 'comment', repository, item: comment, thread });
  touch(thread, comment.createdAt);
  emitEvent(world, repository, 'issue_comment.created', comment.authorId, { ...aboutThread(thread), comment });
  return comment;
}

/** Adds a comment on a line. As on GitHub, a comment outside of a review makes a review of its own. */
export function addReviewComment(
  world: World,
  pullRequest: PullRequest,
  options: NewComment & { review?: Review; path?: string },
): ReviewComment {
  const review =
    options.review ??
    addReview(world, pullRequest, {
      author: options.author,
      createdAt: options.createdAt ?? world.now(),
      state: 'COMMENTED',
    });
  if (review.submittedAt === null) throw new Error('the simulator has no comments of pending reviews');
  const reviewComment: ReviewComment = {
    ...newComment(world, 'PRRC', options),
    reviewId: review.id,
    path: options.path ?? pullRequest.files[0]?.path ?? 'README.md',
  };
  const repository = findRepository(world, pullRequest);
  pullRequest.reviewComments.push(reviewComment);
  world.addItem({ kind: 'review_comment', repository, item: reviewComment, pull: pullRequest });
  touch(pullRequest, reviewComment.createdAt);
  const details = { pullRequest, reviewComment };
  emitEvent(world, repository, 'pull_request_review_comment.created', reviewComment.authorId, details);
  return reviewComment;
}

/** Adds a comment to a discussion; `isAnswer` marks it as the accepted answer. */
export function addDiscussionComment(
  world: World,
  discussion: Discussion,
  options: NewComment & { isAnswer?: boolean },
): DiscussionComment {
  const comment = newComment(world, 'DC', options);
  // As on GitHub, the author's own upvote is the first.
  const discussionComment: DiscussionComment = { ...comment, upvoterIds: [comment.authorId] };
  const repository = findRepository(world, discussion);
  discussion.comments.push(discussionComment);
  world.addItem({ kind: 'discussion_comment', repository, item: discussionComment, discussion });
  touch(discussion, comment.createdAt);
  emitEvent(world, repository, 'discussion_comment.created', comment.authorId, { discussion, discussionComment });
  if (options.isAnswer) markAnswer(world, discussion, discussionComment, { at: comment.createdAt });
  return discussionComment;
}

/** @param acting.by by default the comment's author. */
export function editComment(world: World, comment: Comment, body: string, acting: Acting = {}): void {
  const located = locate(world, comment);
  const more = { changes: { body: { from: comment.body } } };
  comment.body = body;
  comment.updatedAt = world.now();
  touch(findParent(located), comment.updatedAt);
  const sender = acting.by?.id ?? comment.authorId;
  emitEvent(world, located.repository, `${toEvent(located)}.edited`, sender, { ...toDetails(located), more });
}

/** @param acting.by by default the comment's author. */
export function deleteComment(world: World, comment: Comment, acting: Acting = {}): void {
  const located = locate(world, comment);
  const isOther = (candidate: Comment): boolean => candidate !== comment;
  switch (located.kind) {
    case 'comment':
      located.thread.comments = located.thread.comments.filter(isOther);
      break;
    case 'review_comment':
      located.pull.reviewComments = located.pull.reviewComments.filter(isOther);
      break;
    case 'discussion_comment':
      located.discussion.comments = located.discussion.comments.filter(isOther);
      if (located.discussion.answerId === comment.id) clearAnswer(located.discussion);
  }
  world.removeItems(comment);
  touch(findParent(located), world.now());
  const sender = acting.by?.id ?? comment.authorId;
  emitEvent(world, located.repository, `${toEvent(located)}.deleted`, sender, toDetails(located));
}

/** @param acting.by by default the author of the discussion. */
export function markAnswer(
  world: World,
  discussion: Discussion,
  discussionComment: DiscussionComment,
  { by, at = world.now() }: Acting & { at?: Date } = {},
): void {
  discussion.answerId = discussionComment.id;
  discussion.answerChosenAt = at;
  discussion.answerChosenById = by?.id ?? discussion.authorId;
  touch(discussion, at);
  const details = { discussion, discussionComment };
  emitEvent(world, findRepository(world, discussion), 'discussion.answered', discussion.answerChosenById, details);
}

/** @param acting.by by default the author of the discussion. */
export function unmarkAnswer(world: World, discussion: Discussion, acting: Acting = {}): void {
  const discussionComment = discussion.comments.find(({ id }) => id === discussion.answerId);
  clearAnswer(discussion);
  touch(discussion, world.now());
  emitEvent(world, findRepository(world, discussion), 'discussion.unanswered', acting.by?.id ?? discussion.authorId, {
    discussion,
    ...(discussionComment && { discussionComment }),
  });
}

function clearAnswer(discussion: Discussion): void {
  Object.assign(discussion, { answerId: null, answerChosenAt: null, answerChosenById: null });
}

type LocatedComment = Extract<LocatedItem, { kind: 'comment' | 'review_comment' | 'discussion_comment' }>;

function locate(world: World, comment: Comment): LocatedComment {
  const located = world.findItem(comment.nodeId);
  if (located?.kind !== 'comment' && located?.kind !== 'review_comment' && located?.kind !== 'discussion_comment')
    throw new Error(`${comment.nodeId} is nowhere`);
  return located;
}

const events = {
  comment: 'issue_comment',
  review_comment: 'pull_request_review_comment',
  discussion_comment: 'discussion_comment',
} as const;

function toEvent({ kind }: LocatedComment): string {
  return events[kind];
}

/** Returns the item that a comment belongs to. */
function findParent(located: LocatedComment): Issue | PullRequest | Discussion {
  if (located.kind === 'comment') return located.thread;
  return located.kind === 'review_comment' ? located.pull : located.discussion;
}

function toDetails(located: LocatedComment): object {
  if (located.kind === 'comment') return { ...aboutThread(located.thread), comment: located.item };
  if (located.kind === 'review_comment') return { pullRequest: located.pull, reviewComment: located.item };
  return { discussion: located.discussion, discussionComment: located.item };
}

/** Returns an issue or a pull request under its name in events. */
export function aboutThread(thread: Issue | PullRequest): { issue: Issue } | { pullRequest: PullRequest } {
  return isPullRequest(thread) ? { pullRequest: thread } : { issue: thread };
}

function newComment(world: World, prefix: string, { author, createdAt = world.now(), body }: NewComment): Comment {
  const id = world.newId();
  return {
    id,
    nodeId: nodeId(prefix, id),
    authorId: author.id,
    body: body ?? `Comment ${id}: "quoted", <tagged> & emoji 🚂`,
    createdAt,
    updatedAt: createdAt,
    reactions: [],
  };
}
