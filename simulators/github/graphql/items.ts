import type { Closing, Discussion, Issue, PullRequest, Repository } from '../../world/model.ts';
import { nodeId } from '../../world/world.ts';
import { connection, type Order, ordering, type PageArguments } from './connection.ts';
import { type FieldRequest, type Fields, time } from './field-request.ts';
import { itemFields, users } from './parts.ts';

/** Issues and discussions. */

export function issueFields(context: FieldRequest, repository: Repository, issue: Issue): Fields {
  return {
    __typename: 'Issue',
    ...itemFields(context, repository, issue, `issues/${issue.number}`),
    ...threadFields(context, repository, issue),
    state: issue.closedAt === null ? 'OPEN' : 'CLOSED',
    stateReason: ({ enableDuplicate }: { enableDuplicate?: boolean | null }) =>
      // As on GitHub, clients that do not know of duplicates yet get `NOT_PLANNED`.
      issue.stateReason === 'DUPLICATE' && !enableDuplicate ? 'NOT_PLANNED' : issue.stateReason,
    closedByPullRequestsReferences: (args: PageArguments & { includeClosedPrs?: boolean | null }) =>
      connection(
        {
          name: 'closedByPullRequestsReferences',
          items: linkedPulls(context, issue).filter(
            ({ closedAt, mergedAt }) => args.includeClosedPrs || closedAt === null || mergedAt !== null,
          ),
          key: (pull) => pull.number,
          id: (pull) => pull.id,
          toNode: (pull) => context.fieldsOf.pullRequest(repository, pull),
        },
        args,
      ),
  };
}

function linkedPulls({ world }: FieldRequest, issue: Issue): PullRequest[] {
  return issue.linkedPullRequestIds.flatMap((id) => {
    const placed = world.findItem(nodeId('PR', id));
    return placed?.kind === 'pull_request' ? [placed.item] : [];
  });
}

/** Returns the fields that issues and pull requests share. */
export function threadFields(context: FieldRequest, repository: Repository, thread: Issue | PullRequest): Fields {
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
          toNode: (comment) => context.fieldsOf.comment(repository, thread, comment),
        },
        args,
      ),
    assignees: (args: PageArguments) => users(context, 'assignees', thread.assigneeIds, args),
    timelineItems: (args: PageArguments & { itemTypes?: string[] | null }) =>
      timeline(context, repository, thread, args),
  };
}

function timeline(
  context: FieldRequest,
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
      toNode: (closing) => closedEventFields(context, repository, closing),
    },
    args,
  );
  return { ...list, filteredCount: thread.closings.length, updatedAt: time(thread.updatedAt) };
}

function closedEventFields(context: FieldRequest, repository: Repository, { id, at, byId, closer }: Closing): Fields {
  return {
    __typename: 'ClosedEvent',
    id: nodeId('CE', id),
    createdAt: time(at),
    actor: () => context.fieldsOf.author(byId),
    closer: () => {
      if (closer === null) return null;
      if ('commitOid' in closer) {
        const commit = repository.commits.find(({ oid }) => oid === closer.commitOid);
        return commit === undefined ? null : context.fieldsOf.commit(repository, commit);
      }
      const placed = context.world.findItem(nodeId('PR', closer.pullRequestId));
      return placed?.kind === 'pull_request' ? context.fieldsOf.pullRequest(placed.repository, placed.item) : null;
    },
  };
}

export function discussionFields(context: FieldRequest, repository: Repository, discussion: Discussion): Fields {
  const { category, comments, upvoterIds } = discussion;
  const answer = comments.find(({ id }) => id === discussion.answerId);
  const fieldsOfComment = (comment: Discussion['comments'][number]): Fields =>
    context.fieldsOf.discussionComment(repository, discussion, comment);
  return {
    __typename: 'Discussion',
    ...itemFields(context, repository, discussion, `discussions/${discussion.number}`),
    stateReason: discussion.stateReason,
    category: () => categoryFields(context, repository, category),
    upvoteCount: upvoterIds.length,
    viewerHasUpvoted: upvoterIds.some((id) => id === context.viewer.accountId),
    // Null where the category is not answerable.
    isAnswered: category.isAnswerable ? answer !== undefined : null,
    answer: () => (answer === undefined ? null : fieldsOfComment(answer)),
    answerChosenAt: time(discussion.answerChosenAt),
    answerChosenBy: () =>
      discussion.answerChosenById === null ? null : context.fieldsOf.author(discussion.answerChosenById),
    comments: (args: PageArguments) =>
      connection(
        { name: 'comments', items: comments, key: byCreation, id: (comment) => comment.id, toNode: fieldsOfComment },
        args,
      ),
  };
}

function categoryFields(
  context: FieldRequest,
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
    repository: () => context.fieldsOf.repository(repository),
  };
}

const byCreation = ({ createdAt }: { createdAt: Date }): number => createdAt.getTime();
const byUpdate = ({ updatedAt }: { updatedAt: Date }): number => updatedAt.getTime();
