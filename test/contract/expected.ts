import type { Issue, PullRequest, Reactable, Repository, Review } from '../../simulators/world/model.ts';
import { type Contribution, noDetails, reviewStates } from '../../src/model/contribution.ts';
import type { ContractHost } from './host.ts';
import type { ContractWorld } from './world.ts';

/**
 * Normalizes a contribution for comparisons: providers report comments by the number of their item, and the store adds
 * the id.
 */
export function normalize(contribution: Contribution): Contribution {
  const { kind, details } = contribution;
  const parentExternalId = kind === 'review' ? contribution.parentExternalId : null;
  return { ...contribution, parentExternalId, details: details && sortLists(details) };
}

type Details = NonNullable<Contribution['details']>;

function sortLists(details: Details): Details {
  const { assignees, reviewers, labels, reactions } = details;
  return {
    ...details,
    assignees: assignees.toSorted(),
    reviewers: reviewers.toSorted(),
    labels: labels.toSorted(),
    reactions: reactions.toSorted((left, right) => (left.emoji < right.emoji ? -1 : 1)),
  };
}

export function withoutUnreported(details: Details | null, { unreported }: ContractHost): Partial<Details> | null {
  return (
    details &&
    Object.fromEntries(
      Object.entries(sortLists(details)).filter(([name]) => !unreported.some((field) => field === name)),
    )
  );
}

export function compareContributions(left: Contribution, right: Contribution): number {
  return `${left.kind} ${left.externalId}` < `${right.kind} ${right.externalId}` ? -1 : 1;
}

function withReportedTitle(pull: PullRequest, draftPrefix: string): PullRequest {
  return pull.isDraft ? { ...pull, title: `${draftPrefix}${pull.title}` } : pull;
}

/** Returns who closed an issue, or the author of the pull request that did. */
function toResolver(
  repository: Repository,
  { closedAt, closings }: Issue,
  toId: (id: number | null) => string | null,
): string | null {
  const closing = closings.at(-1);
  if (closedAt === null || closing === undefined) return null;
  const { closer, byId } = closing;
  const pull =
    closer !== null && 'pullRequestId' in closer
      ? repository.pullRequests.find(({ id }) => id === closer.pullRequestId)
      : undefined;
  return toId(pull?.authorId ?? byId);
}

/** Returns all contributions of a repository as the domain objects that follow from the world alone. */
export function expectedContributions(
  { world }: ContractWorld,
  repository: Repository,
  host: Pick<ContractHost, 'reviewStates' | 'reviewMoment' | 'draftPrefix' | 'countsCommentsOfReviews'>,
): Contribution[] {
  const { reviewMoment, draftPrefix } = host;
  const submitted = reportedReviews(host.reviewStates);
  const toId = (id: number | null): string | null => {
    const account = id === null ? undefined : world.accountById(id);
    return account === undefined ? null : String(account.id);
  };
  const ids = (people: readonly number[]): string[] => people.map(toId).filter((id) => id !== null);
  const common = (item: Issue | PullRequest): Details => ({
    ...noDetails,
    number: item.number,
    assignees: ids(item.assigneeIds),
    labels: item.labels,
    reactions: listReactions(toId, item),
    comments: item.comments.length,
  });
  const all = [
    ...repository.issues.map((issue) =>
      toContribution('issue', issue, toId(issue.authorId), {
        ...common(issue),
        resolvedBy: toResolver(repository, issue, toId),
        reason: issue.stateReason,
      }),
    ),
    ...repository.pullRequests.flatMap((pull) => [
      toContribution('pull_request', withReportedTitle(pull, draftPrefix), toId(pull.authorId), {
        ...common(pull),
        mergedBy: toId(pull.mergedById),
        reviewers: [
          ...new Set(ids([...pull.requestedReviewerIds, ...submitted(pull).map(({ authorId }) => authorId)])),
        ],
      }),
      ...submitted(pull).map((review) => {
        const contribution = toContribution('review', review, toId(review.authorId), {
          ...noDetails,
          state: reviewStates.find((state) => state === review.state.toLowerCase()) ?? null,
          comments: host.countsCommentsOfReviews
            ? pull.reviewComments.filter(({ reviewId }) => reviewId === review.id).length
            : null,
        });
        contribution.createdAt = review[reviewMoment] ?? review.createdAt;
        contribution.parentExternalId = String(pull.id);
        return contribution;
      }),
      ...pull.reviewComments.map((comment) =>
        toContribution('review_comment', comment, toId(comment.authorId), {
          ...noDetails,
          number: pull.number,
          reactions: listReactions(toId, comment),
        }),
      ),
    ]),
    ...[...repository.issues, ...repository.pullRequests].flatMap((item) =>
      item.comments.map((comment) =>
        toContribution('mergedAt' in item ? 'pull_request_comment' : 'issue_comment', comment, toId(comment.authorId), {
          ...noDetails,
          number: item.number,
          reactions: listReactions(toId, comment),
        }),
      ),
    ),
  ];
  return all.map(normalize).toSorted(compareContributions);
}

function listReactions(toId: (id: number) => string | null, { reactions }: Reactable): Details['reactions'] {
  return reactions.map(({ content, accountId }) => ({ emoji: content, reactor: toId(accountId) }));
}

function reportedReviews(states: ContractHost['reviewStates']): (pull: PullRequest) => Review[] {
  return ({ reviews }) => reviews.filter(({ state }) => states.includes(state));
}

interface Dated {
  id: number;
  createdAt: Date;
  updatedAt: Date;
  closedAt?: Date | null;
  mergedAt?: Date | null;
  number?: number;
  title?: string;
}

function toContribution(
  kind: Contribution['kind'],
  { id, createdAt, updatedAt, closedAt = null, mergedAt = null, number, title }: Dated,
  author: string | null,
  details: Details | null,
): Contribution {
  return {
    kind,
    externalId: String(id),
    parentExternalId: null,
    author,
    createdAt,
    updatedAt,
    closedAt,
    mergedAt,
    answered: false,
    answeredBy: null,
    details,
    ...(number !== undefined && title !== undefined && { heading: { number, title } }),
  };
}
