import type { Account, Repository } from '../../world/model.ts';
import { connection, type Order, ordering, type PageArguments } from './connection.ts';
import type { FieldRequest, Fields } from './field-request.ts';

export type OwnedArguments = PageArguments &
  Order & {
    privacy?: 'PUBLIC' | 'PRIVATE' | null;
    visibility?: string | null;
    isFork?: boolean | null;
    isArchived?: boolean | null;
    ownerAffiliations?: string[] | null;
    affiliations?: string[] | null;
  };

/** Lists the repositories of an account that the viewer may see. */
export function ownedRepositories(context: FieldRequest, owner: Account, args: OwnedArguments): Fields {
  const { world, viewer } = context;
  const affiliations = args.ownerAffiliations ?? ['OWNER', 'COLLABORATOR'];
  if (affiliations.includes('ORGANIZATION_MEMBER') || args.affiliations) {
    throw new Error('the simulator knows repositories by owner and collaborator only');
  }
  const items = world.repositories
    .filter(
      ({ ownerId, collaboratorIds }) =>
        (affiliations.includes('OWNER') && ownerId === owner.id) ||
        (affiliations.includes('COLLABORATOR') && collaboratorIds.includes(owner.id)),
    )
    .filter((repository) => world.canSee(viewer, repository))
    .filter(({ visibility }) => !args.privacy || (visibility === 'public') === (args.privacy === 'PUBLIC'))
    .filter(({ visibility }) => !args.visibility || visibility.toUpperCase() === args.visibility)
    .filter(({ isFork }) => typeof args.isFork !== 'boolean' || isFork === args.isFork)
    .filter(({ isArchived }) => typeof args.isArchived !== 'boolean' || isArchived === args.isArchived);
  const keys: Record<string, (repository: Repository) => number | string> = {
    CREATED_AT: (repository) => repository.createdAt.getTime(),
    UPDATED_AT: (repository) => repository.updatedAt.getTime(),
    PUSHED_AT: (repository) => repository.pushedAt?.getTime() ?? 0,
    NAME: (repository) => repository.name.toLowerCase(),
    STARGAZERS: (repository) => world.starsOf(repository).length,
  };
  return connection(
    {
      name: 'repositories',
      items,
      ...ordering(keys, args, 'NAME'),
      id: (repository) => repository.id,
      toNode: (repository) => context.fieldsOf.repository(repository),
    },
    args,
  );
}
