import type { PullRequest, Repository, Review, ReviewComment } from '../../world/model.ts';
import { nodeId } from '../../world/world.ts';
import { connection, type PageArguments } from './connection.ts';
import { threadFields } from './items.ts';
import { itemFields, writtenFields } from './parts.ts';
import { type Fields, type Question, time } from './question.ts';

/** Pull requests and their reviews. */

export function pullRequestFields(question: Question, repository: Repository, pull: PullRequest): Fields {
  const sum = (of: 'additions' | 'deletions'): number => pull.files.reduce((total, file) => total + file[of], 0);
  return {
    __typename: 'PullRequest',
    ...itemFields(question, repository, pull, `pull/${pull.number}`),
    ...threadFields(question, repository, pull),
    state: pull.mergedAt !== null ? 'MERGED' : pull.closedAt !== null ? 'CLOSED' : 'OPEN',
    isDraft: pull.isDraft,
    merged: pull.mergedAt !== null,
    mergedAt: time(pull.mergedAt),
    mergedBy: () => (pull.mergedById === null ? null : question.tell.author(pull.mergedById)),
    additions: sum('additions'),
    deletions: sum('deletions'),
    changedFiles: pull.files.length,
    totalCommentsCount: pull.comments.length + pull.reviewComments.length,
    baseRefName: repository.defaultBranch,
    headRefName: `change-${pull.number}`,
    // The world holds only the number of the branch's commits.
    commits: { totalCount: pull.commitCount },
    ...pullRequestLists(question, repository, pull),
  };
}

function pullRequestLists(question: Question, repository: Repository, pull: PullRequest): Fields {
  return {
    files: (args: PageArguments) =>
      connection(
        {
          name: 'files',
          items: pull.files,
          key: ({ path }) => path,
          id: ({ path }) => path,
          toNode: (file) => ({ ...file, changeType: 'MODIFIED', viewerViewedState: 'UNVIEWED' }),
        },
        args,
      ),
    reviews: (args: PageArguments & { author?: string | null; states?: string[] | null }) =>
      connection(
        {
          name: 'reviews',
          items: pull.reviews
            .filter(({ state, authorId }) => state !== 'PENDING' || question.viewer.accountId === authorId)
            .filter(({ state }) => !args.states || args.states.includes(state))
            .filter(({ authorId }) => !args.author || authorId === question.world.accountByLogin(args.author)?.id),
          key: (review) => review.createdAt.getTime(),
          id: (review) => review.id,
          toNode: (review) => question.tell.review(repository, pull, review),
        },
        args,
      ),
    reviewRequests: (args: PageArguments) =>
      connection(
        {
          name: 'reviewRequests',
          items: pull.requestedReviewerIds.filter((id) => question.world.accountById(id) !== undefined),
          key: (id) => id,
          id: (id) => id,
          toNode: (id) => ({
            id: nodeId('RRQ', pull.id + id),
            databaseId: pull.id + id,
            asCodeOwner: false,
            pullRequest: () => question.tell.pullRequest(repository, pull),
            requestedReviewer: () => question.tell.author(id),
          }),
        },
        args,
      ),
    ...relatedLists(question, repository, pull),
  };
}

function relatedLists(question: Question, repository: Repository, pull: PullRequest): Fields {
  return {
    reviewThreads: (args: PageArguments) =>
      connection(
        {
          name: 'reviewThreads',
          items: pull.reviewComments,
          ...byCreation,
          toNode: (comment) => ({
            id: nodeId('PRRT', comment.id),
            isResolved: false,
            isOutdated: false,
            path: comment.path,
            // Each thread has one comment.
            comments: (args: PageArguments) => reviewComments(question, repository, pull, [comment], args),
          }),
        },
        args,
      ),
    closingIssuesReferences: (args: PageArguments) =>
      connection(
        {
          name: 'closingIssuesReferences',
          items: repository.issues.filter(({ linkedPullRequestIds }) => linkedPullRequestIds.includes(pull.id)),
          ...byCreation,
          toNode: (issue) => question.tell.issue(repository, issue),
        },
        args,
      ),
  };
}

const byCreation = {
  key: ({ createdAt }: { createdAt: Date }) => createdAt.getTime(),
  id: ({ id }: { id: number }) => id,
};

function reviewComments(
  question: Question,
  repository: Repository,
  pull: PullRequest,
  items: readonly ReviewComment[],
  args: PageArguments,
): Fields {
  const toNode = (comment: ReviewComment): Fields => question.tell.reviewComment(repository, pull, comment);
  return connection({ name: 'comments', items, ...byCreation, toNode }, args);
}

export function reviewFields(question: Question, repository: Repository, pull: PullRequest, review: Review): Fields {
  return {
    __typename: 'PullRequestReview',
    ...writtenFields(question, repository, review, `pull/${pull.number}#pullrequestreview-${review.id}`),
    databaseId: review.id,
    fullDatabaseId: String(review.id),
    state: review.state,
    submittedAt: time(review.submittedAt),
    pullRequest: () => question.tell.pullRequest(repository, pull),
    comments: (args: PageArguments) => {
      const own = pull.reviewComments.filter(({ reviewId }) => reviewId === review.id);
      return reviewComments(question, repository, pull, own, args);
    },
  };
}
