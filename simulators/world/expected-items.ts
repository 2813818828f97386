import { toLineCounts } from './line-counts.ts';
import type { Comment, Commit, Discussion, Issue, PullRequest, Reactable, Repository, Thread } from './model.ts';
import type { World } from './world.ts';

/**
 * Everything in a repository at full depth, computed in the most obvious way. People are logins, deleted accounts null;
 * lists are sorted; properties that a kind does not have are absent.
 */
export interface ItemTruth {
  kind:
    | 'issue'
    | 'pull_request'
    | 'review'
    | 'discussion'
    | 'issue_comment'
    | 'pull_request_comment'
    | 'review_comment'
    | 'star'
    | 'commit';
  /** GitHub's id; for a star the id of the account, for a commit its hash. */
  id: string;
  author: string | null;
  /** For a review the time of submission, for a commit the author date. */
  createdAt: Date;
  /** The id of the issue, pull request or discussion that it belongs to. */
  parent?: string;
  number?: number;
  closedAt?: Date | null;
  mergedAt?: Date | null;
  answered?: boolean;
  /**
   * The account that closed an issue, or the author of the pull request that did; the author of the accepted answer.
   */
  resolvedBy?: string | null;
  labels?: string[];
  assignees?: string[];
  /** The accounts that were requested for a review, or gave one. */
  reviewers?: string[];
  reactions?: { content: string; login: string | null }[];
  comments?: number;
  upvotes?: number;
  additions?: number;
  deletions?: number;
  changedFiles?: number;
  files?: string[];
  commits?: number;
  reason?: string | null;
  /** For a commit: the authors with an account. */
  authors?: string[];
}

export function listItems(world: World, repository: Repository): ItemTruth[] {
  const { issues, pullRequests, discussions, commits } = repository;
  const listComments = (kind: ItemTruth['kind'], thread: Issue | PullRequest, comments: readonly Comment[]) =>
    comments.map((comment) => ({
      ...written(world, kind, comment),
      parent: String(thread.id),
      reactions: reactions(world, comment),
    }));
  const items: ItemTruth[] = [
    ...issues.map((issue) => issueTruth(world, repository, issue)),
    ...pullRequests.map((pull) => pullRequestTruth(world, pull)),
    ...pullRequests.flatMap(({ id, reviews }) =>
      reviews.flatMap((review) =>
        review.submittedAt === null
          ? []
          : [{ ...written(world, 'review', review), createdAt: review.submittedAt, parent: String(id) }],
      ),
    ),
    ...discussions.map((discussion) => discussionTruth(world, discussion)),
    ...issues.flatMap((issue) => listComments('issue_comment', issue, issue.comments)),
    ...pullRequests.flatMap((pull) => listComments('pull_request_comment', pull, pull.comments)),
    ...pullRequests.flatMap((pull) => listComments('review_comment', pull, pull.reviewComments)),
    ...world
      .starsOf(repository)
      .map(({ accountId, starredAt }) =>
        written(world, 'star', { id: accountId, authorId: accountId, createdAt: starredAt }),
      ),
    ...commits.map((commit) => commitTruth(world, commit)),
  ];
  return items.toSorted((left, right) => compare(`${left.kind} ${left.id}`, `${right.kind} ${right.id}`));
}

function written(
  world: World,
  kind: ItemTruth['kind'],
  { id, authorId, createdAt }: { id: number; authorId: number; createdAt: Date },
): ItemTruth {
  return { kind, id: String(id), author: toLogin(world, authorId), createdAt };
}

function threadTruth(world: World, kind: 'issue' | 'pull_request', thread: Thread): ItemTruth {
  return {
    ...written(world, kind, thread),
    number: thread.number,
    closedAt: thread.closedAt,
    labels: thread.labels.toSorted(),
    assignees: logins(world, thread.assigneeIds),
    reactions: reactions(world, thread),
  };
}

function issueTruth(world: World, repository: Repository, issue: Issue): ItemTruth {
  const closing = issue.closedAt === null ? undefined : issue.closings.at(-1);
  const closer = closing?.closer ?? null;
  const pull =
    closer !== null && 'pullRequestId' in closer
      ? repository.pullRequests.find(({ id }) => id === closer.pullRequestId)
      : undefined;
  return {
    ...threadTruth(world, 'issue', issue),
    resolvedBy: closing === undefined ? null : toLogin(world, pull?.authorId ?? closing.byId),
    comments: issue.comments.length,
    reason: issue.stateReason,
  };
}

function pullRequestTruth(world: World, pull: PullRequest): ItemTruth {
  const submitted = pull.reviews.filter(({ submittedAt }) => submittedAt !== null);
  return {
    ...threadTruth(world, 'pull_request', pull),
    mergedAt: pull.mergedAt,
    reviewers: logins(world, [...pull.requestedReviewerIds, ...submitted.map(({ authorId }) => authorId)]),
    comments: pull.comments.length + pull.reviewComments.length,
    additions: pull.files.reduce((sum, { additions }) => sum + additions, 0),
    deletions: pull.files.reduce((sum, { deletions }) => sum + deletions, 0),
    changedFiles: pull.files.length,
    files: pull.files.map(({ path }) => path).toSorted(),
    commits: pull.commitCount,
  };
}

function discussionTruth(world: World, discussion: Discussion): ItemTruth {
  const answer = discussion.comments.find(({ id }) => id === discussion.answerId);
  return {
    ...written(world, 'discussion', discussion),
    number: discussion.number,
    closedAt: discussion.closedAt,
    answered: answer !== undefined,
    resolvedBy: answer === undefined ? null : toLogin(world, answer.authorId),
    labels: discussion.labels.toSorted(),
    reactions: reactions(world, discussion),
    comments: discussion.comments.length,
    upvotes: discussion.upvoterIds.length,
  };
}

function commitTruth(world: World, commit: Commit): ItemTruth {
  const { oid, author, coAuthors, authoredAt } = commit;
  const authors = [author, ...coAuthors].flatMap(({ email }) => world.accountByEmail(email)?.login ?? []);
  return {
    kind: 'commit',
    id: oid,
    author: world.accountByEmail(author.email)?.login ?? null,
    createdAt: authoredAt,
    authors: [...new Set(authors)].toSorted(),
    ...toLineCounts(commit),
  };
}

function reactions(world: World, item: Reactable): { content: string; login: string | null }[] {
  return item.reactions
    .map(({ content, accountId }) => ({ content, login: toLogin(world, accountId) }))
    .toSorted((left, right) => compare(`${left.content} ${left.login}`, `${right.content} ${right.login}`));
}

/** Returns the logins of the accounts that still exist, each once. */
function logins(world: World, ids: readonly number[]): string[] {
  return [...new Set(ids.flatMap((id) => toLogin(world, id) ?? []))].toSorted();
}

/** Returns null for a deleted account. */
function toLogin(world: World, id: number): string | null {
  return world.accountById(id)?.login ?? null;
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
