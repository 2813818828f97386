import type {
  Comment,
  Discussion,
  Issue,
  PullRequest,
  Reactable,
  Repository,
  Review,
  Star,
} from '../../../simulators/world/model.ts';
import type { World } from '../../../simulators/world/world.ts';

/** Returns a repository of the world at full depth, in the form that `storedItems` returns. */
export function worldItems(world: World, repository: Repository): string[] {
  const formatter = new ItemFormatter(world);
  const rows = [
    ...repository.issues.map((issue) => formatter.issue(issue)),
    ...repository.pullRequests.map((pull) => formatter.pullRequest(pull)),
    ...repository.discussions.map((discussion) => formatter.discussion(discussion)),
    ...repository.issues.flatMap((issue) =>
      issue.comments.map((comment) => formatter.comment('issue_comment', comment, issue)),
    ),
    ...repository.pullRequests.flatMap((pull) => [
      ...pull.comments.map((comment) => formatter.comment('pull_request_comment', comment, pull)),
      ...pull.reviewComments.map((comment) => formatter.comment('review_comment', comment, pull)),
      ...pull.reviews.filter(({ state }) => state !== 'PENDING').map((review) => formatter.review(review, pull)),
    ]),
    ...repository.stars
      .filter(({ accountId }) => formatter.name(accountId) !== null)
      .map((star) => formatter.star(star)),
  ];
  return rows.toSorted((left, right) => compare(left, right)).map((row) => JSON.stringify(row));
}

interface Row {
  kind: string;
  id: string;
  labels: string[] | null;
}

function compare(left: Row, right: Row): number {
  return left.kind < right.kind || (left.kind === right.kind && left.id < right.id) ? -1 : 1;
}

class ItemFormatter {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Returns null for ids without an account (any more). */
  name(id: number | null | undefined): string | null {
    const account = id === undefined || id === null ? undefined : this.#world.accountById(id);
    if (account === undefined || account.type === 'Mannequin') return null;
    return account.type === 'Bot' && !account.login.endsWith('[bot]') ? `${account.login}[bot]` : account.login;
  }

  names(ids: readonly number[]): string[] | null {
    const names = [...new Set(ids.map((id) => this.name(id)))].filter((name) => name !== null).toSorted();
    return names.length === 0 ? null : names;
  }

  reactions({ reactions }: Reactable): string[] | null {
    const texts = reactions.map(({ content, accountId }) => `${content} ${this.name(accountId) ?? ''}`).toSorted();
    return texts.length === 0 ? null : texts;
  }

  item(kind: string, { id, authorId, createdAt }: { id: number; authorId: number; createdAt: Date }) {
    return {
      kind,
      id: String(id),
      author: this.name(authorId),
      created_at: createdAt,
      closed_at: null as Date | null,
      merged_at: null as Date | null,
      number: null as number | null,
      parent: null as string | null,
      answered: false,
      resolvedBy: null as string | null,
      answeredAt: null as Date | null,
      labels: null as string[] | null,
      comments: null as number | null,
      upvotes: null as number | null,
      additions: null as number | null,
      deletions: null as number | null,
      changedFiles: null as number | null,
      commits: null as number | null,
      reason: null as string | null,
      state: null as string | null,
      assignees: null as string[] | null,
      reviewers: null as string[] | null,
      reactions: null as string[] | null,
    };
  }

  issue(issue: Issue) {
    const closing = issue.closings.at(-1);
    const by =
      closing?.closer && 'pullRequestId' in closing.closer ? this.#authorOf(closing.closer.pullRequestId) : null;
    return {
      ...this.item('issue', issue),
      ...this.#thread(issue),
      comments: issue.comments.length,
      resolvedBy: issue.closedAt === null ? null : (by ?? this.name(closing?.byId)),
      reason: issue.stateReason,
    };
  }

  pullRequest(pull: PullRequest) {
    const submitted = pull.reviews.filter(({ state }) => state !== 'PENDING').map(({ authorId }) => authorId);
    return {
      ...this.item('pull_request', pull),
      ...this.#thread(pull),
      merged_at: pull.mergedAt,
      comments: pull.comments.length + pull.reviewComments.length,
      additions: sum(pull.files.map(({ additions }) => additions)),
      deletions: sum(pull.files.map(({ deletions }) => deletions)),
      changedFiles: pull.files.length,
      commits: pull.commitCount,
      reviewers: this.names([...pull.requestedReviewerIds, ...submitted]),
    };
  }

  discussion(discussion: Discussion) {
    return {
      ...this.item('discussion', discussion),
      closed_at: discussion.closedAt,
      number: discussion.number,
      answered: discussion.answerId !== null,
      resolvedBy: this.name(discussion.comments.find(({ id }) => id === discussion.answerId)?.authorId),
      answeredAt: discussion.answerChosenAt,
      labels: discussion.labels,
      comments: discussion.comments.length,
      upvotes: discussion.upvoterIds.length,
      reactions: this.reactions(discussion),
    };
  }

  review(review: Review, below: PullRequest) {
    const createdAt = review.submittedAt ?? review.createdAt;
    const item = this.item('review', { ...review, createdAt });
    return { ...item, parent: String(below.id), labels: [], state: review.state.toLowerCase() };
  }

  star({ accountId, starredAt }: Star) {
    return { ...this.item('star', { id: accountId, authorId: accountId, createdAt: starredAt }), labels: [] };
  }

  comment(kind: string, comment: Comment, below: Issue | PullRequest) {
    return {
      ...this.item(kind, comment),
      number: below.number,
      parent: String(below.id),
      labels: [],
      reactions: this.reactions(comment),
    };
  }

  #thread(thread: Issue | PullRequest) {
    return {
      closed_at: thread.closedAt,
      number: thread.number,
      labels: thread.labels,
      assignees: this.names(thread.assigneeIds),
      reactions: this.reactions(thread),
    };
  }

  #authorOf(pullRequestId: number): string | null {
    const pulls = this.#world.repositories.flatMap(({ pullRequests }) => pullRequests);
    return this.name(pulls.find(({ id }) => id === pullRequestId)?.authorId);
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
