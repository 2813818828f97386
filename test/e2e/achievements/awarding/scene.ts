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
import { stage } from './awarding.ts';

/** Returns actions of two people in the repository, in turn, with which one of them earns every achievement. */
export function scene(simulator: Simulator): (() => void)[] {
  const { world } = simulator;
  const repository = stage(simulator);
  const [hero, other] = [personCalled(simulator, 'ada-lovelace'), personCalled(simulator, 'max-member')];
  const merge = (author: Account): void => {
    const files = [{ path: 'a.ts', additions: 60, deletions: 1 }];
    closeItem(world, addPullRequest(world, repository, { author, files }), { merged: true, by: other });
  };
  return [
    () => {
      const issue = addIssue(world, repository, { author: hero });
      label(world, issue, 'Bug');
      addComment(world, issue, { author: hero });
      addComment(world, issue, { author: other });
    },
    () => merge(other),
    () => {
      merge(hero);
      merge(hero);
    },
    () => {
      const issue = addIssue(world, repository, { author: other });
      react(world, issue, { by: hero, content: 'HEART' });
      assign(world, issue, hero);
      closeItem(world, issue, { by: hero, reason: 'NOT_PLANNED' });
    },
    () => {
      const issue = addIssue(world, repository, { author: hero });
      react(world, issue, { by: other, content: 'ROCKET' });
      addComment(world, issue, { author: hero });
      closeItem(world, issue, { by: other, reason: 'NOT_PLANNED' });
    },
    () => {
      const pull = addPullRequest(world, repository, { author: hero });
      requestReview(world, pull, other);
      addReview(world, pull, { author: other });
      addReviewComment(world, pull, { author: other });
      assign(world, pull, other);
      closeItem(world, pull, { merged: true, by: other });
      merge(hero);
    },
    () => {
      const discussion = addDiscussion(world, repository, { author: other });
      const answer = addDiscussionComment(world, discussion, { author: hero });
      markAnswer(world, discussion, answer);
      upvote(world, discussion, hero);
    },
    () => {
      const [author, coAuthor] = [hero, other].map(({ login, emails }) => ({ name: login, email: emails[0] ?? '' }));
      assert.ok(author && coAuthor);
      addCommit(world, repository, { author, coAuthors: [coAuthor] });
      addCommit(world, repository, { author: coAuthor, coAuthors: [author] });
    },
    () => {
      star(world, repository, hero);
      for (let count = 0; count < 3; count += 1) {
        addReview(world, addPullRequest(world, repository, { author: other }), { author: hero });
      }
    },
  ];
}

export function personCalled({ world }: Simulator, login: string): Account {
  return world.accountByLogin(login) ?? assert.fail(login);
}
