import { type Static, Type } from 'typebox';
import { AccountPath, type ResolvedAccount } from '../../http/pipeline/endpoint.ts';
import { envelope, formatTimestamp, TimestampSchema, UuidSchema } from '../../http/pipeline/envelope.ts';
import { cutPage, neighbourCursors, PageParameters, type Place, staleCursor } from '../../http/pipeline/pagination.ts';
import { addEndpoint } from '../../http/pipeline/pipeline.ts';
import type { App } from '../../http/server/app.ts';
import type { RouteServices } from '../resolve.ts';
import { findRepositoryPage, type RepositoryPlace } from './page-store.ts';
import type { Repository } from './store.ts';

/** A repository as the API shows it. */
const RepositoryDetails = Type.Object(
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
type RepositoryDetails = Static<typeof RepositoryDetails>;

const listing = 'repositories';

/**
 * Starts a listing of an account's repositories when it is due. Waits for it until the deadline if they were never
 * listed.
 * @returns the time of the last listing; undefined while there is none.
 */
export type AwaitListing = (
  resolved: Pick<ResolvedAccount, 'account' | 'deadline' | 'requester' | 'isOwner'>,
) => Promise<{ listedAt: Date } | undefined>;

/** Registers endpoint 6: all repositories that the account of the service token owns. */
export function repositoryRoutes(app: App, services: RouteServices & { awaitListing: AwaitListing }): void {
  const { connection, cursors, resolver, awaitListing } = services;
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/repositories',
    operationId: 'listRepositories',
    tag: 'Repositories',
    summary: 'All repositories of the account that the service token is for',
    readers: 'owner',
    params: AccountPath,
    query: Type.Object({
      ...PageParameters.properties,
      format: Type.Optional(Type.Enum(['json'], { default: 'json' })),
    }),
    listing: { name: listing, defaultLimit: 30 },
    dataType: 'repository',
    item: RepositoryDetails,
    load: async (context) => {
      const { account, page } = context;
      resolver.refreshStale(account);
      const listed = await awaitListing(context);
      if (listed === undefined) return undefined;
      const { limit, start } = page;
      const found = await findRepositoryPage(connection, account.id, {
        limit: limit + 1,
        after: start.after && readPlace('after', start.after, account.id),
        before: start.before && readPlace('before', start.before, account.id),
      });
      return { repositories: cutPage(found, limit, start), listedAt: listed.listedAt };
    },
    present: ({ repositories, listedAt }, { account, provider }) => ({
      envelope: envelope({
        dataType: 'repository',
        data: repositories.page.map(({ repository }) =>
          toDetails(repository, {
            owner: account.name,
            url: provider.repositories.toUrl(account.name, repository.name),
          }),
        ),
        ...neighbourCursors(repositories, ({ place }) => cursors.write(listing, [account.id, ...place])),
      }),
      staleAt: resolver.staleAt(listedAt),
    }),
  });
}

function readPlace(parameter: string, [accountId, createdAtUs, id]: Place, ownerId: string): RepositoryPlace {
  if (accountId !== ownerId || typeof createdAtUs !== 'string' || typeof id !== 'string') throw staleCursor(parameter);
  return [createdAtUs, id];
}

/**
 * Returns a repository in the form of the API.
 * @param names the owner's name, and the URL of the repository in its provider's API.
 */
function toDetails(repository: Repository, names: { owner: string; url: string }): RepositoryDetails {
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
