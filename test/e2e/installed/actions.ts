import { addCommit, addDiscussion, addIssue, addPullRequest, addReview } from '../../../simulators/world/activity.ts';
import {
  addComment,
  addDiscussionComment,
  addReviewComment,
  deleteComment,
  editComment,
  markAnswer,
  unmarkAnswer,
} from '../../../simulators/world/comments.ts';
import { type Account, type Repository, reactionContents } from '../../../simulators/world/model.ts';
import { closeItem, deleteItem, forcePush, reopenItem, setVisibility } from '../../../simulators/world/mutations.ts';
import type { Random } from '../../../simulators/world/random.ts';
import { react, takeBackUpvote, unreact, upvote } from '../../../simulators/world/reactions.ts';
import { star, unstar } from '../../../simulators/world/repository-changes.ts';
import {
  assign,
  dismissReview,
  label,
  requestReview,
  unassign,
  unlabel,
  unrequestReview,
} from '../../../simulators/world/threads.ts';
import type { World } from '../../../simulators/world/world.ts';

/** The people and the repository of a deed. */
interface Scene {
  world: World;
  random: Random;
  repository: Repository;
  by: Account;
  other: Account;
}

type Action = (scene: Scene) => unknown;

const labels = ['bug', 'docs', 'Good First Issue'];

/** Deeds of people in a repository. A deed without an object does nothing. */
const actions: readonly Action[] = [
  ({ world, repository, by }) => addIssue(world, repository, { author: by }),
  ({ world, repository, by }) => addPullRequest(world, repository, { author: by }),
  ({ world, repository, by }) => addDiscussion(world, repository, { author: by }),
  ({ world, repository, by }) => addCommit(world, repository, { author: personOf(by) }),
  ({ world, repository, by, other }) =>
    addCommit(world, repository, { author: personOf(by), coAuthors: [personOf(other)] }),
  ({ world, random, repository, by }) => {
    const pull = random.pickIfAny(repository.pullRequests);
    return pull && addReview(world, pull, { author: by, state: random.pick(['APPROVED', 'COMMENTED', 'PENDING']) });
  },
  ({ world, random, repository, by }) => {
    const item = random.pickIfAny([...repository.issues, ...repository.pullRequests]);
    return item && addComment(world, item, { author: by });
  },
  ({ world, random, repository, by }) => {
    const pull = random.pickIfAny(repository.pullRequests);
    return pull && addReviewComment(world, pull, { author: by });
  },
  ({ world, random, repository, by }) => {
    const discussion = random.pickIfAny(repository.discussions);
    return discussion && addDiscussionComment(world, discussion, { author: by });
  },
  ({ world, random, repository }) => {
    const discussion = random.pickIfAny(repository.discussions.filter(({ comments }) => comments.length > 0));
    if (discussion === undefined) return;
    if (discussion.answerId === null) markAnswer(world, discussion, random.pick(discussion.comments));
    else unmarkAnswer(world, discussion);
  },
  ({ world, random, repository, by }) => {
    const open = random.pickIfAny(itemsOf(repository).filter(({ closedAt }) => closedAt === null));
    return open && closeItem(world, open, { by, ...('mergedAt' in open && { merged: random.chance(0.6) }) });
  },
  ({ world, random, repository, by }) => {
    const closed = random.pickIfAny(
      itemsOf(repository).filter((item) => item.closedAt !== null && !('mergedAt' in item && item.mergedAt !== null)),
    );
    return closed && reopenItem(world, closed, { by });
  },
  ({ world, random, repository, by }) => {
    const item = random.pickIfAny([...repository.issues, ...repository.discussions]);
    return item && deleteItem(world, repository, item, { by });
  },
  ({ world, random, repository, by }) => {
    const item = random.pickIfAny(itemsOf(repository));
    const name = random.pick(labels);
    return item && (item.labels.includes(name) ? unlabel : label)(world, item, name, { by });
  },
  ({ world, random, repository, other }) => {
    const item = random.pickIfAny([...repository.issues, ...repository.pullRequests]);
    return item && (item.assigneeIds.includes(other.id) ? unassign : assign)(world, item, other);
  },
  ({ world, random, repository, other }) => {
    const pull = random.pickIfAny(repository.pullRequests.filter(({ authorId }) => authorId !== other.id));
    return pull && (pull.requestedReviewerIds.includes(other.id) ? unrequestReview : requestReview)(world, pull, other);
  },
  ({ world, random, repository }) => {
    const pull = random.pickIfAny(repository.pullRequests);
    const review = pull?.reviews.find(({ state }) => state === 'APPROVED');
    return pull && review && dismissReview(world, pull, review);
  },
  ({ world, random, repository, by }) => {
    const comment = random.pickIfAny(commentsOf(repository));
    return comment && editComment(world, comment, 'Edited.', { by });
  },
  ({ world, random, repository, by }) => {
    const comment = random.pickIfAny(commentsOf(repository));
    return comment && deleteComment(world, comment, { by });
  },
  ({ world, random, repository, by }) => {
    const to = random.pickIfAny([...itemsOf(repository), ...commentsOf(repository)]);
    if (to === undefined) return;
    const known = to.reactions.find(({ accountId }) => accountId === by.id);
    if (known === undefined) react(world, to, { by, content: random.pick(reactionContents) });
    else unreact(world, to, { by, content: known.content });
  },
  ({ world, random, repository, by }) => {
    const discussion = random.pickIfAny(repository.discussions.filter(({ authorId }) => authorId !== by.id));
    return discussion && (discussion.upvoterIds.includes(by.id) ? takeBackUpvote : upvote)(world, discussion, by);
  },
  ({ world, repository, by }) =>
    (repository.stars.some(({ accountId }) => accountId === by.id) ? unstar : star)(world, repository, by),
  ({ world, random, repository, by }) => {
    if (repository.commits.length > 2 && random.chance(0.3)) forcePush(world, repository, 2, [emailOf(by)]);
  },
  ({ world, random, repository }) => {
    if (!random.chance(0.2)) return;
    setVisibility(world, repository, repository.visibility === 'public' ? 'private' : 'public');
  },
];

/** Does one thing to a repository. */
export function doSomething(world: World, random: Random, repository: Repository): void {
  const people = world.accounts.filter(({ type, isDeleted }) => type === 'User' && !isDeleted).slice(0, 12);
  random.pick(actions)({ world, random, repository, by: random.pick(people), other: random.pick(people) });
}

function itemsOf({ issues, pullRequests, discussions }: Repository) {
  return [...issues, ...pullRequests, ...discussions];
}

function commentsOf({ issues, pullRequests }: Repository) {
  return [
    ...issues.flatMap(({ comments }) => comments),
    ...pullRequests.flatMap(({ comments, reviewComments }) => [...comments, ...reviewComments]),
  ];
}

function personOf(account: Account): { name: string; email: string } {
  return { name: account.login, email: emailOf(account) };
}

function emailOf({ id, login, emails }: Account): string {
  return emails[0] ?? `${id}+${login}@users.noreply.github.com`;
}
