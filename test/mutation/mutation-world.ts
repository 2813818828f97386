import {
  addCommit,
  addDiscussion,
  addIssue,
  addPullRequest,
  addRepository,
  addReview,
} from '../../simulators/world/activity.ts';
import { addComment, addDiscussionComment, markAnswer } from '../../simulators/world/comments.ts';
import type { Account, Repository } from '../../simulators/world/model.ts';
import { closeItem } from '../../simulators/world/mutations.ts';
import { addAccount } from '../../simulators/world/people.ts';
import { react, upvote } from '../../simulators/world/reactions.ts';
import { star } from '../../simulators/world/repository-changes.ts';
import { type ContractWorld, createContractWorld } from '../contract/world.ts';

/** The world of the contract tests, with an example of everything that hosts serve. */
export interface MutationWorld extends ContractWorld {
  /** Owned by a person and not installed, so that the service reads only its counts. */
  notes: Repository;
  /** An account that its host hides from strangers, where the host supports that. */
  hidden: Account;
}

export function createMutationWorld({ withDiscussions }: { withDiscussions: boolean }): MutationWorld {
  const contract = createContractWorld();
  const { world, people, repositories, advance } = contract;
  const { ada, max, olive } = people;
  const hidden = addAccount(world, { login: 'hidden-hannah', createdAt: world.now(), emails: ['hannah@mail.example'] });
  const notes = addRepository(world, {
    ownerId: ada.id,
    name: 'notes',
    description: 'Notes A to G',
    language: 'TypeScript',
    createdAt: world.now(),
    hasDiscussions: withDiscussions,
  });
  addIssue(world, notes, { author: max });
  closeItem(world, addIssue(world, notes, { author: hidden }), { by: ada });
  const pull = addPullRequest(world, notes, { author: olive });
  addReview(world, pull, { author: ada });
  addReview(world, pull, { author: max });
  closeItem(world, pull, { merged: true, by: ada });
  addPullRequest(world, notes, { author: max });
  for (const { login, emails } of [olive, hidden]) {
    addCommit(world, repositories.handbook, { author: { name: login, email: emails[0] ?? '' } });
  }
  // Git takes most of the time of a run, and one history serves as well as three.
  repositories.plans.commits.length = 0;
  addComment(world, pull, { author: ada });
  star(world, notes, olive);
  star(world, notes, max);
  if (withDiscussions) {
    repositories.handbook.hasDiscussions = true;
    for (const repository of [repositories.handbook, notes]) addDiscussions(contract, repository);
  }
  advance(3600);
  return { ...contract, notes, hidden };
}

function addDiscussions({ world, people: { ada, max, olive } }: ContractWorld, repository: Repository): void {
  const answered = addDiscussion(world, repository, { author: ada });
  const answer = addDiscussionComment(world, answered, { author: max });
  markAnswer(world, answered, answer);
  addDiscussionComment(world, addDiscussion(world, repository, { author: olive }), { author: ada });
  react(world, answered, { by: max, content: 'ROCKET' });
  upvote(world, answered, olive);
}
