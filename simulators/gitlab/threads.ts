import type { Comment, Issue, PullRequest, Reaction, Repository, Review, ReviewComment } from '../world/model.ts';
import { type ResponseContext, type Shape, time, user } from './responses.ts';

/** Issues and merge requests of a simulated world in GitLab's format, with comments and system notes. */

function threadFields(context: ResponseContext, { id: projectId }: Repository, thread: Issue | PullRequest): Shape {
  return {
    id: thread.id,
    iid: thread.number,
    project_id: projectId,
    title: thread.title,
    description: null,
    created_at: time(thread.createdAt),
    updated_at: time(thread.updatedAt),
    labels: thread.labels,
    author: user(context, thread.authorId),
    assignees: thread.assigneeIds.map((id) => user(context, id)),
    user_notes_count: thread.comments.length + ('reviewComments' in thread ? thread.reviewComments.length : 0),
    upvotes: thread.reactions.filter(({ content }) => content === 'THUMBS_UP').length,
    downvotes: thread.reactions.filter(({ content }) => content === 'THUMBS_DOWN').length,
    web_url: `${context.url}/somewhere/-/${thread.number}`,
  };
}

export function issue(context: ResponseContext, repository: Repository, issue: Issue): Shape {
  const closer = issue.closedAt === null ? undefined : issue.closings.at(-1)?.byId;
  return {
    ...threadFields(context, repository, issue),
    state: issue.closedAt === null ? 'opened' : 'closed',
    closed_at: time(issue.closedAt),
    closed_by: closer === undefined ? null : user(context, closer),
    confidential: context.hidden.issues.has(issue.id),
    issue_type: 'issue',
  };
}

/** Returns a merge request. `closed_at` is null where it was merged, as at GitLab. */
export function mergeRequest(context: ResponseContext, repository: Repository, pull: PullRequest): Shape {
  const isMerged = pull.mergedAt !== null;
  const closer = pull.closedAt === null || isMerged ? undefined : pull.closings.at(-1)?.byId;
  return {
    ...threadFields(context, repository, pull),
    state: isMerged ? 'merged' : pull.closedAt === null ? 'opened' : 'closed',
    draft: pull.isDraft,
    closed_at: isMerged ? null : time(pull.closedAt),
    closed_by: closer === undefined ? null : user(context, closer),
    merged_at: time(pull.mergedAt),
    merge_user: isMerged ? user(context, pull.mergedById) : null,
    reviewers: pull.requestedReviewerIds.map((id) => user(context, id)),
  };
}

/** Returns the comments and the system notes of an item, oldest first. */
export function notes(context: ResponseContext, repository: Repository, thread: Issue | PullRequest): Shape[] {
  const isMergeRequest = 'reviews' in thread;
  const about = {
    noteable_id: thread.id,
    noteable_type: isMergeRequest ? 'MergeRequest' : 'Issue',
    noteable_iid: thread.number,
    project_id: repository.id,
  };
  const written = [...thread.comments, ...(isMergeRequest ? thread.reviewComments : [])];
  const systemNotes = isMergeRequest
    ? [requested(context, thread), ...thread.reviews.flatMap((review) => verdict(context, review))]
    : [];
  const all = [...written.map((entry) => comment(context, entry)), ...systemNotes];
  const inOrder = all.toSorted((left, right) => (String(left['created_at']) < String(right['created_at']) ? -1 : 1));
  return inOrder.map((note) => Object.assign(note, about));
}

function comment(context: ResponseContext, comment: Comment | ReviewComment): Shape {
  const isInternal = context.hidden.notes.has(comment.id);
  return {
    id: comment.id,
    type: 'reviewId' in comment ? 'DiffNote' : null,
    body: comment.body,
    author: user(context, comment.authorId),
    created_at: time(comment.createdAt),
    updated_at: time(comment.updatedAt),
    system: false,
    resolvable: 'reviewId' in comment,
    confidential: isInternal,
    internal: isInternal,
  };
}

const systemNoteFields = { type: null, system: true, resolvable: false, confidential: false, internal: false };

/** Returns a system note about a requested review, which is no verdict. */
function requested(context: ResponseContext, { id, authorId, createdAt }: PullRequest): Shape {
  const at = time(createdAt);
  return {
    ...systemNoteFields,
    id: id + 500_000,
    body: 'requested review from @somebody',
    author: user(context, authorId),
    created_at: at,
    updated_at: at,
  };
}

const verdicts = { APPROVED: 'approved this merge request', CHANGES_REQUESTED: 'requested changes' } as const;

/**
 * Returns the system notes of a review. GitLab adds none for a review without a verdict, and two for a revoked
 * approval.
 */
function verdict(
  context: ResponseContext,
  { id, authorId, state, submittedAt, createdAt, updatedAt }: Review,
): Shape[] {
  if (state === 'COMMENTED' || state === 'PENDING') return [];
  const note = {
    ...systemNoteFields,
    author: user(context, authorId),
    created_at: time(submittedAt ?? createdAt),
    updated_at: time(updatedAt),
  };
  if (state !== 'DISMISSED') return [{ ...note, id, body: verdicts[state] }];
  const back = { ...note, id: id + 700_000, body: 'unapproved this merge request', created_at: time(updatedAt) };
  return [{ ...note, id, body: verdicts.APPROVED }, back];
}

const emojis: Record<Reaction['content'], string> = {
  THUMBS_UP: 'thumbsup_tone2',
  THUMBS_DOWN: 'thumbsdown',
  LAUGH: 'laughing',
  HOORAY: 'tada',
  CONFUSED: 'confused',
  HEART: 'heart',
  ROCKET: 'rocket',
  EYES: 'eyes',
};

export function award(
  context: ResponseContext,
  reaction: Reaction,
  about: { id: number; type: 'Issue' | 'MergeRequest' | 'Note' },
): Shape {
  const at = time(reaction.createdAt);
  return {
    id: reaction.id,
    name: emojis[reaction.content],
    user: user(context, reaction.accountId),
    created_at: at,
    updated_at: at,
    awardable_id: about.id,
    awardable_type: about.type,
  };
}
