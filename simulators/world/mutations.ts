import { findRepository, touch } from './activity.ts';
import { aboutThread } from './comments.ts';
import { makeCommit } from './commits.ts';
import {
  type Account,
  type Closing,
  type Commit,
  type Discussion,
  type Issue,
  isDiscussion,
  isPullRequest,
  type PullRequest,
  type Repository,
} from './model.ts';
import { addAccount } from './people.ts';
import { type Acting, emitAccountEvent, emitEvent } from './report-changes.ts';
import type { World } from './world.ts';

/** Changes of accounts, repositories and their items, other than additions. */

export function renameAccount(world: World, account: Account, login: string): void {
  const more = { changes: { login: { from: account.login } } };
  account.login = login;
  touch(account, world.now());
  world.markChanged();
  // GitHub sends no event when a person is renamed.
  if (account.type === 'Organization') emitAccountEvent(world, account, 'organization.renamed', account.id, { more });
}

export function deleteAccount(world: World, account: Account): void {
  account.isDeleted = true;
  world.markChanged();
}

/** Restores a deleted or suspended account. */
export function restoreAccount(world: World, account: Account): void {
  account.isDeleted = false;
  world.markChanged();
}

/** Adds another account with a login that became free. */
export function takeLogin(world: World, login: string): Account {
  return addAccount(world, { login, createdAt: world.now(), name: 'Somebody New' });
}

export function changeProfile(world: World, account: Account, changes: Partial<Account>): void {
  Object.assign(account, changes);
  touch(account, world.now());
  world.markChanged();
}

export interface ClosingOptions extends Acting {
  /** For pull requests: true to merge. */
  merged?: boolean;
  /** Default: COMPLETED for issues, RESOLVED for discussions. */
  reason?: 'COMPLETED' | 'NOT_PLANNED' | 'DUPLICATE' | 'RESOLVED' | 'OUTDATED';
  /** The pull request or commit that closes an issue. */
  closer?: PullRequest | Commit;
  at?: Date;
}

/** Closes an item, and with a merged pull request the issues that it declares to close. `by` defaults to the author. */
export function closeItem(world: World, item: Issue | PullRequest | Discussion, options: ClosingOptions = {}): void {
  const { at = world.now(), by } = options;
  const senderId = by?.id ?? item.authorId;
  const repository = findRepository(world, item);
  item.closedAt = at;
  touch(item, at);
  if (isDiscussion(item)) {
    item.stateReason = options.reason === 'OUTDATED' || options.reason === 'DUPLICATE' ? options.reason : 'RESOLVED';
    emitEvent(world, repository, 'discussion.closed', senderId, { discussion: item });
    return;
  }
  item.closings.push({ id: world.newId(), at, byId: senderId, closer: findCloser(options.closer) });
  if (!isPullRequest(item)) {
    item.stateReason =
      options.reason === 'NOT_PLANNED' || options.reason === 'DUPLICATE' ? options.reason : 'COMPLETED';
    emitEvent(world, repository, 'issues.closed', senderId, { issue: item });
    return;
  }
  if (options.merged) Object.assign(item, { mergedAt: at, mergedById: senderId });
  emitEvent(world, repository, 'pull_request.closed', senderId, { pullRequest: item });
  const linked = repository.issues.filter((issue) => issue.linkedPullRequestIds.includes(item.id));
  for (const issue of options.merged ? linked : [])
    if (issue.closedAt === null) closeItem(world, issue, { at, closer: item, ...(by && { by }) });
}

function findCloser(closer: PullRequest | Commit | undefined): Closing['closer'] {
  if (closer === undefined) return null;
  return 'oid' in closer ? { commitOid: closer.oid } : { pullRequestId: closer.id };
}

/** Reopens an item, except for a merged pull request. `by` defaults to the item's author. */
export function reopenItem(world: World, item: Issue | PullRequest | Discussion, acting: Acting = {}): void {
  if (isPullRequest(item) && item.mergedAt !== null) throw new Error('a merged pull request cannot be reopened');
  item.closedAt = null;
  if (!isPullRequest(item)) item.stateReason = 'REOPENED';
  touch(item, world.now());
  const about = isDiscussion(item) ? { discussion: item } : aboutThread(item);
  const event = isDiscussion(item) ? 'discussion' : isPullRequest(item) ? 'pull_request' : 'issues';
  emitEvent(world, findRepository(world, item), `${event}.reopened`, acting.by?.id ?? item.authorId, about);
}

/** Deletes an issue, pull request or discussion for good. GitHub sends no event about a deleted pull request. */
export function deleteItem(
  world: World,
  repository: Repository,
  item: Issue | PullRequest | Discussion,
  acting: Acting = {},
): void {
  repository.issues = repository.issues.filter((issue) => issue !== item);
  repository.pullRequests = repository.pullRequests.filter((pullRequest) => pullRequest !== item);
  repository.discussions = repository.discussions.filter((discussion) => discussion !== item);
  world.removeItems(item, ...item.comments);
  world.markChanged();
  const senderId = acting.by?.id ?? repository.ownerId;
  if (isDiscussion(item)) emitEvent(world, repository, 'discussion.deleted', senderId, { discussion: item });
  else if (isPullRequest(item)) world.removeItems(...item.reviews, ...item.reviewComments);
  else emitEvent(world, repository, 'issues.deleted', senderId, { issue: item });
}

/** Replaces the newest commits of the default branch by others. */
export function forcePush(world: World, repository: Repository, lost: number, replacement: string[]): void {
  const before = repository.commits.at(-1)?.oid ?? null;
  repository.commits.splice(Math.max(0, repository.commits.length - lost));
  const commits: Commit[] = [];
  for (const email of replacement) {
    const parent = repository.commits.at(-1);
    const at = world.now();
    const described = { author: { name: 'Pusher', email }, message: 'Instead', authoredAt: at, committedAt: at };
    const commit = makeCommit(parent === undefined ? [] : [parent], described);
    commits.push(commit);
    repository.commits.push(commit);
  }
  repository.pushedAt = world.now();
  touch(repository, world.now());
  const push = { before, after: repository.commits.at(-1)?.oid ?? null, forced: true, commits };
  emitEvent(world, repository, 'push', repository.ownerId, { push });
}

export function setVisibility(world: World, repository: Repository, visibility: Repository['visibility']): void {
  const wasPublic = repository.visibility === 'public';
  repository.visibility = visibility;
  touch(repository, world.now());
  world.markChanged();
  if (wasPublic === (visibility === 'public')) return;
  emitEvent(world, repository, `repository.${wasPublic ? 'privatized' : 'publicized'}`, repository.ownerId);
  if (!wasPublic) emitEvent(world, repository, 'public', repository.ownerId);
}

export function renameRepository(world: World, repository: Repository, name: string): void {
  const more = { changes: { repository: { name: { from: repository.name } } } };
  world.recordFormerName(repository);
  repository.name = name;
  touch(repository, world.now());
  emitEvent(world, repository, 'repository.renamed', repository.ownerId, { more });
}

export function transferRepository(world: World, repository: Repository, owner: Account): void {
  const former = world.accountById(repository.ownerId);
  world.recordFormerName(repository);
  repository.ownerId = owner.id;
  touch(repository, world.now());
  emitEvent(world, repository, 'repository.transferred', owner.id, { ...(former && { account: former }) });
}

export function deleteRepository(world: World, repository: Repository): void {
  world.repositories.splice(world.repositories.indexOf(repository), 1);
  emitEvent(world, repository, 'repository.deleted', repository.ownerId);
}
