import type { Comment, Issue, PullRequest, Reaction, Repository, Review, ReviewComment } from '../world/model.ts';
import { type Place, type Shape, time, user } from './answers.ts';

/** Issues and merge requests of a simulated world in GitLab's format, with comments and system notes. */

function common(place: Place, { id: projectId }: Repository, told: Issue | PullRequest): Shape {
  return {
    id: told.id,
    iid: told.number,
    project_id: projectId,
    title: told.title,
    description: null,
    created_at: time(told.createdAt),
    updated_at: time(told.updatedAt),
    labels: told.labels,
    author: user(place, told.authorId),
    assignees: told.assigneeIds.map((id) => user(place, id)),
    user_notes_count: told.comments.length + ('reviewComments' in told ? told.reviewComments.length : 0),
    upvotes: told.reactions.filter(({ content }) => content === 'THUMBS_UP').length,
    downvotes: told.reactions.filter(({ content }) => content === 'THUMBS_DOWN').length,
    web_url: `${place.url}/somewhere/-/${told.number}`,
  };
}

export function issue(place: Place, shown: Repository, told: Issue): Shape {
  const closer = told.closedAt === null ? undefined : told.closings.at(-1)?.byId;
  return {
    ...common(place, shown, told),
    state: told.closedAt === null ? 'opened' : 'closed',
    closed_at: time(told.closedAt),
    closed_by: closer === undefined ? null : user(place, closer),
    confidential: place.hidden.issues.has(told.id),
    issue_type: 'issue',
  };
}

/** Returns a merge request. `closed_at` is null where it was merged, as at GitLab. */
export function mergeRequest(place: Place, shown: Repository, told: PullRequest): Shape {
  const isMerged = told.mergedAt !== null;
  const closer = told.closedAt === null || isMerged ? undefined : told.closings.at(-1)?.byId;
  return {
    ...common(place, shown, told),
    state: isMerged ? 'merged' : told.closedAt === null ? 'opened' : 'closed',
    draft: told.isDraft,
    closed_at: isMerged ? null : time(told.closedAt),
    closed_by: closer === undefined ? null : user(place, closer),
    merged_at: time(told.mergedAt),
    merge_user: isMerged ? user(place, told.mergedById) : null,
    reviewers: told.requestedReviewerIds.map((id) => user(place, id)),
  };
}

/** Returns the comments and the system notes of an item, oldest first. */
export function notes(place: Place, shown: Repository, below: Issue | PullRequest): Shape[] {
  const isMergeRequest = 'reviews' in below;
  const about = {
    noteable_id: below.id,
    noteable_type: isMergeRequest ? 'MergeRequest' : 'Issue',
    noteable_iid: below.number,
    project_id: shown.id,
  };
  const written = [...below.comments, ...(isMergeRequest ? below.reviewComments : [])];
  const told = isMergeRequest ? [requested(place, below), ...below.reviews.flatMap((one) => verdict(place, one))] : [];
  const all = [...written.map((one) => comment(place, one)), ...told];
  const inOrder = all.toSorted((one, other) => (String(one['created_at']) < String(other['created_at']) ? -1 : 1));
  return inOrder.map((note) => Object.assign(note, about));
}

function comment(place: Place, told: Comment | ReviewComment): Shape {
  const isInternal = place.hidden.notes.has(told.id);
  return {
    id: told.id,
    type: 'reviewId' in told ? 'DiffNote' : null,
    body: told.body,
    author: user(place, told.authorId),
    created_at: time(told.createdAt),
    updated_at: time(told.updatedAt),
    system: false,
    resolvable: 'reviewId' in told,
    confidential: isInternal,
    internal: isInternal,
  };
}

const noted = { type: null, system: true, resolvable: false, confidential: false, internal: false };

/** Returns a system note about a requested review, which is no verdict. */
function requested(place: Place, { id, authorId, createdAt }: PullRequest): Shape {
  const at = time(createdAt);
  return {
    ...noted,
    id: id + 500_000,
    body: 'requested review from @somebody',
    author: user(place, authorId),
    created_at: at,
    updated_at: at,
  };
}

const verdicts = { APPROVED: 'approved this merge request', CHANGES_REQUESTED: 'requested changes' } as const;

/**
 * Returns the system notes of a review. GitLab adds none for a review without a verdict, and two for a revoked
 * approval.
 */
function verdict(place: Place, { id, authorId, state, submittedAt, createdAt, updatedAt }: Review): Shape[] {
  if (state === 'COMMENTED' || state === 'PENDING') return [];
  const said = {
    ...noted,
    author: user(place, authorId),
    created_at: time(submittedAt ?? createdAt),
    updated_at: time(updatedAt),
  };
  if (state !== 'DISMISSED') return [{ ...said, id, body: verdicts[state] }];
  const back = { ...said, id: id + 700_000, body: 'unapproved this merge request', created_at: time(updatedAt) };
  return [{ ...said, id, body: verdicts.APPROVED }, back];
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
  place: Place,
  told: Reaction,
  about: { id: number; type: 'Issue' | 'MergeRequest' | 'Note' },
): Shape {
  const at = time(told.createdAt);
  return {
    id: told.id,
    name: emojis[told.content],
    user: user(place, told.accountId),
    created_at: at,
    updated_at: at,
    awardable_id: about.id,
    awardable_type: about.type,
  };
}
