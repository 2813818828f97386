import { type Authored, addReview, repositoryOf, touch } from './activity.ts';
import type { Comment, Discussion, DiscussionComment, Issue, PullRequest, Review, ReviewComment } from './model.ts';
import { isPullRequest } from './model.ts';
import { type Acting, emitEvent } from './report-changes.ts';
import { nodeId, type Placed, type World } from './world.ts';

/** The author and the text of a comment; times default to now. */
type Said = Authored & { body?: string };

/** Adds a comment to an issue, or to the conversation of a pull request. */
export function addComment(world: World, thread: Issue | PullRequest, said: Said): Comment {
  const comment = newComment(world, 'IC', said);
  const repository = repositoryOf(world, thread);
  thread.comments.push(comment);
  world.place({ kind: 'comment', repository, item: comment, thread });
  touch(thread, comment.createdAt);
  emitEvent(world, repository, 'issue_comment.created', comment.authorId, { ...aboutThread(thread), comment });
  return comment;
}

/** Adds a comment on a line. As on GitHub, a comment outside of a review makes a review of its own. */
export function addReviewComment(
  world: World,
  pullRequest: PullRequest,
  said: Said & { review?: Review; path?: string },
): ReviewComment {
  const review =
    said.review ??
    addReview(world, pullRequest, {
      author: said.author,
      createdAt: said.createdAt ?? world.now(),
      state: 'COMMENTED',
    });
  if (review.submittedAt === null) throw new Error('the simulator has no comments of pending reviews');
  const reviewComment: ReviewComment = {
    ...newComment(world, 'PRRC', said),
    reviewId: review.id,
    path: said.path ?? pullRequest.files[0]?.path ?? 'README.md',
  };
  const repository = repositoryOf(world, pullRequest);
  pullRequest.reviewComments.push(reviewComment);
  world.place({ kind: 'review_comment', repository, item: reviewComment, pull: pullRequest });
  touch(pullRequest, reviewComment.createdAt);
  const details = { pullRequest, reviewComment };
  emitEvent(world, repository, 'pull_request_review_comment.created', reviewComment.authorId, details);
  return reviewComment;
}

/** Adds a comment to a discussion; `isAnswer` marks it as the accepted answer. */
export function addDiscussionComment(
  world: World,
  discussion: Discussion,
  said: Said & { isAnswer?: boolean },
): DiscussionComment {
  const comment = newComment(world, 'DC', said);
  // As on GitHub, the author's own upvote is the first.
  const discussionComment: DiscussionComment = { ...comment, upvoterIds: [comment.authorId] };
  const repository = repositoryOf(world, discussion);
  discussion.comments.push(discussionComment);
  world.place({ kind: 'discussion_comment', repository, item: discussionComment, discussion });
  touch(discussion, comment.createdAt);
  emitEvent(world, repository, 'discussion_comment.created', comment.authorId, { discussion, discussionComment });
  if (said.isAnswer) markAnswer(world, discussion, discussionComment, { at: comment.createdAt });
  return discussionComment;
}

/** @param acting.by by default the comment's author. */
export function editComment(world: World, comment: Comment, body: string, acting: Acting = {}): void {
  const placed = placeOf(world, comment);
  const more = { changes: { body: { from: comment.body } } };
  comment.body = body;
  comment.updatedAt = world.now();
  touch(whole(placed), comment.updatedAt);
  const sender = acting.by?.id ?? comment.authorId;
  emitEvent(world, placed.repository, `${eventOf(placed)}.edited`, sender, { ...detailsOf(placed), more });
}

/** @param acting.by by default the comment's author. */
export function deleteComment(world: World, comment: Comment, acting: Acting = {}): void {
  const placed = placeOf(world, comment);
  const isOther = (one: Comment): boolean => one !== comment;
  switch (placed.kind) {
    case 'comment':
      placed.thread.comments = placed.thread.comments.filter(isOther);
      break;
    case 'review_comment':
      placed.pull.reviewComments = placed.pull.reviewComments.filter(isOther);
      break;
    case 'discussion_comment':
      placed.discussion.comments = placed.discussion.comments.filter(isOther);
      if (placed.discussion.answerId === comment.id) clearAnswer(placed.discussion);
  }
  world.displace(comment);
  touch(whole(placed), world.now());
  const sender = acting.by?.id ?? comment.authorId;
  emitEvent(world, placed.repository, `${eventOf(placed)}.deleted`, sender, detailsOf(placed));
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
  emitEvent(world, repositoryOf(world, discussion), 'discussion.answered', discussion.answerChosenById, details);
}

/** @param acting.by by default the author of the discussion. */
export function unmarkAnswer(world: World, discussion: Discussion, acting: Acting = {}): void {
  const discussionComment = discussion.comments.find(({ id }) => id === discussion.answerId);
  clearAnswer(discussion);
  touch(discussion, world.now());
  emitEvent(world, repositoryOf(world, discussion), 'discussion.unanswered', acting.by?.id ?? discussion.authorId, {
    discussion,
    ...(discussionComment && { discussionComment }),
  });
}

function clearAnswer(discussion: Discussion): void {
  Object.assign(discussion, { answerId: null, answerChosenAt: null, answerChosenById: null });
}

type PlacedComment = Extract<Placed, { kind: 'comment' | 'review_comment' | 'discussion_comment' }>;

function placeOf(world: World, comment: Comment): PlacedComment {
  const placed = world.placeOf(comment.nodeId);
  if (placed?.kind !== 'comment' && placed?.kind !== 'review_comment' && placed?.kind !== 'discussion_comment')
    throw new Error(`${comment.nodeId} is nowhere`);
  return placed;
}

const events = {
  comment: 'issue_comment',
  review_comment: 'pull_request_review_comment',
  discussion_comment: 'discussion_comment',
} as const;

function eventOf({ kind }: PlacedComment): string {
  return events[kind];
}

/** Returns the item that a comment belongs to. */
function whole(placed: PlacedComment): Issue | PullRequest | Discussion {
  if (placed.kind === 'comment') return placed.thread;
  return placed.kind === 'review_comment' ? placed.pull : placed.discussion;
}

function detailsOf(placed: PlacedComment): object {
  if (placed.kind === 'comment') return { ...aboutThread(placed.thread), comment: placed.item };
  if (placed.kind === 'review_comment') return { pullRequest: placed.pull, reviewComment: placed.item };
  return { discussion: placed.discussion, discussionComment: placed.item };
}

/** Returns an issue or a pull request under its name in events. */
export function aboutThread(thread: Issue | PullRequest): { issue: Issue } | { pullRequest: PullRequest } {
  return isPullRequest(thread) ? { pullRequest: thread } : { issue: thread };
}

function newComment(world: World, prefix: string, { author, createdAt = world.now(), body }: Said): Comment {
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
