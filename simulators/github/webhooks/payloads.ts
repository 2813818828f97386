import type { EventDetails, WorldEvent } from '../../world/events.ts';
import type { Account, Repository } from '../../world/model.ts';
import { time } from '../graphql/field-request.ts';
import { ghost, type Place, simpleAccount, simpleOrganization } from '../rest/accounts.ts';
import { addressesOf } from '../rest/addresses.ts';
import { issueComment, reviewComment } from '../rest/comments.ts';
import { issue, label, repository } from '../rest/repositories.ts';
import { discussion, discussionComment } from './discussions.ts';
import { fullPullRequest, review, simplePullRequest } from './pull-requests.ts';
import { pushed } from './push.ts';

/**
 * Returns the payload that GitHub sends for an event. It shows the present state, and lacks the App's installation.
 * @see https://docs.github.com/en/webhooks/webhook-events-and-payloads
 */
export function payloadOf(place: Place, event: WorldEvent): object {
  const { action, repository: shown, ownerId, senderId, details } = event;
  const owner = place.world.accountById(ownerId);
  return {
    ...(action !== null && { action }),
    ...(shown === null ? aboutAccount(place, event, owner) : aboutRepository(place, event, shown)),
    ...(shown !== null && { repository: repository(place, shown) }),
    ...(owner?.type === 'Organization' && { organization: simpleOrganization(place, owner) }),
    sender: account(place, place.world.accountById(senderId)),
    ...details.more,
  };
}

function aboutRepository(place: Place, event: WorldEvent, shown: Repository): object {
  const { name, action, details } = event;
  const { fork, push, starredAt, account: subject } = details;
  switch (name) {
    case 'issue_comment':
    case 'issues':
      return aboutThread(place, action, shown, details);
    case 'pull_request':
    case 'pull_request_review':
    case 'pull_request_review_comment':
      return aboutPullRequest(place, name, action, shown, details);
    case 'discussion':
    case 'discussion_comment':
      return aboutDiscussion(place, name, action, shown, details);
    case 'star':
      return { starred_at: time(starredAt ?? null) };
    case 'push':
      if (push === undefined) throw new Error('a push of nothing');
      return pushed(place, shown, push, place.world.accountById(event.senderId)?.login ?? ghost.login);
    case 'fork':
      if (fork === undefined) throw new Error('a fork of nothing');
      return { forkee: { ...repository(place, fork), public: fork.visibility === 'public' } };
    case 'member':
      return { member: account(place, subject), ...(action === 'added' && { changes: {} }) };
    case 'repository':
      return action === 'transferred' ? { changes: { owner: { from: formerOwner(place, subject) } } } : {};
    case 'public':
      return {};
    default:
      throw new Error(`the simulator does not know the event ${name}`);
  }
}

function aboutThread(place: Place, action: string | null, shown: Repository, details: EventDetails): object {
  const thread = details.issue ?? details.pullRequest;
  if (thread === undefined) throw new Error('an event about no issue');
  const { comment } = details;
  return {
    issue: issue(place, shown, thread),
    ...(comment && { comment: issueComment(place, shown, { thread, comment }) }),
    ...involved(place, action, shown, details),
  };
}

function aboutPullRequest(
  place: Place,
  name: string,
  action: string | null,
  shown: Repository,
  details: EventDetails,
): object {
  const { pullRequest: pull, review: given, reviewComment: comment } = details;
  if (pull === undefined) throw new Error('an event about no pull request');
  if (name === 'pull_request') {
    const fullPull = fullPullRequest(place, shown, pull);
    return { number: pull.number, pull_request: fullPull, ...involved(place, action, shown, details) };
  }
  return {
    pull_request: simplePullRequest(place, shown, pull),
    ...(given && { review: review(place, shown, pull, given) }),
    ...(comment && { comment: reviewComment(place, shown, pull, comment) }),
  };
}

/** Returns the label or the person that an action is about. */
function involved(
  place: Place,
  action: string | null,
  shown: Repository,
  { label: name, account: subject }: EventDetails,
): object {
  const isReviewer = action === 'review_requested' || action === 'review_request_removed';
  return {
    ...(name !== undefined && { label: label(addressesOf(place, shown).url, name) }),
    ...(subject && { [isReviewer ? 'requested_reviewer' : 'assignee']: account(place, subject) }),
  };
}

function aboutDiscussion(
  place: Place,
  name: string,
  action: string | null,
  shown: Repository,
  details: EventDetails,
): object {
  const { discussion: item, discussionComment: comment } = details;
  if (item === undefined) throw new Error('an event about no discussion');
  const role = name === 'discussion_comment' ? 'comment' : action === 'unanswered' ? 'old_answer' : 'answer';
  return {
    discussion: discussion(place, shown, item),
    ...(comment && { [role]: discussionComment(place, shown, item, comment) }),
    ...involved(place, action, shown, details),
  };
}

function aboutAccount(place: Place, { name, details }: WorldEvent, of: Account | undefined): object {
  if (name !== 'organization' || of === undefined) throw new Error(`the simulator does not know the event ${name}`);
  const { account: subject } = details;
  if (subject === undefined) return {};
  const url = `${place.apiUrl}/orgs/${of.login}`;
  const { state = 'active', role = 'member' } = place.world.membership(of.id, subject.id) ?? {};
  const user = account(place, subject);
  return { membership: { url: `${url}/memberships/${subject.login}`, state, role, organization_url: url, user } };
}

function formerOwner(place: Place, owner: Account | undefined): object {
  if (owner?.type === 'Organization') return { organization: simpleOrganization(place, owner) };
  return { user: account(place, owner) };
}

function account(place: Place, of: Account | undefined): object {
  return simpleAccount(place, of ?? ghost);
}
