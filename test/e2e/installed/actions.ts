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

/** The repository that an action changes, and the people who act in it. */
interface ActionContext {
  world: World;
  random: Random;
  repository: Repository;
  actor: Account;
  otherPerson: Account;
}

type Action = (fixture: ActionContext) => unknown;

const labels = ['bug', 'docs', 'Good First Issue'];

/** Actions of people in a repository. An action without an object does nothing. */
const actions: readonly Action[] = [
  ({ world, repository, actor }) => addIssue(world, repository, { author: actor }),
  ({ world, repository, actor }) => addPullRequest(world, repository, { author: actor }),
  ({ world, repository, actor }) => addDiscussion(world, repository, { author: actor }),
  ({ world, repository, actor }) => addCommit(world, repository, { author: toPerson(actor) }),
  ({ world, repository, actor, otherPerson }) =>
    addCommit(world, repository, { author: toPerson(actor), coAuthors: [toPerson(otherPerson)] }),
  ({ world, random, repository, actor }) => {
    const pull = random.pickIfAny(repository.pullRequests);
    return pull && addReview(world, pull, { author: actor, state: random.pick(['APPROVED', 'COMMENTED', 'PENDING']) });
  },
  ({ world, random, repository, actor }) => {
    const item = random.pickIfAny([...repository.issues, ...repository.pullRequests]);
    return item && addComment(world, item, { author: actor });
  },
  ({ world, random, repository, actor }) => {
    const pull = random.pickIfAny(repository.pullRequests);
    return pull && addReviewComment(world, pull, { author: actor });
  },
  ({ world, random, repository, actor }) => {
    const discussion = random.pickIfAny(repository.discussions);
    return discussion && addDiscussionComment(world, discussion, { author: actor });
  },
  ({ world, random, repository }) => {
    const discussion = random.pickIfAny(repository.discussions.filter(({ comments }) => comments.length > 0));
    if (discussion === undefined) return;
    if (discussion.answerId === null) markAnswer(world, discussion, random.pick(discussion.comments));
    else unmarkAnswer(world, discussion);
  },
  ({ world, random, repository, actor }) => {
    const open = random.pickIfAny(listItems(repository).filter(({ closedAt }) => closedAt === null));
    return open && closeItem(world, open, { by: actor, ...('mergedAt' in open && { merged: random.chance(0.6) }) });
  },
  ({ world, random, repository, actor }) => {
    const closed = random.pickIfAny(
      listItems(repository).filter((item) => item.closedAt !== null && !('mergedAt' in item && item.mergedAt !== null)),
    );
    return closed && reopenItem(world, closed, { by: actor });
  },
  ({ world, random, repository, actor }) => {
    const item = random.pickIfAny([...repository.issues, ...repository.discussions]);
    return item && deleteItem(world, repository, item, { by: actor });
  },
  ({ world, random, repository, actor }) => {
    const item = random.pickIfAny(listItems(repository));
    const name = random.pick(labels);
    return item && (item.labels.includes(name) ? unlabel : label)(world, item, name, { by: actor });
  },
  ({ world, random, repository, otherPerson }) => {
    const item = random.pickIfAny([...repository.issues, ...repository.pullRequests]);
    return item && (item.assigneeIds.includes(otherPerson.id) ? unassign : assign)(world, item, otherPerson);
  },
  ({ world, random, repository, otherPerson }) => {
    const pull = random.pickIfAny(repository.pullRequests.filter(({ authorId }) => authorId !== otherPerson.id));
    return (
      pull &&
      (pull.requestedReviewerIds.includes(otherPerson.id) ? unrequestReview : requestReview)(world, pull, otherPerson)
    );
  },
  ({ world, random, repository }) => {
    const pull = random.pickIfAny(repository.pullRequests);
    const review = pull?.reviews.find(({ state }) => state === 'APPROVED');
    return pull && review && dismissReview(world, pull, review);
  },
  ({ world, random, repository, actor }) => {
    const comment = random.pickIfAny(listComments(repository));
    return comment && editComment(world, comment, 'Edited.', { by: actor });
  },
  ({ world, random, repository, actor }) => {
    const comment = random.pickIfAny(listComments(repository));
    return comment && deleteComment(world, comment, { by: actor });
  },
  ({ world, random, repository, actor }) => {
    const to = random.pickIfAny([...listItems(repository), ...listComments(repository)]);
    if (to === undefined) return;
    const reaction = to.reactions.find(({ accountId }) => accountId === actor.id);
    if (reaction === undefined) react(world, to, { by: actor, content: random.pick(reactionContents) });
    else unreact(world, to, { by: actor, content: reaction.content });
  },
  ({ world, random, repository, actor }) => {
    const discussion = random.pickIfAny(repository.discussions.filter(({ authorId }) => authorId !== actor.id));
    return discussion && (discussion.upvoterIds.includes(actor.id) ? takeBackUpvote : upvote)(world, discussion, actor);
  },
  ({ world, repository, actor }) =>
    (repository.stars.some(({ accountId }) => accountId === actor.id) ? unstar : star)(world, repository, actor),
  ({ world, random, repository, actor }) => {
    if (repository.commits.length > 2 && random.chance(0.3)) forcePush(world, repository, 2, [toEmail(actor)]);
  },
  ({ world, random, repository }) => {
    if (!random.chance(0.2)) return;
    setVisibility(world, repository, repository.visibility === 'public' ? 'private' : 'public');
  },
];

/** Performs one random action in a repository. */
export function performRandomAction(world: World, random: Random, repository: Repository): void {
  const people = world.accounts.filter(({ type, isDeleted }) => type === 'User' && !isDeleted).slice(0, 12);
  random.pick(actions)({ world, random, repository, actor: random.pick(people), otherPerson: random.pick(people) });
}

function listItems({ issues, pullRequests, discussions }: Repository) {
  return [...issues, ...pullRequests, ...discussions];
}

function listComments({ issues, pullRequests }: Repository) {
  return [
    ...issues.flatMap(({ comments }) => comments),
    ...pullRequests.flatMap(({ comments, reviewComments }) => [...comments, ...reviewComments]),
  ];
}

function toPerson(account: Account): { name: string; email: string } {
  return { name: account.login, email: toEmail(account) };
}

function toEmail({ id, login, emails }: Account): string {
  return emails[0] ?? `${id}+${login}@users.noreply.github.com`;
}
