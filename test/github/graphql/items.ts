import type { Discussion, Issue, PullRequest, Repository, Review } from '../world/model.ts';
import { connection, type PageArguments } from './connection.ts';
import { type Fields, type Question, time } from './question.ts';

/** What people write in a repository: issues, pull requests with their reviews, discussions with their answers. */

export function issueFields(question: Question, repository: Repository, issue: Issue): Fields {
  return {
    ...common(question, repository, issue, 'Issue', 'issues'),
    databaseId: issue.id,
    fullDatabaseId: String(issue.id),
    state: issue.closedAt === null ? 'OPEN' : 'CLOSED',
    stateReason: issue.stateReason,
    labels: (args: PageArguments) => labels(issue.labels, args),
  };
}

export function pullRequestFields(question: Question, repository: Repository, pull: PullRequest): Fields {
  return {
    ...common(question, repository, pull, 'PullRequest', 'pull'),
    databaseId: pull.id,
    fullDatabaseId: String(pull.id),
    state: pull.mergedAt !== null ? 'MERGED' : pull.closedAt !== null ? 'CLOSED' : 'OPEN',
    isDraft: pull.isDraft,
    merged: pull.mergedAt !== null,
    mergedAt: time(pull.mergedAt),
    labels: (args: PageArguments) => labels(pull.labels, args),
    reviews: (args: PageArguments) =>
      connection(
        {
          name: 'reviews',
          items: pull.reviews.filter(({ state, authorId }) => state !== 'PENDING' || isViewer(question, authorId)),
          key: (review) => review.createdAt.getTime(),
          id: (review) => review.id,
          toNode: (review) => question.tell.review(repository, pull, review),
        },
        args,
      ),
  };
}

export function reviewFields(question: Question, repository: Repository, pull: PullRequest, review: Review): Fields {
  return {
    __typename: 'PullRequestReview',
    id: review.nodeId,
    databaseId: review.id,
    fullDatabaseId: String(review.id),
    state: review.state,
    createdAt: time(review.createdAt),
    updatedAt: time(review.updatedAt),
    submittedAt: time(review.submittedAt),
    author: () => question.tell.author(review.authorId),
    pullRequest: () => question.tell.pullRequest(repository, pull),
    repository: () => question.tell.repository(repository),
  };
}

export function discussionFields(question: Question, repository: Repository, discussion: Discussion): Fields {
  const answer = discussion.comments.find(({ id }) => id === discussion.answerId);
  return {
    ...common(question, repository, discussion, 'Discussion', 'discussions'),
    databaseId: discussion.id,
    isAnswered: answer !== undefined,
    answer:
      answer === undefined
        ? null
        : {
            __typename: 'DiscussionComment',
            id: answer.nodeId,
            databaseId: answer.id,
            createdAt: time(answer.createdAt),
            isAnswer: true,
            author: () => question.tell.author(answer.authorId),
          },
  };
}

function common(
  question: Question,
  repository: Repository,
  item: Issue | PullRequest | Discussion,
  type: string,
  path: string,
): Fields {
  const { nodeId, number, title, createdAt, updatedAt, closedAt, authorId } = item;
  return {
    __typename: type,
    id: nodeId,
    number,
    title,
    createdAt: time(createdAt),
    updatedAt: time(updatedAt),
    closedAt: time(closedAt),
    closed: closedAt !== null,
    author: () => question.tell.author(authorId),
    repository: () => question.tell.repository(repository),
    url: () => {
      const owner = question.world.accountById(repository.ownerId)?.login ?? 'ghost';
      return `${question.origin}/${owner}/${repository.name}/${path}/${number}`;
    },
  };
}

function labels(names: readonly string[], args: PageArguments): Fields {
  return connection(
    { name: 'labels', items: names, key: (name) => name, id: (name) => name, toNode: (name) => ({ name }) },
    args,
  );
}

function isViewer({ viewer }: Question, accountId: number): boolean {
  return viewer.accountId === accountId;
}
