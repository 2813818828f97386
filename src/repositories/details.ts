import { type Static, Type } from 'typebox';
import { formatTimestamp } from '../http/envelope.ts';
import type { Repository } from './store.ts';

/** A repository as the API shows it. */
export const RepositoryDetails = Type.Object({
  id: Type.String({ format: 'uuid' }),
  provider: Type.String(),
  owner: Type.String({ description: 'Name of the owning account.' }),
  name: Type.String(),
  url: Type.String({ format: 'uri', description: "Address of the repository in the provider's API." }),
  deleted: Type.Boolean({ description: 'It was public, and the provider does not show it any more.' }),
  fork: Type.Boolean(),
  forks: Type.Integer(),
  private: Type.Boolean(),
  description: Type.String(),
  language: Type.String(),
  open_issues: Type.Integer({ description: 'As the provider counts them.' }),
  stars: Type.Integer(),
  size: Type.Integer({ description: 'KiB.' }),
  license: Type.String({ description: "The license's display name." }),
  default_branch_name: Type.String(),
  created_dttm: Type.String({ format: 'date-time', description: 'When the repository was added to this service.' }),
  updated_dttm: Type.String({ format: 'date-time', description: 'When its record last changed.' }),
});
export type RepositoryDetails = Static<typeof RepositoryDetails>;

/** @param place the owner's name, and the repository's address in its provider's API. */
export function toDetails(repository: Repository, place: { owner: string; url: string }): RepositoryDetails {
  return {
    id: repository.id,
    provider: repository.provider,
    owner: place.owner,
    name: repository.name,
    url: place.url,
    deleted: repository.isDeleted,
    fork: repository.isFork,
    forks: repository.forks,
    private: repository.isPrivate,
    description: repository.description,
    language: repository.language,
    open_issues: repository.openIssues,
    stars: repository.stars,
    size: repository.sizeKib,
    license: repository.license,
    default_branch_name: repository.defaultBranch,
    created_dttm: formatTimestamp(repository.createdAt),
    updated_dttm: formatTimestamp(repository.updatedAt),
  };
}
