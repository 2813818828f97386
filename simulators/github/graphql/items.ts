import type { Closing, Discussion, Issue, PullRequest, Repository } from '../../world/model.ts';
import { nodeId } from '../../world/world.ts';
import { connection, type Order, ordering, type PageArguments } from './connection.ts';
import { itemFields, users } from './parts.ts';
import { type Fields, type Question, time } from './question.ts';

/** Issues and discussions. */

export function issueFields(question: Question, repository: Repository, issue: Issue): Fields {
  return {
    __typename: 'Issue',
    ...itemFields(question, repository, issue, `issues/${issue.number}`),
    ...threadFields(question, repository, issue),
    state: issue.closedAt === null ? 'OPEN' : 'CLOSED',
    stateReason: ({ enableDuplicate }: { enableDuplicate?: boolean | null }) =>
      // As on GitHub, clients that do not know of duplicates yet get `NOT_PLANNED`.
      issue.stateReason === 'DUPLICATE' && !enableDuplicate ? 'NOT_PLANNED' : issue.stateReason,
    closedByPullRequestsReferences: (args: PageArguments & { includeClosedPrs?: boolean | null }) =>
      connection(
        {
          name: 'closedByPullRequestsReferences',
          items: linkedPulls(question, issue).filter(
            ({ closedAt, mergedAt }) => args.includeClosedPrs || closedAt === null || mergedAt !== null,
          ),
          key: (pull) => pull.number,
          id: (pull) => pull.id,
          toNode: (pull) => question.tell.pullRequest(repository, pull),
        },
        args,
      ),
  };
}

function linkedPulls({ world }: Question, issue: Issue): PullRequest[] {
  return issue.linkedPullRequestIds.flatMap((id) => {
    const placed = world.placeOf(nodeId('PR', id));
    return placed?.kind === 'pull_request' ? [placed.item] : [];
  });
}

/** Returns the fields that issues and pull requests share. */
export function threadFields(question: Question, repository: Repository, thread: Issue | PullRequest): Fields {
  return {
    fullDatabaseId: String(thread.id),
    comments: (args: PageArguments & Order) =>
      connection(
        {
          name: 'comments',
          items: thread.comments,
          // The default is the order of creation.
          ...ordering<Issue['comments'][number]>({ CREATED_AT: byCreation, UPDATED_AT: byUpdate }, args, 'CREATED_AT'),
          id: (comment) => comment.id,
          toNode: (comment) => question.tell.comment(repository, thread, comment),
        },
        args,
      ),
    assignees: (args: PageArguments) => users(question, 'assignees', thread.assigneeIds, args),
    timelineItems: (args: PageArguments & { itemTypes?: string[] | null }) =>
      timeline(question, repository, thread, args),
  };
}

function timeline(
  question: Question,
  repository: Repository,
  thread: Issue | PullRequest,
  args: PageArguments & { itemTypes?: string[] | null },
): Fields {
  if (args.itemTypes?.join() !== 'CLOSED_EVENT')
    throw new Error('the simulator knows the timeline item CLOSED_EVENT only');
  const list = connection(
    {
      name: 'timelineItems',
      items: thread.closings,
      key: ({ at }) => at.getTime(),
      id: ({ id }) => id,
      toNode: (closing) => closedEventFields(question, repository, closing),
    },
    args,
  );
  return { ...list, filteredCount: thread.closings.length, updatedAt: time(thread.updatedAt) };
}

function closedEventFields(question: Question, repository: Repository, { id, at, byId, closer }: Closing): Fields {
  return {
    __typename: 'ClosedEvent',
    id: nodeId('CE', id),
    createdAt: time(at),
    actor: () => question.tell.author(byId),
    closer: () => {
      if (closer === null) return null;
      if ('commitOid' in closer) {
        const commit = repository.commits.find(({ oid }) => oid === closer.commitOid);
        return commit === undefined ? null : question.tell.commit(repository, commit);
      }
      const placed = question.world.placeOf(nodeId('PR', closer.pullRequestId));
      return placed?.kind === 'pull_request' ? question.tell.pullRequest(placed.repository, placed.item) : null;
    },
  };
}

export function discussionFields(question: Question, repository: Repository, discussion: Discussion): Fields {
  const { category, comments, upvoterIds } = discussion;
  const answer = comments.find(({ id }) => id === discussion.answerId);
  const tellComment = (comment: Discussion['comments'][number]): Fields =>
    question.tell.discussionComment(repository, discussion, comment);
  return {
    __typename: 'Discussion',
    ...itemFields(question, repository, discussion, `discussions/${discussion.number}`),
    stateReason: discussion.stateReason,
    category: () => categoryFields(question, repository, category),
    upvoteCount: upvoterIds.length,
    viewerHasUpvoted: upvoterIds.some((id) => id === question.viewer.accountId),
    // Null where the category is not answerable.
    isAnswered: category.isAnswerable ? answer !== undefined : null,
    answer: () => (answer === undefined ? null : tellComment(answer)),
    answerChosenAt: time(discussion.answerChosenAt),
    answerChosenBy: () =>
      discussion.answerChosenById === null ? null : question.tell.author(discussion.answerChosenById),
    comments: (args: PageArguments) =>
      connection(
        { name: 'comments', items: comments, key: byCreation, id: (comment) => comment.id, toNode: tellComment },
        args,
      ),
  };
}

function categoryFields(
  question: Question,
  repository: Repository,
  { id, name, isAnswerable }: Discussion['category'],
) {
  return {
    __typename: 'DiscussionCategory',
    id: nodeId('DIC', id),
    name,
    slug: name.toLowerCase().replace(/[^a-z]+/g, '-'),
    emoji: ':speech_balloon:',
    description: null,
    isAnswerable,
    createdAt: time(repository.createdAt),
    updatedAt: time(repository.createdAt),
    repository: () => question.tell.repository(repository),
  };
}

const byCreation = ({ createdAt }: { createdAt: Date }): number => createdAt.getTime();
const byUpdate = ({ updatedAt }: { updatedAt: Date }): number => updatedAt.getTime();
