import { addCommit, addRepository, touch } from './activity.ts';
import type { Account, Commit, Repository } from './model.ts';
import { emitAccountEvent, emitEvent } from './report-changes.ts';
import type { World } from './world.ts';

/** Changes of repositories, their stars, files, collaborators and members. */

/** Adds a star of a person; as on GitHub, the repository's `updatedAt` follows. */
export function star(world: World, repository: Repository, by: Account, at = world.now()): void {
  if (repository.stars.some(({ accountId }) => accountId === by.id)) return;
  repository.stars.push({ accountId: by.id, starredAt: at });
  touch(repository, world.now());
  emitEvent(world, repository, 'star.created', by.id, { starredAt: at });
}

export function unstar(world: World, repository: Repository, by: Account): void {
  if (!repository.stars.some(({ accountId }) => accountId === by.id)) return;
  repository.stars = repository.stars.filter(({ accountId }) => accountId !== by.id);
  touch(repository, world.now());
  emitEvent(world, repository, 'star.deleted', by.id, { starredAt: null });
}

export function setArchived(world: World, repository: Repository, isArchived: boolean): void {
  repository.isArchived = isArchived;
  touch(repository, world.now());
  emitEvent(world, repository, `repository.${isArchived ? 'archived' : 'unarchived'}`, repository.ownerId);
}

export function setDescription(world: World, repository: Repository, description: string | null): void {
  const more = { changes: { description: { from: repository.description } } };
  repository.description = description;
  touch(repository, world.now());
  emitEvent(world, repository, 'repository.edited', repository.ownerId, { more });
}

export function renameDefaultBranch(world: World, repository: Repository, name: string): void {
  const more = { changes: { default_branch: { from: repository.defaultBranch } } };
  repository.defaultBranch = name;
  touch(repository, world.now());
  emitEvent(world, repository, 'repository.edited', repository.ownerId, { more });
}

/** Adds a fork of a repository to another account. */
export function addFork(world: World, original: Repository, owner: Account, name = original.name): Repository {
  const { description, language, license, defaultBranch, visibility, pushedAt } = original;
  const fork = addRepository(world, {
    description,
    language,
    license,
    defaultBranch,
    visibility,
    pushedAt,
    name,
    ownerId: owner.id,
    isFork: true,
    commits: [...original.commits],
    files: new Map(original.files),
    createdAt: world.now(),
  });
  original.forkCount += 1;
  emitEvent(world, original, 'fork', owner.id, { fork });
  return fork;
}

/** Adds a commit to the default branch that changes one file; null removes the file. */
export function writeFile(
  world: World,
  repository: Repository,
  path: string,
  text: string | null,
  author: Commit['author'],
): Commit {
  const isKnown = repository.files.has(path);
  if (text === null) repository.files.delete(path);
  else repository.files.set(path, text);
  const paths = {
    added: text !== null && !isKnown ? [path] : [],
    modified: text !== null && isKnown ? [path] : [],
    removed: text === null ? [path] : [],
  };
  return addCommit(world, repository, { author, paths, message: `Change ${path}` });
}

/** Gives an account outside of the owner's people access to a repository. */
export function addCollaborator(world: World, repository: Repository, account: Account): void {
  if (repository.collaboratorIds.includes(account.id)) return;
  repository.collaboratorIds.push(account.id);
  emitEvent(world, repository, 'member.added', repository.ownerId, { account });
}

export function removeCollaborator(world: World, repository: Repository, account: Account): void {
  repository.collaboratorIds = repository.collaboratorIds.filter((id) => id !== account.id);
  emitEvent(world, repository, 'member.removed', repository.ownerId, { account });
}

/** Makes an account a member of an organization, at once. */
export function addMember(world: World, organization: Account, account: Account, role: 'admin' | 'member'): void {
  removeMembership(world, organization, account);
  world.memberships.push({ organizationId: organization.id, accountId: account.id, role, state: 'active' });
  emitAccountEvent(world, organization, 'organization.member_added', organization.id, { account });
}

export function removeMember(world: World, organization: Account, account: Account): void {
  removeMembership(world, organization, account);
  emitAccountEvent(world, organization, 'organization.member_removed', organization.id, { account });
}

function removeMembership(world: World, organization: Account, account: Account): void {
  const membership = world.membership(organization.id, account.id);
  if (membership !== undefined) world.memberships.splice(world.memberships.indexOf(membership), 1);
}
