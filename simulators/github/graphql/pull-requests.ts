import type { PullRequest, Repository, Review, ReviewComment } from '../../world/model.ts';
import { nodeId } from '../../world/world.ts';
import { connection, type PageArguments } from './connection.ts';
import { type FieldRequest, type Fields, time } from './field-request.ts';
import { threadFields } from './items.ts';
import { itemFields, writtenFields } from './parts.ts';

/** Pull requests and their reviews. */

export function pullRequestFields(context: FieldRequest, repository: Repository, pull: PullRequest): Fields {
  const sum = (property: 'additions' | 'deletions'): number =>
    pull.files.reduce((total, file) => total + file[property], 0);
  return {
    __typename: 'PullRequest',
    ...itemFields(context, repository, pull, `pull/${pull.number}`),
    ...threadFields(context, repository, pull),
    state: pull.mergedAt !== null ? 'MERGED' : pull.closedAt !== null ? 'CLOSED' : 'OPEN',
    isDraft: pull.isDraft,
    merged: pull.mergedAt !== null,
    mergedAt: time(pull.mergedAt),
    mergedBy: () => (pull.mergedById === null ? null : context.fieldsOf.author(pull.mergedById)),
    additions: sum('additions'),
    deletions: sum('deletions'),
    changedFiles: pull.files.length,
    totalCommentsCount: pull.comments.length + pull.reviewComments.length,
    baseRefName: repository.defaultBranch,
    headRefName: `change-${pull.number}`,
    // The world holds only the number of the branch's commits.
    commits: { totalCount: pull.commitCount },
    ...pullRequestLists(context, repository, pull),
  };
}

function pullRequestLists(context: FieldRequest, repository: Repository, pull: PullRequest): Fields {
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
            .filter(({ state, authorId }) => state !== 'PENDING' || context.viewer.accountId === authorId)
            .filter(({ state }) => !args.states || args.states.includes(state))
            .filter(({ authorId }) => !args.author || authorId === context.world.accountByLogin(args.author)?.id),
          key: (review) => review.createdAt.getTime(),
          id: (review) => review.id,
          toNode: (review) => context.fieldsOf.review(repository, pull, review),
        },
        args,
      ),
    reviewRequests: (args: PageArguments) =>
      connection(
        {
          name: 'reviewRequests',
          items: pull.requestedReviewerIds.filter((id) => context.world.accountById(id) !== undefined),
          key: (id) => id,
          id: (id) => id,
          toNode: (id) => ({
            id: nodeId('RRQ', pull.id + id),
            databaseId: pull.id + id,
            asCodeOwner: false,
            pullRequest: () => context.fieldsOf.pullRequest(repository, pull),
            requestedReviewer: () => context.fieldsOf.author(id),
          }),
        },
        args,
      ),
    ...relatedLists(context, repository, pull),
  };
}

function relatedLists(context: FieldRequest, repository: Repository, pull: PullRequest): Fields {
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
            comments: (args: PageArguments) => reviewComments(context, repository, pull, [comment], args),
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
          toNode: (issue) => context.fieldsOf.issue(repository, issue),
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
  context: FieldRequest,
  repository: Repository,
  pull: PullRequest,
  items: readonly ReviewComment[],
  args: PageArguments,
): Fields {
  const toNode = (comment: ReviewComment): Fields => context.fieldsOf.reviewComment(repository, pull, comment);
  return connection({ name: 'comments', items, ...byCreation, toNode }, args);
}

export function reviewFields(context: FieldRequest, repository: Repository, pull: PullRequest, review: Review): Fields {
  return {
    __typename: 'PullRequestReview',
    ...writtenFields(context, repository, review, `pull/${pull.number}#pullrequestreview-${review.id}`),
    databaseId: review.id,
    fullDatabaseId: String(review.id),
    state: review.state,
    submittedAt: time(review.submittedAt),
    pullRequest: () => context.fieldsOf.pullRequest(repository, pull),
    comments: (args: PageArguments) => {
      const own = pull.reviewComments.filter(({ reviewId }) => reviewId === review.id);
      return reviewComments(context, repository, pull, own, args);
    },
  };
}
