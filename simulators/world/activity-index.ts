import type { Commit, Discussion, Issue, PullRequest, Repository, Review } from './model.ts';
import type { World } from './world.ts';

/** An item that an account contributed, and its repository. */
export interface ActivityItem<Item> {
  repository: Repository;
  item: Item;
}

/** Everything that one account did. */
export interface Activity {
  commits: ActivityItem<Commit>[];
  issues: ActivityItem<Issue>[];
  pullRequests: ActivityItem<PullRequest>[];
  reviews: ActivityItem<Review & { pullRequest: PullRequest }>[];
  discussions: ActivityItem<Discussion>[];
  /** Discussions whose accepted answer is a comment of the account. */
  answers: ActivityItem<Discussion>[];
}

const indexes = new WeakMap<World, { version: number; byAccount: Map<number, Activity> }>();

/** Returns everything that an account did in all repositories; commits in forks are not its contributions. */
export function toActivity(world: World, accountId: number): Activity {
  const index = indexes.get(world);
  const byAccount = index?.version === world.version ? index.byAccount : indexActivity(world);
  if (index?.version !== world.version) indexes.set(world, { version: world.version, byAccount });
  return byAccount.get(accountId) ?? noActivity();
}

function indexActivity(world: World): Map<number, Activity> {
  const byAccount = new Map<number, Activity>();
  const activityFor = (accountId: number): Activity => {
    const activity = byAccount.get(accountId) ?? noActivity();
    byAccount.set(accountId, activity);
    return activity;
  };
  const owners = new Map<string, number | undefined>();
  const findOwner = (email: string): number | undefined => {
    if (!owners.has(email)) owners.set(email, world.accountByEmail(email)?.id);
    return owners.get(email);
  };
  for (const repository of world.repositories) {
    for (const commit of repository.isFork ? [] : repository.commits) {
      const authors = new Set([commit.author, ...commit.coAuthors].map(({ email }) => findOwner(email)));
      for (const id of authors) if (id !== undefined) activityFor(id).commits.push({ repository, item: commit });
    }
    for (const item of repository.issues) activityFor(item.authorId).issues.push({ repository, item });
    for (const item of repository.pullRequests) {
      activityFor(item.authorId).pullRequests.push({ repository, item });
      for (const review of item.reviews) {
        activityFor(review.authorId).reviews.push({ repository, item: { ...review, pullRequest: item } });
      }
    }
    for (const item of repository.discussions) {
      activityFor(item.authorId).discussions.push({ repository, item });
      const answer = item.comments.find(({ id }) => id === item.answerId);
      if (answer !== undefined) activityFor(answer.authorId).answers.push({ repository, item });
    }
  }
  return byAccount;
}

function noActivity(): Activity {
  return { commits: [], issues: [], pullRequests: [], reviews: [], discussions: [], answers: [] };
}
