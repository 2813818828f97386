import type { Repository } from './model.ts';
import type { World } from './world.ts';

/** GitHub's names for the relation of an author to a repository. */
export type Association = 'OWNER' | 'MEMBER' | 'COLLABORATOR' | 'CONTRIBUTOR' | 'MANNEQUIN' | 'NONE';

export function authorAssociation(world: World, repository: Repository, accountId: number): Association {
  if (repository.ownerId === accountId) return 'OWNER';
  if (world.accountById(accountId)?.type === 'Mannequin') return 'MANNEQUIN';
  if (world.membership(repository.ownerId, accountId)?.state === 'active') return 'MEMBER';
  if (repository.collaboratorIds.includes(accountId)) return 'COLLABORATOR';
  const hasMerged = repository.pullRequests.some(
    ({ authorId, mergedAt }) => authorId === accountId && mergedAt !== null,
  );
  return hasMerged ? 'CONTRIBUTOR' : 'NONE';
}
