import { Type } from 'typebox';
import {
  AccountPath,
  type AccountRouteContext,
  privateProblemResponses,
  type ResolvedAccount,
  respondForOwner,
} from '../accounts/routes.ts';
import type { App } from '../http/app.ts';
import { EnvelopeSchema, envelope } from '../http/envelope.ts';
import { cutPage, PageParameters, type Place, staleCursor } from '../http/pagination.ts';
import { RepositoryDetails, toDetails } from './details.ts';
import { findRepositoryPage, type RepositoryPlace } from './page-store.ts';

const listing = 'repositories';
const defaultLimit = 30;

const Query = Type.Object({ ...PageParameters.properties, format: Type.Optional(Type.Enum(['json'])) });

/**
 * Makes sure that an account's repositories are listed: waits until the deadline when they never were.
 * @returns the time of the last listing; undefined while there is none.
 */
export type AwaitListing = (
  asked: Pick<ResolvedAccount, 'account' | 'deadline' | 'isOwner'>,
) => Promise<{ listedAt: Date } | undefined>;

/** Registers endpoint 6: all repositories that the account of the service token owns. */
export function repositoryRoutes(app: App, context: AccountRouteContext & { awaitListing: AwaitListing }): void {
  app.get(
    '/v1/:provider/entities/:name/repositories',
    {
      schema: {
        summary: 'All repositories of the account that the service token is for',
        params: AccountPath,
        querystring: Query,
        security: [{ serviceToken: [] }],
        response: { 200: EnvelopeSchema(RepositoryDetails), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const { limit = defaultLimit } = request.query;
      const start = context.cursors.readStart(listing, request.query);
      const exchange = { request, reply, dataType: 'repository' } as const;
      return respondForOwner(context, exchange, request.params, async (asked) => {
        const { account, provider } = asked;
        const listed = await context.awaitListing(asked);
        if (listed === undefined) return undefined;
        const found = await findRepositoryPage(context.connection, account.id, {
          limit: limit + 1,
          after: start.after && placeOf('after', start.after, account.id),
          before: start.before && placeOf('before', start.before, account.id),
        });
        const { page, hasPrevious, hasNext } = cutPage(found, limit, start);
        const cursor = (item: (typeof found)[number] | undefined): string | undefined =>
          item && context.cursors.write(listing, [account.id, ...item.place]);
        return {
          envelope: envelope({
            dataType: 'repository',
            data: page.map(({ repository }) =>
              toDetails(repository, {
                owner: account.name,
                url: provider.repositoryUrl(account.name, repository.name),
              }),
            ),
            previousCursor: hasPrevious ? cursor(page[0]) : undefined,
            nextCursor: hasNext ? cursor(page.at(-1)) : undefined,
          }),
          staleAt: context.resolver.staleAt(listed.listedAt),
        };
      });
    },
  );
}

function placeOf(parameter: string, [accountId, createdAtUs, id]: Place, ownerId: string): RepositoryPlace {
  if (accountId !== ownerId || typeof createdAtUs !== 'string' || typeof id !== 'string') throw staleCursor(parameter);
  return [createdAtUs, id];
}
