import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { now } from '../../../../simulators/github/send-request.ts';
import { checkPayload } from '../../../../simulators/github/webhooks/payload-schema.ts';
import { toPayload } from '../../../../simulators/github/webhooks/payloads.ts';
import {
  addCommit,
  addDiscussion,
  addIssue,
  addPullRequest,
  addRepository,
  addReview,
  submitReview,
} from '../../../../simulators/world/activity.ts';
import {
  addComment,
  addDiscussionComment,
  addReviewComment,
  deleteComment,
  editComment,
  markAnswer,
  unmarkAnswer,
} from '../../../../simulators/world/comments.ts';
import type { WorldEvent } from '../../../../simulators/world/events.ts';
import * as mutations from '../../../../simulators/world/mutations.ts';
import { addAccount } from '../../../../simulators/world/people.ts';
import { react, takeBackUpvote, unreact, upvote } from '../../../../simulators/world/reactions.ts';
import * as changes from '../../../../simulators/world/repository-changes.ts';
import * as threads from '../../../../simulators/world/threads.ts';
import { World } from '../../../../simulators/world/world.ts';

interface Delivered {
  event: WorldEvent;
  // Each test checks the fields that it expects.
  payload: Record<string, Record<string, unknown>>;
}

/** Makes a world with an organization, its repository and some people, and records its events. */
function newWorld() {
  const world = new World(now);
  const createdAt = now();
  const organization = addAccount(world, { login: 'engines', type: 'Organization', createdAt });
  const ada = addAccount(world, { login: 'ada', createdAt, emails: ['ada@mail.example'] });
  const bob = addAccount(world, { login: 'bob', createdAt });
  const repository = addRepository(world, { ownerId: organization.id, name: 'engine', createdAt });
  const sent: Delivered[] = [];
  const context = {
    world,
    viewer: { accountId: null, seesPrivate: false },
    origin: 'https://github.example',
    apiUrl: 'https://api.github.example',
  };
  world.listeners.add((event) => {
    const payload = toPayload(context, event);
    checkPayload(event.name, payload);
    sent.push({ event, payload: JSON.parse(JSON.stringify(payload)) });
  });
  /** Calls a function, and returns the names of the events that it causes. */
  const names = (act: () => unknown): string[] => {
    const before = sent.length;
    act();
    return sent.slice(before).map(({ event: { name, action } }) => (action === null ? name : `${name}.${action}`));
  };
  const last = (): Delivered['payload'] => sent.at(-1)?.payload ?? assert.fail();
  return { world, organization, ada, bob, repository, names, last };
}

describe('webhooks of the simulated GitHub', () => {
  it('sends the events and payloads that GitHub sends for changes of issues and comments', () => {
    const { world, ada, bob, repository, names, last } = newWorld();
    const issue = addIssue(world, repository, { author: ada });
    const steps: [string, () => unknown][] = [
      ['issues.labeled', () => threads.label(world, issue, 'bug', { by: bob })],
      ['issues.unlabeled', () => threads.unlabel(world, issue, 'bug')],
      ['issues.assigned', () => threads.assign(world, issue, bob)],
      ['issues.unassigned', () => threads.unassign(world, issue, bob)],
      ['issues.edited', () => threads.editTitle(world, issue, 'Another')],
      ['issue_comment.created', () => addComment(world, issue, { author: bob })],
      ['issue_comment.edited', () => editComment(world, issue.comments[0] ?? assert.fail(), 'changed')],
      ['issue_comment.deleted', () => deleteComment(world, issue.comments[0] ?? assert.fail())],
      ['issues.closed', () => mutations.closeItem(world, issue, { by: bob, reason: 'NOT_PLANNED' })],
      ['issues.reopened', () => mutations.reopenItem(world, issue)],
      ['issues.deleted', () => mutations.deleteItem(world, repository, issue)],
    ];
    for (const [name, act] of steps) {
      assert.deepEqual(names(act), [name]);
      assert.equal(last()['issue']?.['node_id'], issue.nodeId);
      if (name === 'issues.labeled') assert.equal(last()['sender']?.['login'], 'bob');
      if (name === 'issues.closed') assert.equal(last()['issue']?.['state_reason'], 'not_planned');
      if (name === 'issues.reopened') assert.equal(last()['issue']?.['state_reason'], 'reopened');
    }
    assert.equal(repository.issues.length, 0);
    assert.equal(world.findItem(issue.nodeId), undefined);
  });

  it('sends the events and payloads that GitHub sends for changes of pull requests and reviews', () => {
    const { world, ada, bob, repository, names, last } = newWorld();
    const issue = addIssue(world, repository, { author: bob });
    assert.deepEqual(
      names(() => addPullRequest(world, repository, { author: ada, closes: [issue] })),
      ['pull_request.opened'],
    );
    const pull = repository.pullRequests[0] ?? assert.fail();
    const file = { path: 'a.ts', additions: 7, deletions: 2 };
    const steps: [string[], () => unknown][] = [
      [['pull_request.labeled'], () => threads.label(world, pull, 'bug')],
      [['pull_request.assigned'], () => threads.assign(world, pull, ada)],
      [['pull_request.unassigned'], () => threads.unassign(world, pull, ada)],
      [['pull_request.unlabeled'], () => threads.unlabel(world, pull, 'bug')],
      [['pull_request.review_requested'], () => threads.requestReview(world, pull, bob)],
      [['pull_request.review_request_removed'], () => threads.unrequestReview(world, pull, bob)],
      [['pull_request.converted_to_draft'], () => threads.setDraft(world, pull, true)],
      [['pull_request.ready_for_review'], () => threads.setDraft(world, pull, false)],
      [['pull_request.edited'], () => threads.editTitle(world, pull, 'Another')],
      [['pull_request.synchronize'], () => threads.pushToPullRequest(world, pull, [file])],
      [[], () => addReview(world, pull, { author: bob, state: 'PENDING' })],
      [
        ['pull_request_review.submitted'],
        () => submitReview(world, pull, pull.reviews[0] ?? assert.fail(), 'CHANGES_REQUESTED'),
      ],
      [['pull_request_review.dismissed'], () => threads.dismissReview(world, pull, pull.reviews[0] ?? assert.fail())],
      [
        ['pull_request_review.submitted', 'pull_request_review_comment.created'],
        () => addReviewComment(world, pull, { author: bob }),
      ],
      [
        ['pull_request_review_comment.edited'],
        () => editComment(world, pull.reviewComments[0] ?? assert.fail(), 'changed'),
      ],
      [['pull_request_review_comment.deleted'], () => deleteComment(world, pull.reviewComments[0] ?? assert.fail())],
      [['issue_comment.created'], () => addComment(world, pull, { author: bob })],
      [['pull_request.closed'], () => mutations.closeItem(world, pull)],
      [['pull_request.reopened'], () => mutations.reopenItem(world, pull)],
      [['pull_request.closed', 'issues.closed'], () => mutations.closeItem(world, pull, { merged: true, by: bob })],
      [[], () => mutations.deleteItem(world, repository, pull)],
    ];
    for (const [expected, act] of steps) {
      assert.deepEqual(names(act), expected);
      const [name] = expected;
      if (name === 'pull_request.synchronize') assert.equal(last()['pull_request']?.['additions'], 8);
      if (name === 'issue_comment.created') assert.ok(last()['issue']?.['pull_request']);
    }
    assert.deepEqual(
      [issue.closings.at(-1)?.closer, issue.closings.at(-1)?.byId],
      [{ pullRequestId: pull.id }, bob.id],
    );
  });

  it('sends the events and payloads that GitHub sends for changes of discussions', () => {
    const { world, ada, bob, repository, names, last } = newWorld();
    assert.deepEqual(
      names(() => addDiscussion(world, repository, { author: ada })),
      ['discussion.created'],
    );
    const discussion = repository.discussions[0] ?? assert.fail();
    const first = () => discussion.comments[0] ?? assert.fail();
    const steps: [string, () => unknown][] = [
      ['discussion_comment.created', () => addDiscussionComment(world, discussion, { author: bob })],
      ['discussion_comment.edited', () => editComment(world, first(), 'changed')],
      ['discussion.answered', () => markAnswer(world, discussion, first())],
      ['discussion.unanswered', () => unmarkAnswer(world, discussion)],
      ['discussion.labeled', () => threads.label(world, discussion, 'ideas')],
      ['discussion.unlabeled', () => threads.unlabel(world, discussion, 'ideas')],
      ['discussion.edited', () => threads.editTitle(world, discussion, 'Another')],
      ['discussion.closed', () => mutations.closeItem(world, discussion, { reason: 'OUTDATED' })],
      ['discussion.reopened', () => mutations.reopenItem(world, discussion)],
      ['discussion_comment.deleted', () => deleteComment(world, first())],
      ['discussion.deleted', () => mutations.deleteItem(world, repository, discussion)],
    ];
    for (const [name, act] of steps) {
      assert.deepEqual(names(act), [name]);
      assert.equal(last()['discussion']?.['id'], discussion.id);
      if (name === 'discussion.answered') assert.equal(last()['answer']?.['node_id'], first().nodeId);
    }
  });

  it('sends the events and payloads that GitHub sends for changes of repositories and organizations', () => {
    const { world, organization, ada, bob, repository, names, last } = newWorld();
    const author = { name: 'Ada', email: 'ada@mail.example' };
    const steps: [string[], () => unknown][] = [
      [['push'], () => addCommit(world, repository, { author })],
      [['push'], () => changes.writeFile(world, repository, '.plaudit/config.yaml', 'version: 1', author)],
      [['push'], () => changes.writeFile(world, repository, '.plaudit/config.yaml', null, author)],
      [['push'], () => mutations.forcePush(world, repository, 3, [])],
      [['push'], () => mutations.forcePush(world, repository, 0, ['ada@mail.example'])],
      [['star.created'], () => changes.star(world, repository, ada)],
      [['star.deleted'], () => changes.unstar(world, repository, ada)],
      [['repository.created', 'fork'], () => changes.addFork(world, repository, ada)],
      [['repository.renamed'], () => mutations.renameRepository(world, repository, 'engine-2')],
      [['repository.edited'], () => changes.setDescription(world, repository, 'New')],
      [['repository.edited'], () => changes.renameDefaultBranch(world, repository, 'trunk')],
      [['repository.archived'], () => changes.setArchived(world, repository, true)],
      [['repository.unarchived'], () => changes.setArchived(world, repository, false)],
      [['repository.privatized'], () => mutations.setVisibility(world, repository, 'private')],
      [['member.added'], () => changes.addCollaborator(world, repository, ada)],
      [['member.removed'], () => changes.removeCollaborator(world, repository, ada)],
      [['repository.publicized', 'public'], () => mutations.setVisibility(world, repository, 'public')],
      [['repository.transferred'], () => mutations.transferRepository(world, repository, bob)],
      [['repository.deleted'], () => mutations.deleteRepository(world, repository)],
      [['organization.member_added'], () => changes.addMember(world, organization, ada, 'admin')],
      [['organization.member_removed'], () => changes.removeMember(world, organization, ada)],
      [['organization.renamed'], () => mutations.renameAccount(world, organization, 'machines')],
    ];
    const pushes: unknown[] = [];
    for (const [expected, act] of steps) {
      assert.deepEqual(names(act), expected);
      const { created, deleted, forced, commits } = last();
      if (expected[0] === 'push') pushes.push([created, deleted, forced, Object(commits).length]);
      if (expected[0] === 'star.deleted') assert.equal(last()['starred_at'], null);
      if (expected[0] === 'organization.renamed') assert.deepEqual(last()['changes'], { login: { from: 'engines' } });
    }
    assert.deepEqual(pushes, [
      [true, false, false, 1],
      [false, false, false, 1],
      [false, false, false, 1],
      [false, true, true, 0],
      [true, false, true, 1],
    ]);
  });

  it('sends no event and touches no item for reactions, upvotes and changed profiles', () => {
    const { world, ada, bob, repository, names } = newWorld();
    const discussion = addDiscussion(world, repository, { author: ada, createdAt: new Date(0) });
    const issue = addIssue(world, repository, { author: ada, createdAt: new Date(0) });
    const reaction = { by: bob, content: 'HEART' } as const;
    const silent = (): void => {
      react(world, issue, reaction);
      react(world, issue, reaction);
      upvote(world, discussion, bob);
      mutations.changeProfile(world, ada, { bio: 'new' });
      mutations.renameAccount(world, ada, 'ada-king');
    };
    assert.deepEqual(names(silent), []);
    assert.deepEqual([issue.reactions.length, discussion.upvoterIds], [1, [ada.id, bob.id]]);
    assert.deepEqual(
      names(() => {
        unreact(world, issue, reaction);
        takeBackUpvote(world, discussion, bob);
      }),
      [],
    );
    assert.deepEqual([issue.reactions.length, discussion.upvoterIds], [0, [ada.id]]);
    assert.deepEqual([issue.updatedAt, discussion.updatedAt], [new Date(0), new Date(0)]);
  });
});
