import { Type } from 'typebox';
import { AccountPath, type ResolvedAccount } from '../../http/pipeline/endpoint.ts';
import { envelope } from '../../http/pipeline/envelope.ts';
import { cutPage, neighbourCursors, PageParameters, type Place, staleCursor } from '../../http/pipeline/pagination.ts';
import { addEndpoint } from '../../http/pipeline/pipeline.ts';
import type { App } from '../../http/server/app.ts';
import type { RouteServices } from '../resolve.ts';
import { RepositoryDetails, toDetails } from './details.ts';
import { findRepositoryPage, type RepositoryPlace } from './page-store.ts';

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
        after: start.after && placeOf('after', start.after, account.id),
        before: start.before && placeOf('before', start.before, account.id),
      });
      return { repositories: cutPage(found, limit, start), listedAt: listed.listedAt };
    },
    present: ({ repositories, listedAt }, { account, provider }) => ({
      envelope: envelope({
        dataType: 'repository',
        data: repositories.page.map(({ repository }) =>
          toDetails(repository, {
            owner: account.name,
            url: provider.repositories.urlOf(account.name, repository.name),
          }),
        ),
        ...neighbourCursors(repositories, ({ place }) => cursors.write(listing, [account.id, ...place])),
      }),
      staleAt: resolver.staleAt(listedAt),
    }),
  });
}

function placeOf(parameter: string, [accountId, createdAtUs, id]: Place, ownerId: string): RepositoryPlace {
  if (accountId !== ownerId || typeof createdAtUs !== 'string' || typeof id !== 'string') throw staleCursor(parameter);
  return [createdAtUs, id];
}
