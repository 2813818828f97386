import type { EventDetails, WorldEvent } from '../../world/events.ts';
import type { Account, Repository } from '../../world/model.ts';
import { time } from '../graphql/field-request.ts';
import { ghost, type ResponseContext, simpleAccount, simpleOrganization } from '../rest/accounts.ts';
import { listAddresses } from '../rest/addresses.ts';
import { issueComment, reviewComment } from '../rest/comments.ts';
import { describeRepository, issue, label } from '../rest/repositories.ts';
import { discussion, discussionComment } from './discussions.ts';
import { fullPullRequest, review, simplePullRequest } from './pull-requests.ts';
import { pushed } from './push.ts';

/**
 * Returns the payload that GitHub sends for an event. It shows the present state, and lacks the App's installation.
 * @see https://docs.github.com/en/webhooks/webhook-events-and-payloads
 */
export function toPayload(context: ResponseContext, event: WorldEvent): object {
  const { action, repository, ownerId, senderId, details } = event;
  const owner = context.world.accountById(ownerId);
  return {
    ...(action !== null && { action }),
    ...(repository === null ? aboutAccount(context, event, owner) : aboutRepository(context, event, repository)),
    ...(repository !== null && { repository: describeRepository(context, repository) }),
    ...(owner?.type === 'Organization' && { organization: simpleOrganization(context, owner) }),
    sender: account(context, context.world.accountById(senderId)),
    ...details.more,
  };
}

function aboutRepository(context: ResponseContext, event: WorldEvent, repository: Repository): object {
  const { name, action, details } = event;
  const { fork, push, starredAt, account: subject } = details;
  switch (name) {
    case 'issue_comment':
    case 'issues':
      return aboutThread(context, action, repository, details);
    case 'pull_request':
    case 'pull_request_review':
    case 'pull_request_review_comment':
      return aboutPullRequest(context, name, action, repository, details);
    case 'discussion':
    case 'discussion_comment':
      return aboutDiscussion(context, name, action, repository, details);
    case 'star':
      return { starred_at: time(starredAt ?? null) };
    case 'push':
      if (push === undefined) throw new Error('a push of nothing');
      return pushed(context, repository, push, context.world.accountById(event.senderId)?.login ?? ghost.login);
    case 'fork':
      if (fork === undefined) throw new Error('a fork of nothing');
      return { forkee: { ...describeRepository(context, fork), public: fork.visibility === 'public' } };
    case 'member':
      return { member: account(context, subject), ...(action === 'added' && { changes: {} }) };
    case 'repository':
      return action === 'transferred' ? { changes: { owner: { from: formerOwner(context, subject) } } } : {};
    case 'public':
      return {};
    default:
      throw new Error(`the simulator does not know the event ${name}`);
  }
}

function aboutThread(
  context: ResponseContext,
  action: string | null,
  repository: Repository,
  details: EventDetails,
): object {
  const thread = details.issue ?? details.pullRequest;
  if (thread === undefined) throw new Error('an event about no issue');
  const { comment } = details;
  return {
    issue: issue(context, repository, thread),
    ...(comment && { comment: issueComment(context, repository, { thread, comment }) }),
    ...labelOrPerson(context, action, repository, details),
  };
}

function aboutPullRequest(
  context: ResponseContext,
  name: string,
  action: string | null,
  repository: Repository,
  details: EventDetails,
): object {
  const { pullRequest: pull, review: submittedReview, reviewComment: comment } = details;
  if (pull === undefined) throw new Error('an event about no pull request');
  if (name === 'pull_request') {
    const fullPull = fullPullRequest(context, repository, pull);
    return { number: pull.number, pull_request: fullPull, ...labelOrPerson(context, action, repository, details) };
  }
  return {
    pull_request: simplePullRequest(context, repository, pull),
    ...(submittedReview && { review: review(context, repository, pull, submittedReview) }),
    ...(comment && { comment: reviewComment(context, repository, pull, comment) }),
  };
}

/** Returns the label or the person that an action is about. */
function labelOrPerson(
  context: ResponseContext,
  action: string | null,
  repository: Repository,
  { label: name, account: subject }: EventDetails,
): object {
  const isReviewer = action === 'review_requested' || action === 'review_request_removed';
  return {
    ...(name !== undefined && { label: label(listAddresses(context, repository).url, name) }),
    ...(subject && { [isReviewer ? 'requested_reviewer' : 'assignee']: account(context, subject) }),
  };
}

function aboutDiscussion(
  context: ResponseContext,
  name: string,
  action: string | null,
  repository: Repository,
  details: EventDetails,
): object {
  const { discussion: item, discussionComment: comment } = details;
  if (item === undefined) throw new Error('an event about no discussion');
  const role = name === 'discussion_comment' ? 'comment' : action === 'unanswered' ? 'old_answer' : 'answer';
  return {
    discussion: discussion(context, repository, item),
    ...(comment && { [role]: discussionComment(context, repository, item, comment) }),
    ...labelOrPerson(context, action, repository, details),
  };
}

function aboutAccount(context: ResponseContext, { name, details }: WorldEvent, of: Account | undefined): object {
  if (name !== 'organization' || of === undefined) throw new Error(`the simulator does not know the event ${name}`);
  const { account: subject } = details;
  if (subject === undefined) return {};
  const url = `${context.apiUrl}/orgs/${of.login}`;
  const { state = 'active', role = 'member' } = context.world.membership(of.id, subject.id) ?? {};
  const user = account(context, subject);
  return { membership: { url: `${url}/memberships/${subject.login}`, state, role, organization_url: url, user } };
}

function formerOwner(context: ResponseContext, owner: Account | undefined): object {
  if (owner?.type === 'Organization') return { organization: simpleOrganization(context, owner) };
  return { user: account(context, owner) };
}

function account(context: ResponseContext, of: Account | undefined): object {
  return simpleAccount(context, of ?? ghost);
}
