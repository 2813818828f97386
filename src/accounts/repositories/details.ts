import { type Static, Type } from 'typebox';
import { formatTimestamp, TimestampSchema, UuidSchema } from '../../http/pipeline/envelope.ts';
import type { Repository } from './store.ts';

/** A repository as the API shows it. */
export const RepositoryDetails = Type.Object(
  {
    id: UuidSchema(),
    provider: Type.String({ examples: ['github'] }),
    owner: Type.String({ description: 'Name of the owning account.', examples: ['octocat'] }),
    name: Type.String({ examples: ['hello-world'] }),
    url: Type.String({
      format: 'uri',
      description: "Address of the repository in the provider's API.",
      examples: ['https://api.github.com/repos/octocat/hello-world'],
    }),
    deleted: Type.Boolean({ description: 'It was public, and the provider does not show it any more.' }),
    fork: Type.Boolean(),
    forks: Type.Integer({ examples: [2400] }),
    private: Type.Boolean(),
    description: Type.String({ description: 'Empty where there is none.', examples: ['My first repository.'] }),
    language: Type.String({ description: 'Empty where it is not known.', examples: ['TypeScript'] }),
    open_issues: Type.Integer({ description: 'As the provider counts them.', examples: [3] }),
    stars: Type.Integer({ examples: [2700] }),
    size: Type.Integer({ description: 'KiB.', examples: [108] }),
    license: Type.String({
      description: "The license's display name; empty where none is known.",
      examples: ['MIT License'],
    }),
    default_branch_name: Type.String({ description: 'Empty where there is no commit.', examples: ['main'] }),
    created_dttm: TimestampSchema('When the repository was added to this service.'),
    updated_dttm: TimestampSchema('When its record last changed.'),
  },
  { title: 'Repository' },
);
export type RepositoryDetails = Static<typeof RepositoryDetails>;

/**
 * Returns a repository in the form of the API.
 * @param names the owner's name, and the URL of the repository in its provider's API.
 */
export function toDetails(repository: Repository, names: { owner: string; url: string }): RepositoryDetails {
  return {
    id: repository.id,
    provider: repository.provider,
    owner: names.owner,
    name: repository.name,
    url: names.url,
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
