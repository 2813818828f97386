import { authorAssociation } from '../../world/association.ts';
import {
  type Comment,
  type Issue,
  isPullRequest,
  type PullRequest,
  type Reactable,
  type Repository,
  type ReviewComment,
} from '../../world/model.ts';
import { branchTip } from '../../world/threads.ts';
import { time } from '../graphql/field-request.ts';
import { ghost, type ResponseContext, simpleAccount } from './accounts.ts';
import { listAddresses } from './addresses.ts';

/** A comment and the thread that it belongs to. */
export interface CommentAt<Thread> {
  thread: Thread;
  comment: Comment;
}

/** Returns a comment on an issue or in the conversation of a pull request. */
export function issueComment(
  context: ResponseContext,
  repository: Repository,
  { thread, comment }: CommentAt<Issue | PullRequest>,
): object {
  const { url, page } = listAddresses(context, repository);
  const path = isPullRequest(thread) ? 'pull' : 'issues';
  return {
    ...commentFields(context, repository, comment, `${url}/issues/comments/${comment.id}`),
    html_url: `${page}/${path}/${thread.number}#issuecomment-${comment.id}`,
    issue_url: `${url}/issues/${thread.number}`,
    performed_via_github_app: null,
  };
}

/** Returns a comment on a line of a pull request's changes. */
export function reviewComment(
  context: ResponseContext,
  repository: Repository,
  pull: PullRequest,
  comment: ReviewComment,
): object {
  const { url, page } = listAddresses(context, repository);
  const self = `${url}/pulls/comments/${comment.id}`;
  const htmlUrl = `${page}/pull/${pull.number}#discussion_r${comment.id}`;
  const pullUrl = `${url}/pulls/${pull.number}`;
  return {
    ...commentFields(context, repository, comment, self),
    html_url: htmlUrl,
    pull_request_url: pullUrl,
    pull_request_review_id: comment.reviewId,
    path: comment.path,
    diff_hunk: '@@ -1 +1 @@',
    commit_id: branchTip(pull),
    original_commit_id: branchTip(pull),
    position: 1,
    original_position: 1,
    line: 1,
    original_line: 1,
    start_line: null,
    original_start_line: null,
    side: 'RIGHT',
    start_side: null,
    subject_type: 'line',
    _links: { self: { href: self }, html: { href: htmlUrl }, pull_request: { href: pullUrl } },
  };
}

function commentFields(context: ResponseContext, repository: Repository, comment: Comment, url: string): object {
  const author = context.world.accountById(comment.authorId);
  return {
    id: comment.id,
    node_id: comment.nodeId,
    url,
    user: simpleAccount(context, author ?? ghost),
    body: comment.body,
    created_at: time(comment.createdAt),
    updated_at: time(comment.updatedAt),
    author_association: authorAssociation(context.world, repository, comment.authorId),
    reactions: reactionSummary(comment, url),
  };
}

const reactionNames = {
  THUMBS_UP: '+1',
  THUMBS_DOWN: '-1',
  LAUGH: 'laugh',
  HOORAY: 'hooray',
  CONFUSED: 'confused',
  HEART: 'heart',
  ROCKET: 'rocket',
  EYES: 'eyes',
} as const;

/** Counts reactions by kind. */
export function reactionSummary({ reactions }: Reactable, url: string): object {
  const counts = Object.entries(reactionNames).map(([content, name]) => [
    name,
    reactions.filter((reaction) => reaction.content === content).length,
  ]);
  return { url: `${url}/reactions`, total_count: reactions.length, ...Object.fromEntries(counts) };
}
