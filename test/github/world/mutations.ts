import { touch } from './activity.ts';
import { makeCommit } from './commits.ts';
import type { Account, Discussion, Issue, PullRequest, Repository } from './model.ts';
import { addAccount } from './people.ts';
import type { World } from './world.ts';

/** What happens to accounts, repositories and what is in them, besides that more is added. */

export function renameAccount(world: World, account: Account, login: string): void {
  account.login = login;
  touch(account, world.now());
  world.changed();
}

export function deleteAccount(world: World, account: Account): void {
  account.isDeleted = true;
  world.changed();
}

/** Brings a deleted or suspended account back. */
export function restoreAccount(world: World, account: Account): void {
  account.isDeleted = false;
  world.changed();
}

/** Somebody else takes a login that became free. */
export function takeLogin(world: World, login: string): Account {
  return addAccount(world, { login, createdAt: world.now(), name: 'Somebody New' });
}

export function changeProfile(world: World, account: Account, changes: Partial<Account>): void {
  Object.assign(account, changes);
  touch(account, world.now());
  world.changed();
}

export function closeItem(world: World, item: Issue | PullRequest, how: { merged?: boolean } = {}): void {
  item.closedAt = world.now();
  if ('mergedAt' in item && how.merged) item.mergedAt = item.closedAt;
  touch(item, item.closedAt);
  world.changed();
}

export function reopenIssue(world: World, issue: Issue): void {
  issue.closedAt = null;
  issue.stateReason = null;
  touch(issue, world.now());
  world.changed();
}

/** Removes an issue, pull request or discussion; nothing tells that it was there. */
export function deleteItem(world: World, repository: Repository, item: Issue | PullRequest | Discussion): void {
  repository.issues = repository.issues.filter((one) => one !== item);
  repository.pullRequests = repository.pullRequests.filter((one) => one !== item);
  repository.discussions = repository.discussions.filter((one) => one !== item);
  world.changed();
}

export function unmarkAnswer(world: World, discussion: Discussion): void {
  discussion.answerId = null;
  touch(discussion, world.now());
  world.changed();
}

/** The default branch loses its newest commits; others take their place. */
export function forcePush(world: World, repository: Repository, lost: number, replacement: string[]): void {
  repository.commits.splice(Math.max(0, repository.commits.length - lost));
  for (const email of replacement) {
    const parent = repository.commits.at(-1)?.oid;
    const at = world.now();
    const described = { author: { name: 'Pusher', email }, message: 'Instead', authoredAt: at, committedAt: at };
    repository.commits.push(makeCommit(parent === undefined ? [] : [parent], described));
  }
  repository.pushedAt = world.now();
  touch(repository, world.now());
  world.changed();
}

export function setVisibility(world: World, repository: Repository, visibility: Repository['visibility']): void {
  repository.visibility = visibility;
  touch(repository, world.now());
  world.changed();
}

export function renameRepository(world: World, repository: Repository, name: string): void {
  repository.name = name;
  touch(repository, world.now());
  world.changed();
}

export function transferRepository(world: World, repository: Repository, owner: Account): void {
  repository.ownerId = owner.id;
  touch(repository, world.now());
  world.changed();
}

export function deleteRepository(world: World, repository: Repository): void {
  world.repositories.splice(world.repositories.indexOf(repository), 1);
  world.changed();
}
