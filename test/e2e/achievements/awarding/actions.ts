import assert from 'node:assert/strict';
import type { Simulator } from '../../../../simulators/github/simulator.ts';
import {
  addCommit,
  addDiscussion,
  addIssue,
  addPullRequest,
  addReview,
} from '../../../../simulators/world/activity.ts';
import {
  addComment,
  addDiscussionComment,
  addReviewComment,
  markAnswer,
} from '../../../../simulators/world/comments.ts';
import type { Account } from '../../../../simulators/world/model.ts';
import { closeItem } from '../../../../simulators/world/mutations.ts';
import { react, upvote } from '../../../../simulators/world/reactions.ts';
import { star } from '../../../../simulators/world/repository-changes.ts';
import { assign, label, requestReview } from '../../../../simulators/world/threads.ts';
import { awardingRepository } from './awarding.ts';

/** Returns actions of two people in the repository, in turn, with which one of them earns every achievement. */
export function awardingActions(simulator: Simulator): (() => void)[] {
  const { world } = simulator;
  const repository = awardingRepository(simulator);
  const [ada, max] = [personCalled(simulator, 'ada-lovelace'), personCalled(simulator, 'max-member')];
  const merge = (author: Account): void => {
    const files = [{ path: 'a.ts', additions: 60, deletions: 1 }];
    closeItem(world, addPullRequest(world, repository, { author, files }), { merged: true, by: max });
  };
  return [
    () => {
      const issue = addIssue(world, repository, { author: ada });
      label(world, issue, 'Bug');
      addComment(world, issue, { author: ada });
      addComment(world, issue, { author: max });
    },
    () => merge(max),
    () => {
      merge(ada);
      merge(ada);
    },
    () => {
      const issue = addIssue(world, repository, { author: max });
      react(world, issue, { by: ada, content: 'HEART' });
      assign(world, issue, ada);
      closeItem(world, issue, { by: ada, reason: 'NOT_PLANNED' });
    },
    () => {
      const issue = addIssue(world, repository, { author: ada });
      react(world, issue, { by: max, content: 'ROCKET' });
      addComment(world, issue, { author: ada });
      closeItem(world, issue, { by: max, reason: 'NOT_PLANNED' });
    },
    () => {
      const pull = addPullRequest(world, repository, { author: ada });
      requestReview(world, pull, max);
      addReview(world, pull, { author: max });
      addReviewComment(world, pull, { author: max });
      assign(world, pull, max);
      closeItem(world, pull, { merged: true, by: max });
      merge(ada);
    },
    () => {
      const discussion = addDiscussion(world, repository, { author: max });
      const answer = addDiscussionComment(world, discussion, { author: ada });
      markAnswer(world, discussion, answer);
      upvote(world, discussion, ada);
    },
    () => {
      const [author, coAuthor] = [ada, max].map(({ login, emails }) => ({ name: login, email: emails[0] ?? '' }));
      assert.ok(author && coAuthor);
      addCommit(world, repository, { author, coAuthors: [coAuthor] });
      addCommit(world, repository, { author: coAuthor, coAuthors: [author] });
    },
    () => {
      star(world, repository, ada);
      for (let count = 0; count < 3; count += 1) {
        addReview(world, addPullRequest(world, repository, { author: max }), { author: ada });
      }
    },
  ];
}

export function personCalled({ world }: Simulator, login: string): Account {
  return world.accountByLogin(login) ?? assert.fail(login);
}
